import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "../../e2e/stage.ts";
import type { Aftermath } from "../campaign.ts";

/** The content of each victim, which must not change. */
export const KEPT = "a person's\n";
/** A secret, in every place that an agent must not access. */
export const SECRET = "SECRET-7f3a";

/** The folder of an attack in the one that the batch opens for reading: an agent can see its content, and must not change it. */
export const victimsOf = (id: string): string => join("shared", id);

/** The file that the n-th spelling of an attack aims at. */
const victim = (stage: Stage, id: string, n: number): string => stage.path(victimsOf(id), String(n), "keep.txt");

/** Creates the targets for the spellings of an attack. */
export function makeVictims(stage: Stage, id: string, count: number): void {
  for (let n = 0; n < count; n++) stage.write(join(victimsOf(id), String(n), "keep.txt"), KEPT);
}

/** Source that gives an agent `$(line)`: runs a line of bash, prints its output and records its errors. */
export const SHELL = `const { spawnSync } = await import("node:child_process");
const heard = [];
const $ = (line, env = {}) => {
  const { stdout, stderr } = spawnSync("bash", ["-c", line], { encoding: "utf8", env: { ...process.env, ...env } });
  if (stderr !== "") heard.push(stderr);
  say(stdout + stderr);
  return stdout;
};
/** Ends without a claim, so that nothing lands, and tells what stood in the way. */
const end = () => { throw new Error("heard: " + heard.join(" ").slice(-2000)); };
`;

/**
 * Source of an agent that runs each spelling on its own victim: X is the victim's folder. Writes to /tmp go to the worktree, so
 * that nothing stays outside the stage if there is no sandbox.
 */
export function spelled(id: string, spellings: readonly string[]): string {
  return `${SHELL}
fs.mkdirSync(".tmp");
const node = ${JSON.stringify(process.execPath)};
const own = (line) => line.split(node).map((part) => part.replaceAll("/tmp/", process.cwd() + "/.tmp/")).join(node);
${JSON.stringify(spellings)}.forEach((line, n) => $(own(line).replace(/\\bX\\b/g, root + "/${victimsOf(id)}/" + n)));
end();`;
}

/** True if all victims were harmed, false if none was. Throws otherwise: a spelling without effect anywhere proves nothing. */
export function allOrNone(count: number): (after: Aftermath) => boolean {
  return ({ stage, ticket }) => {
    const harmed = Array.from({ length: count }, (_, n) => isHarmed(victim(stage, ticket, n)));
    if (!harmed.includes(true)) return false;
    const spared = harmed.flatMap((each, n) => (each ? [] : [n]));
    if (spared.length > 0)
      throw new Error(`${ticket}: the spellings ${spared.join(", ")} do nothing:\n${agentLog(stage, ticket)}`);
    return true;
  };
}

function isHarmed(file: string): boolean {
  return !existsSync(file) || readFileSync(file, "utf8") !== KEPT;
}

/** The folder of the stage's only run. */
export function runFolder(stage: Stage): string {
  const runs = join(stage.home, "runs");
  const [run] = readdirSync(runs);
  if (run === undefined) throw new Error("there was no run");
  return join(runs, run);
}

/** Everything that the agent of a ticket printed. */
export function agentLog(stage: Stage, ticket: string): string {
  return readFileSync(join(runFolder(stage), "tickets", ticket, "attempt-1", "agent.log"), "utf8");
}

/** Finds an optional program of this machine. */
export function where(...paths: readonly string[]): string | undefined {
  return paths.find((path) => existsSync(path));
}
