import { existsSync } from "node:fs";
import { constants } from "node:os";
import {
  type Confined,
  ConfinementRefused,
  type ExecRequest,
  type ExecResult,
  type Executor,
  type Sandbox,
  type SandboxEnd,
} from "../../ports/executor.ts";
import { TOOLS } from "./bubblewrap/outer-namespace.ts";

/** By such an exit code bwrap says that a signal ended the program, as a shell does. */
const SIGNAL_BASE = 128;
const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [SIGNAL_BASE + number, name]));

/**
 * An executor that starts requests with a `confinement` in the sandbox, and other requests unconfined. A request whose
 * confinement cannot be kept fails to start. `onStart` gets the process of the sandbox: it dies with this process, and killing it
 * kills everything in the sandbox. When `run` settles, no process of the sandbox lives.
 *
 * A program that exits with 128 + n looks the same as one that signal n ended.
 */
export function confinedExecutor(executor: Executor, sandbox: Sandbox): Executor {
  return {
    run: (request) => (request.confinement === undefined ? executor.run(request) : runConfined(executor, sandbox, request)),
    killStrays: (options) => executor.killStrays(options),
  };
}

async function runConfined(executor: Executor, sandbox: Sandbox, request: ExecRequest): Promise<ExecResult> {
  const begun = performance.now();
  const { confinement, ...rest } = request;
  if (confinement === undefined) throw new TypeError("a request without a confinement");
  let confined: Confined;
  try {
    confined = await sandbox.confine({ argv: request.argv, cwd: request.cwd, env: request.env }, confinement);
  } catch (error) {
    if (!(error instanceof ConfinementRefused)) throw error;
    return { ...UNSTARTED, message: error.message, durationMs: performance.now() - begun };
  }
  let result: ExecResult;
  let end: SandboxEnd;
  try {
    const { argv, cwd, env, files = [] } = confined;
    result = await executor.run({ ...rest, argv: confinement.isJudge === true ? sealed(argv) : argv, cwd, env, files });
  } finally {
    end = await confined.settle();
  }
  const ended = told(result, end);
  if (ended.ending !== "failed-to-start" || result.ending !== "exited") return ended;
  return (await isBroken(executor, sandbox, rest)) ? { ...ended, isMachine: true } : ended;
}

/** True if the sandbox cannot be set up for a program and a folder of the system either: then no change under test is at fault. */
async function isBroken(executor: Executor, sandbox: Sandbox, request: ExecRequest): Promise<boolean> {
  const { env, timeoutMs, signal, marker } = request;
  const nothing = { write: [], read: [], mounts: [], sockets: [] };
  const confined = await sandbox.confine({ argv: ["/bin/sh", "-c", ":"], cwd: "/", env }, nothing);
  const result = await executor.run({ ...confined, logFile: "/dev/null", timeoutMs, signal, marker });
  const { reported } = await confined.settle();
  return result.ending === "exited" && !reported;
}

/**
 * Fails if a program that succeeded has no output any more: whoever has its stdout from it can shut it down (shutdown(2)) and so silence
 * it. They can add to it, but take nothing away. Outside the sandbox, after all in it are dead; dies with the engine, as the sandbox does.
 */
function sealed(argv: readonly string[]): readonly string[] {
  const dying = existsSync(TOOLS.setpriv) ? [TOOLS.setpriv, "--pdeathsig", "KILL", "--"] : [];
  return [...dying, "/bin/sh", "-c", '"$@" && printf "\\n"', "sh", ...argv];
}

const UNSTARTED = { ending: "failed-to-start", exitCode: null, signal: null, tail: "" } as const;

function told(result: ExecResult, end: SandboxEnd): ExecResult {
  if (!end.empty) return { ...result, tail: `${result.tail}\n[loopdash: what runs in the sandbox could not be ended]` };
  if (result.ending !== "exited") return result;
  if (!end.reported && result.signal === null) {
    return { ...result, ...UNSTARTED, message: `the sandbox could not be set up: ${result.tail.trim()}` };
  }
  const signal = result.exitCode === null ? undefined : SIGNALS.get(result.exitCode);
  return signal === undefined ? result : { ...result, exitCode: null, signal };
}
