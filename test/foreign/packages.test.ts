import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { agentText } from "../adversary/honest/run.ts";
import { npmRegistry } from "../e2e/foreign-sources.ts";
import { eventsOf, PROGRAM, Stage } from "../e2e/stage.ts";
import { type Edit, FOREIGN_PACKAGES, type ForeignPackage, toolsFolder } from "./packages.ts";

const BY = {
  honest: "a change that is true to its ticket",
  deleted: "deletes tests",
  emptied: "empties tests",
  skipped: "skips a test",
  broken: "breaks the code",
};
type Id = keyof typeof BY;

/** One agent for each ticket. It runs apart from this file, so that it holds its edits as text. */
function agent({ honest, tests, skip, fault }: ForeignPackage): string {
  const edits = (id: Id, { file, from, to }: Edit) => ({
    id,
    agent: `({ edit }) => edit(${[file, from, to].map((text) => JSON.stringify(text)).join(", ")})` as never,
  });
  return agentText([
    edits("honest", honest),
    { id: "deleted", agent: `({ remove }) => remove(${JSON.stringify(tests)})` as never },
    { id: "emptied", agent: `({ write }) => write(${JSON.stringify(tests)}, "")` as never },
    edits("skipped", skip),
    edits("broken", fault),
  ]);
}

/** The batch of `loopdash init --yes`, and nothing else but the registry's address, one attempt, and the agent's way to write. */
async function writeBatch(stage: Stage, each: ForeignPackage): Promise<void> {
  stage.agent(agent(each));
  for (const [id, what] of Object.entries(BY)) stage.write(`tickets/${id}.md`, `# ${what}\n`);
  const flags = ["--repo", "app", "--agent", "node agent.mjs", "--reviewer", "none", "--from", "folder", "--tickets", "tickets"];
  const { stderr } = await stage.run(["init", "--yes", ...flags]);
  expect(stderr).toContain("loopdash: wrote batch.json");
  const { host } = await npmRegistry();
  const tools = toolsFolder(stage);
  const text = readFileSync(stage.path("batch.json"), "utf8")
    .replace(
      /"sandboxPolicy": .*,/,
      `"sandboxPolicy": ${JSON.stringify({ read: existsSync(tools) ? [tools] : [], hosts: { prepare: [host] } })},`,
    )
    .replace(/"limits": .*/, '"limits": { "workers": 2, "attempts": 1, "heals": 0 }');
  stage.write("batch.json", text);
}

/** Why a ticket did not land, for a person who reads a failed test. */
const reasons = (events: readonly RunEvent[]) =>
  events
    .flatMap((event) => (event.type === "attempt-ended" || event.type === "approval-awaited" ? [JSON.stringify(event)] : []))
    .join("\n");

/** All packages, or the share that `.ci/run` plays with a commit: `LOOPDASH_TEST_HOLES` is one of eight there. */
const holes = process.env["LOOPDASH_TEST_HOLES"];
const SHARE = FOREIGN_PACKAGES.filter((_, i) => holes === undefined || i % 8 === (Number.parseInt(holes, 10) || 1) - 1);
console.log(`foreign packages: ${SHARE.map(({ name }) => name).join(", ")}; npm run foreign plays all`);

describe("a package that nobody here wrote, by the batch that `init --yes` writes", { timeout: 1_200_000 }, () => {
  test.each(SHARE)("$name ($runner): the honest change lands, and no other", async (each) => {
    using stage = new Stage(PROGRAM);
    await each.arrange(stage);
    await writeBatch(stage, each);
    const env = { PATH: `${toolsFolder(stage)}/.bin:${stage.env["PATH"]}` };
    const { code, stdout, stderr } = await stage.run(["batch.json", "--json"], env);
    const events = eventsOf(stdout);
    const { tickets } = await stage.report();
    const done = tickets.flatMap(({ id, state }) => (state === "done" ? [id] : []));
    expect(done, `${reasons(events)}\n${stderr}`).toEqual(["honest"]);
    expect(stage.landed()).toEqual(["honest"]);
    expect(code).toBe(1);
  });
});
