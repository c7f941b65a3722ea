import { existsSync, readFileSync } from "node:fs";
import { agentText } from "../adversary/honest/run.ts";
import { hostEntry, npmRegistry } from "../e2e/foreign-sources.ts";
import type { Stage } from "../e2e/stage.ts";
import { toolsFolder } from "./arrange-package.ts";
import type { Edit, ForeignPackage } from "./package.ts";

/** The agents of a package, by their tickets. They run apart from this file, so that they hold their edits as text. */
function agentsOf({
  honest,
  tests,
  skip,
  fault,
  cheat,
}: ForeignPackage): Readonly<Record<string, [what: string, agent: string]>> {
  const editing = ({ file, from, to }: Edit): string =>
    `({ edit }) => edit(${[file, from, to].map((text) => JSON.stringify(text)).join(", ")})`;
  return {
    honest: ["a change that is true to its ticket", editing(honest)],
    deleted: ["deletes tests", typeof tests === "string" ? `({ remove }) => remove(${JSON.stringify(tests)})` : tests.deleted],
    emptied: ["empties tests", typeof tests === "string" ? `({ write }) => write(${JSON.stringify(tests)}, "")` : tests.emptied],
    skipped: ["skips a test", editing(skip)],
    broken: ["breaks the code", editing(fault)],
    ...(cheat !== undefined && { cheat: [cheat.what, cheat.agent] }),
  };
}

const YARN = "registry.yarnpkg.com";

/**
 * Writes the batch of `loopdash init --yes`, with nothing else but the addresses of its registries, the programs of a package manager, two workers and
 * one attempt. Returns its tickets.
 */
export async function writeBatch(stage: Stage, each: ForeignPackage): Promise<readonly string[]> {
  const agents = agentsOf(each);
  stage.agent(agentText(Object.entries(agents).map(([id, [, agent]]) => ({ id, agent: agent as never }))));
  for (const [id, [what]] of Object.entries(agents)) stage.write(`tickets/${id}.md`, `# ${what}\n`);
  const flags = ["--repo", "app", "--agent", "node agent.mjs", "--reviewer", "none", "--from", "folder", "--tickets", "tickets"];
  const { stderr } = await stage.run(["init", "--yes", ...flags]);
  if (!stderr.includes("loopdash: wrote batch.json")) throw new Error(stderr);
  const tools = toolsFolder(stage);
  const written = readFileSync(stage.path("batch.json"), "utf8");
  const { host } = await npmRegistry();
  const more = written.includes(`"${YARN}"`) ? [await hostEntry(YARN)] : [];
  const opened = { read: existsSync(tools) ? [tools] : [], hosts: { prepare: [host, ...more] } };
  const text = written
    .replace(/"sandboxPolicy": .*,/, `"sandboxPolicy": ${JSON.stringify(opened)},`)
    .replace(/"limits": .*/, '"limits": { "workers": 2, "attempts": 1, "heals": 0 }');
  stage.write("batch.json", text);
  return Object.keys(agents);
}

/** The programs of package managers, and those of the machine but shims, which need the settings of a home that is not this one. */
export function pathOf(stage: Stage): string {
  const folders = (stage.env["PATH"] ?? "").split(":").filter((folder) => !/\/\.(?:cargo\/bin|pyenv\/shims)$/.test(folder));
  return [`${toolsFolder(stage)}/.bin`, ...folders].join(":");
}
