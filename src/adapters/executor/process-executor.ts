import type { Readable } from "node:stream";
import type { Masker } from "@loopdash/model-gateway";
import { execa } from "execa";
import type { ExecEnding, ExecRequest, ExecResult, Executor, ProcessId } from "../../ports/executor.ts";
import { type LogFile, openLogFile } from "./log-file.ts";
import { createOutput, type Output } from "./output.ts";
import { withFiles } from "./passed-files.ts";
import { isAlive, processId } from "./process-id.ts";
import { createProcessTable, FENCE_VARIABLE, outputLinks, type ReadProcessTable } from "./process-table.ts";
import { createProcessTreeWatch, type ProcessTreeWatch } from "./process-tree-watch.ts";
import { afterRunning, ranMs, whenOver } from "./run-time.ts";
import { isMachineFault, startFailure } from "./start-failure.ts";
import { killGroup, type Swept, sweep } from "./sweep.ts";
import { isFulfilledWithin } from "./timers.ts";

/** A program that was asked to end (SIGTERM to its group) is killed (SIGKILL) if it still runs after this time. */
export const KILL_AFTER_MS = 2_000;
/**
 * The output ends when everything is dead. If it has not ended after this time, processes that hold it open are searched for and
 * killed.
 */
export const HOLDER_AFTER_MS = 500;
/** The time limit for reading the rest of the output after that. */
export const DRAIN_MS = 2_000;

/** Options of `createExecutor`. */
interface ExecutorOptions {
  /** Masks secrets in all output, before it is written or passed on. */
  readonly masker?: Masker;
}

/** The parts of the executor that `run` needs. */
interface Workshop extends ExecutorOptions {
  readonly read: ReadProcessTable;
  readonly watch: (main: ProcessId) => ProcessTreeWatch;
}

type Child = ReturnType<typeof launch>;

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** The end of one program: the first cause wins. */
interface Ending {
  cause: ExecEnding | undefined;
  /** An error thrown by an engine callback; the program is ended, and `run` then rejects with it. */
  defect: { readonly error: unknown } | undefined;
}

/**
 * Runs programs with execa, each in its own session.
 *
 * Every process that a program started is found by its session and group, by LOOPDASH_FENCE in its environment, by its descent
 * (checked once a second and before a kill) and, if the output stays open, by the fact that it holds the output. One kind
 * escapes: a daemon that leaves its session, wipes its environment, closes its output and loses its parents within a second. Only
 * a pid namespace (the sandbox) ends that one. macOS has no /proc: only the process group is killed there.
 *
 * Programs that run at the same time need different markers, because the end of one kills all processes with its marker. A marker
 * in use is refused (failed-to-start).
 */
export function createExecutor({ masker }: ExecutorOptions = {}): Executor {
  const read = createProcessTable();
  const workshop: Workshop = { read, watch: createProcessTreeWatch(read), masker };
  const markers = new Set<string>();
  return {
    async run(request) {
      const begun = performance.now();
      if (request.signal.aborted) return unstarted("aborted", begun);
      if (markers.has(request.marker)) {
        return unstarted("failed-to-start", begun, `the marker ${request.marker} belongs to a program that still runs`);
      }
      markers.add(request.marker);
      try {
        return await runOne(request, workshop, begun);
      } finally {
        markers.delete(request.marker);
      }
    },
    async killStrays({ processes, markers: carried }) {
      const mains = processes.filter((process) => isAlive(process));
      if (mains.length === 0 && carried.length === 0) return 0;
      return (await sweep({ mains, seen: new Map(), markers: new Set(carried), notBefore: 0 }, read)).killed;
    },
  };
}

async function runOne(request: ExecRequest, workshop: Workshop, begun: number): Promise<ExecResult> {
  const ending: Ending = { cause: undefined, defect: undefined };
  const lifetime = new AbortController();
  let stop: (cause: ExecEnding) => void = () => undefined;
  const onDefect = (error: unknown) => {
    ending.defect ??= { error };
    stop("aborted");
  };
  const output = createOutput(request, onDefect, workshop.masker);
  const log = await openLogFile(request.logFile, () => output.resume());
  try {
    if (request.signal.aborted) return unstarted("aborted", begun);
    const started = await start(request);
    if (!started.ok)
      return { ...unstarted("failed-to-start", begun, started.message), ...(started.isMachine && { isMachine: true }) };
    const { child, main, outputs } = started;
    using family = workshop.watch(main);
    const exit = awaitExit(child, ending, lifetime);
    output.attach(child, log);
    stop = stopper({ child, family, ending, lifetime: lifetime.signal });
    armLimits(request, output, lifetime.signal, stop);
    callOnStart(request, main, ending, stop);
    const { exitCode, signal } = await exit;
    const prey = { mains: [main], seen: family.seen, markers: new Set([request.marker]), notBefore: Number(main.startTime) };
    const swept = await sweep(prey, workshop.read);
    const drained = await drain(child, () => sweep({ ...prey, outputs }, workshop.read));
    output.end();
    await log.close();
    if (ending.defect !== undefined) throw ending.defect.error;
    const tail = output.tail() + problemLines(log, family, swept, drained);
    return { ending: ending.cause ?? "exited", exitCode, signal, tail, durationMs: performance.now() - begun };
  } finally {
    lifetime.abort();
    await log.close();
  }
}

