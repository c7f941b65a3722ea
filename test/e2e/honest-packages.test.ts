import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { agentText } from "../adversary/honest/run.ts";
import { npm, npmRegistry, unpackSource } from "./foreign-sources.ts";
import { type HonestPackage, PACKAGES } from "./honest-packages.ts";
import { SMALL_PACKAGES } from "./honest-small-packages.ts";
import { eventsOf, PROGRAM, Stage } from "./stage.ts";

const ALL = [...SMALL_PACKAGES, ...PACKAGES];

/** The changes that need a person's approval: the files that it is about, and the reason. */
const NEED_APPROVAL: Readonly<Record<string, readonly [files: string, why: string]>> = {
  "bytes-dependency": [
    "package-lock.json package.json",
    "the judge's tree has the packages of the base, and the code needs another one",
  ],
  "uri-renamed-tested-source": [
    "test/host-fast-path.test.js test/security-utf8-encoding.test.js test/util.test.js",
    "tests of the base import the file by its old name",
  ],
};

/** Tickets that did not land, by what they wait for or why they failed. */
const unlanded = new Map<string, string>();

/** The package as a repository `app`, with the development dependencies that its test command needs, and a lockfile. */
async function importPackage(stage: Stage, { source, tools }: HonestPackage): Promise<void> {
  const to = stage.path("app");
  await unpackSource(source, { folder: join(stage.root, "archive"), to });
  if (tools !== undefined) {
    const manifest = JSON.parse(readFileSync(join(to, "package.json"), "utf8"));
    manifest.devDependencies = Object.fromEntries(
      tools.map((tool) => {
        const [name = "", version] = tool.split("@");
        return [name, version ?? manifest.devDependencies[name]];
      }),
    );
    stage.write("app/package.json", `${JSON.stringify(manifest, undefined, 2)}\n`);
    stage.write("app/.npmrc", (await npmRegistry()).npmrc);
    stage.write("app/.gitignore", "node_modules\ncoverage\n.nyc_output\n");
    npm(["install", "--package-lock-only", "--ignore-scripts"], to);
  }
  stage.git("app", "init", "-q", "-b", "main");
  stage.git("app", "add", "-A", "-f");
  stage.git("app", "commit", "-q", "-m", `import ${source.name}`);
}

/** The batch that `loopdash init` writes, with two workers, and with the registry's address and the agent's way to it. */
async function writeBatch(stage: Stage, { changes, tools }: HonestPackage): Promise<void> {
  stage.agent(agentText(changes));
  for (const { id, what } of changes) stage.write(`tickets/${id}.md`, `# ${what}\n`);
  const flags = ["--repo", "app", "--agent", "node agent.mjs", "--reviewer", "none", "--from", "folder", "--tickets", "tickets"];
  const { stderr } = await stage.run(["init", "--yes", ...flags]);
  expect(stderr).toContain("loopdash: wrote batch.json");
  const hosts = tools === undefined ? [] : [(await npmRegistry()).host];
  const text = readFileSync(stage.path("batch.json"), "utf8")
    .replace(/"sandboxPolicy": .*,/, `"sandboxPolicy": ${JSON.stringify({ hosts: { prepare: hosts, agent: hosts } })},`)
    .replace(/"limits": .*/, '"limits": { "workers": 2, "attempts": 2 }');
  stage.write("batch.json", text);
}

/** Why a ticket did not land: the files that wait for an approval, or what its last attempt failed with. */
function reason(events: readonly RunEvent[], ticket: string): string {
  const own = events.filter((event) => "ticket" in event && event.ticket === ticket);
  const awaited = own.findLast((event) => event.type === "approval-awaited");
  if (awaited?.type === "approval-awaited") return awaited.zones.toSorted().join(" ");
  return JSON.stringify(own.findLast((event) => event.type === "attempt-ended")) ?? "no attempt";
}

describe("honest changes of packages that nobody here wrote", { timeout: 1_200_000 }, () => {
  test.each(ALL)("of $source.name land by the batch that init writes", async (each) => {
    using stage = new Stage(PROGRAM);
    await importPackage(stage, each);
    await writeBatch(stage, each);
    const { stdout, stderr } = await stage.run(["batch.json", "--json"]);
    const events = eventsOf(stdout);
    const { tickets } = await stage.report();
    const open = tickets.flatMap(({ id, state }) => (state === "done" ? [] : [[id, reason(events, id)] as const]));
    for (const [id, why] of open) unlanded.set(id, why);
    const expected = each.changes.flatMap(({ id }) => (Object.hasOwn(NEED_APPROVAL, id) ? [[id, NEED_APPROVAL[id]?.[0]]] : []));
    expect(open, stderr).toEqual(expected);
    expect(events.findLast((event) => event.type === "oracle-judged")).toMatchObject({ judgement: { verdict: "done" } });
  });

  test("need an approval in at most 4 of 40 cases", () => {
    const changes = ALL.flatMap((each) => each.changes);
    const rows = changes.map(({ id, what }) =>
      [id, what, unlanded.get(id) ?? "landed", NEED_APPROVAL[id]?.[1] ?? ""].join(" | "),
    );
    console.log(`${rows.join("\n")}\n${unlanded.size} of ${changes.length} need an approval`);
    expect(new Set(changes.map(({ id }) => id)).size).toBe(40);
    expect(unlanded.size).toBeLessThanOrEqual(4);
  });
});
