import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecResult, Executor } from "../../../ports/executor.ts";
import { isWithin, realPath } from "../mounts/real-path.ts";
import { CANARY, type CanaryTask } from "./canary-script.ts";
import { openProbeListeners } from "./probe-listeners.ts";

/** Time limit of a canary. Milliseconds. */
const DEADLINE_MS = 15_000;
const SEEN = "seen";

/** The result of a canary: forbidden actions that succeeded, or the reason why it could not run. */
export type CanaryEnd =
  | { readonly ran: true; readonly escapes: readonly string[] }
  | { readonly ran: false; readonly result: Pick<ExecResult, "tail" | "message"> };

/**
 * Runs a process that tries to escape the sandbox of `executor`, against files, a port and sockets made for that. Its own report
 * is not trusted alone: the files and listeners outside are checked as well. `state` is a folder that must be hidden if it
 * exists.
 */
export async function runCanary(executor: Executor, state?: string): Promise<CanaryEnd> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-canary-")));
  const at = (name: string) => join(folder, name);
  const abstract = `loopdash-${randomUUID()}`;
  try {
    for (const name of ["own", "shown", "kept"]) mkdirSync(at(name));
    for (const name of ["shown/file", "kept/file"]) writeFileSync(at(name), SEEN);
    await using doors = await openProbeListeners(abstract, at("kept/s"));
    const task: CanaryTask = {
      own: at("own/file"),
      readOnly: at("shown/file"),
      hidden: at("kept/file"),
      outside: [at("shown/new"), at("kept/new")],
      state: hiddenState(folder, state),
      engine: commandLineHash(),
      port: doors.port,
      sockets: [`\0${abstract}`, at("kept/s")],
    };
    const end = judge(await run(executor, task, folder));
    const deeds = [...deedsIn(task), ...(doors.visited() ? ["reach somebody outside"] : [])];
    if (deeds.length === 0) return end;
    return { ran: true, escapes: [...new Set([...(end.ran ? end.escapes : []), ...deeds])] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The state folder by its real path; empty if there is none, or if the canary itself lies in it and shows the way. */
function hiddenState(folder: string, state: string | undefined): string {
  const real = state === undefined ? undefined : realPath(state);
  return real === undefined || isWithin(real, folder) ? "" : real;
}

/** The canary recognizes this process by this hash. Empty without /proc. */
function commandLineHash(): string {
  const file = "/proc/self/cmdline";
  return existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : "";
}

function run(executor: Executor, task: CanaryTask, folder: string): Promise<ExecResult> {
  return executor.run({
    argv: [process.execPath, "-e", CANARY, JSON.stringify(task)],
    cwd: join(folder, "own"),
    env: { PATH: "/usr/bin:/bin" },
    logFile: join(folder, "log"),
    timeoutMs: DEADLINE_MS,
    signal: new AbortController().signal,
    marker: `canary-${randomUUID()}`,
    confinement: {
      write: [join(folder, "own")],
      read: [join(folder, "shown")],
      mounts: [],
      sockets: [],
    },
  });
}

function judge(result: ExecResult): CanaryEnd {
  const did = result.ending === "exited" && result.exitCode === 0 ? namesIn(result.tail.trim()) : undefined;
  if (did === undefined || !did.includes("own")) return { ran: false, result };
  return { ran: true, escapes: did.filter((name) => name !== "own") };
}

/** The canary's visible effects on the outside files, whatever it reports. */
function deedsIn(task: CanaryTask): readonly string[] {
  const isChanged = [task.readOnly, task.hidden].some((file) => !existsSync(file) || readFileSync(file, "utf8") !== SEEN);
  return [
    ...(isChanged ? ["change a file outside"] : []),
    ...(task.outside.some((path) => existsSync(path)) ? ["write a file outside"] : []),
  ];
}

function namesIn(text: string): readonly string[] | undefined {
  if (!text.startsWith("[")) return undefined;
  const names: unknown = JSON.parse(text);
  return Array.isArray(names) ? names.map(String) : undefined;
}