/** Own group and session, nothing inherited, nothing kept in memory. */
function launch(request: ExecRequest, program: string) {
  const start = (files: readonly number[]) =>
    execa(program, request.argv.slice(1), {
      cwd: request.cwd,
      // Node passes NODE_V8_COVERAGE to every child unless the name is set; an undefined value is not passed.
      env: { ...request.env, [FENCE_VARIABLE]: request.marker, NODE_V8_COVERAGE: request.env["NODE_V8_COVERAGE"] },
      extendEnv: false,
      // execa's types know descriptors with one digit only.
      stdio: ["ignore", "pipe", "pipe", ...(files as readonly 3[])],
      encoding: "buffer",
      buffer: false,
      reject: false,
      killDescendants: true,
      // execa would send it as long as an output stream is open, even after the group's number became free.
      forceKillAfterDelay: false,
    });
  return withFiles(request.files ?? [], start);
}

type Started =
  | {
      readonly ok: true;
      readonly child: Child & { readonly stdout: Readable; readonly stderr: Readable };
      readonly main: ProcessId;
      /** The pipes or sockets behind its stdout and stderr. */
      readonly outputs: ReadonlySet<string | undefined>;
    }
  | { readonly ok: false; readonly message: string; readonly isMachine?: boolean };

/** Synchronous up to the point where the child runs: its exit cannot be missed. */
async function start(request: ExecRequest): Promise<Started> {
  let child: Child;
  const failed = async (error: unknown) =>
    ({ ok: false, message: await startFailure(request, error), isMachine: isMachineFault(error) }) as const;
  try {
    child = launch(request, request.argv[0] ?? "");
  } catch (error) {
    return failed(error);
  }
  if (child.pid === undefined) return failed(await child);
  const main = processId(child.pid);
  if (main !== undefined) return { ok: true, child, main, outputs: outputLinks(main.pid) };
  killGroup(child.pid);
  await child;
  return { ok: false, message: "its start time could not be read, so it could not be watched (is /proc mounted?)" };
}

/** Settles when the program itself has ended; by then its group has been sent SIGKILL and no limit can fire any more. */
function awaitExit(child: Child, ending: Ending, lifetime: AbortController): Promise<Exit> {
  return new Promise((resolve) => {
    child.nodeChildProcess.once("exit", (exitCode, signal) => {
      ending.cause ??= "exited";
      lifetime.abort();
      if (child.pid !== undefined) killGroup(child.pid);
      resolve({ exitCode, signal });
    });
  });
}

/** Ends the program for the first cause given: records descendants, then sends SIGTERM, then SIGKILL. */
function stopper(options: {
  child: Child;
  family: ProcessTreeWatch;
  ending: Ending;
  lifetime: AbortSignal;
}): (cause: ExecEnding) => void {
  return (cause) => {
    if (options.ending.cause !== undefined) return;
    options.ending.cause = cause;
    void options.family.look().then(() => {
      if (options.lifetime.aborted) return;
      options.child.kill("SIGTERM");
      during(
        options.lifetime,
        afterRunning(KILL_AFTER_MS, () => options.child.kill("SIGKILL")),
      );
    });
  };
}

function armLimits(request: ExecRequest, output: Output, lifetime: AbortSignal, stop: (cause: ExecEnding) => void): void {
  const { timeoutMs, silenceMs, signal } = request;
  // Not by addEventListener's own `signal` option: Node holds its remover weakly (one per target), so that with many
  // runs on one signal a garbage collection leaves listeners behind.
  const onAbort = () => stop("aborted");
  signal.addEventListener("abort", onAbort, { once: true });
  lifetime.addEventListener("abort", () => signal.removeEventListener("abort", onAbort), { once: true });
  if (signal.aborted) stop("aborted");
  during(
    lifetime,
    afterRunning(timeoutMs, () => stop("out-of-time")),
  );
  if (silenceMs === undefined) return;
  during(
    lifetime,
    whenOver(
      () => output.lastByteAt() + silenceMs - ranMs(),
      () => stop("silent"),
    ),
  );
}

/** Cancels a timer at the end of a program's life. */
function during(lifetime: AbortSignal, cancel: () => void): void {
  if (lifetime.aborted) cancel();
  else lifetime.addEventListener("abort", cancel, { once: true });
}

function callOnStart(request: ExecRequest, main: ProcessId, ending: Ending, stop: (cause: ExecEnding) => void): void {
  try {
    request.onStart?.(main);
  } catch (error) {
    ending.defect ??= { error };
    stop("aborted");
  }
}

/** Reads the rest of the pipes. False if a process that cannot be found or killed still holds one open. */
async function drain(child: Child, killHolders: () => Promise<Swept>): Promise<boolean> {
  if (await isFulfilledWithin(child, HOLDER_AFTER_MS)) return true;
  await killHolders();
  if (await isFulfilledWithin(child, DRAIN_MS)) return true;
  child.stdout.destroy();
  child.stderr.destroy();
  await child;
  return false;
}

/** Problems around the program, as lines at the end of its tail. */
function problemLines(log: LogFile, family: ProcessTreeWatch, swept: Swept, drained: boolean): string {
  const marks = [
    log.problem(),
    family.trouble(),
    swept.survivors.length > 0 ? `processes ${swept.survivors.join(", ")} could not be killed` : undefined,
    drained ? undefined : "its output was still held open when everything that was found was dead",
  ];
  return marks.flatMap((mark) => (mark === undefined ? [] : [`\n[loopdash: ${mark}]`])).join("");
}

function unstarted(ending: "aborted" | "failed-to-start", begun: number, message?: string): ExecResult {
  return { ending, exitCode: null, signal: null, tail: "", message, durationMs: performance.now() - begun };
}
