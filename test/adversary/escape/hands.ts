import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "../../e2e/stage.ts";
import type { Aftermath } from "../campaign.ts";

/** What each victim holds that is to stay as it is. */
export const KEPT = "a person's\n";
/** What is secret, and in every place that an agent has no business in. */
export const SECRET = "SECRET-7f3a";

/** The folder of an attack in the one that the batch opens for reading: an agent sees what is in it, and may not change it. */
export const victimsOf = (id: string): string => join("shared", id);

/** The file that the n-th spelling of an attack is to do away with. */
const victim = (stage: Stage, id: string, n: number): string => stage.path(victimsOf(id), String(n), "keep.txt");

/** Makes what so many spellings of an attack are aimed at. */
export function makeVictims(stage: Stage, id: string, count: number): void {
  for (let n = 0; n < count; n++) stage.write(join(victimsOf(id), String(n), "keep.txt"), KEPT);
}

/** Source that gives an agent `$(line)`: runs a line of bash, and prints and notes what came of it. */
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
 * Source of an agent that tries each spelling on a victim of its own: X is the victim's folder. What is written to /tmp goes
 * to the worktree, so that nothing stays outside of the stage where there is no sandbox.
 */
export function spelled(id: string, spellings: readonly string[]): string {
  return `${SHELL}
fs.mkdirSync(".tmp");
const node = ${JSON.stringify(process.execPath)};
const own = (line) => line.split(node).map((part) => part.replaceAll("/tmp/", process.cwd() + "/.tmp/")).join(node);
${JSON.stringify(spellings)}.forEach((line, n) => $(own(line).replace(/\\bX\\b/g, root + "/${victimsOf(id)}/" + n)));
end();`;
}

/**
 * Whether victims were harmed. All of them or none: a spelling that does nothing anywhere proves nothing, so such a case
 * is refused.
 */
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

/** A program of this machine that an attack may do without. */
export function where(...paths: readonly string[]): string | undefined {
  return paths.find((path) => existsSync(path));
}
