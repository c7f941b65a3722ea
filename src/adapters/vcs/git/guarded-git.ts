import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shellWord } from "@loopdash/values";
import type { Confined } from "../../../ports/executor.ts";
import { afterRunning } from "../../executor/run-time.ts";
import type { CaptureBounds } from "../capture/capture-bounds.ts";
import { exists } from "../repository/locate.ts";
import type { Store } from "../repository/store.ts";
import { type GitCall, GitFailure, type GitResult, gitEnvironment, type Setting } from "./git-call.ts";

/** By default, git maps packs as a whole; a large repository would exceed the address limit. */
const FRUGAL: readonly Setting[] = [
  ["core.packedGitWindowSize", "64m"],
  ["core.packedGitLimit", "768m"],
  ["core.deltaBaseCacheLimit", "96m"],
  ["pack.windowMemory", "256m"],
  ["pack.threads", "2"],
];

/** Paths that the processes of a capture may reach beside the repository's objects. */
interface Reach {
  readonly read: readonly string[];
  readonly write: readonly [string, ...string[]];
}

/** The text of a shell's script, and its arguments. */
export interface Script {
  readonly text: string;
  readonly args: readonly string[];
}

/** Starts the processes of one capture. All of them end when its time is up or the attempt is cancelled. */
export interface GuardedGit {
  readonly bounds: CaptureBounds;
  /** Runs git, or a script with git's environment. If a bound kills a process, the error names the bound. */
  run(call: GitCall, script?: Script): Promise<GitResult>;
  /** Throws if the time is up or the attempt is cancelled. */
  check(): void;
  close(): Promise<void>;
}

/**
 * With `reach`, all processes run in one shell, one after another, and that in the sandbox of the run, if it has one. Without it, each
 * is started alone and without a sandbox: for processes that read nothing but captured objects. `timeoutMs`: the rest of the
 * attempt's time.
 */
export function guardedGit(
  store: Store,
  options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined; readonly reach?: Reach },
): GuardedGit {
  const { signal, timeoutMs, reach } = options;
  const bounds = store.captureBounds;
  const ms = Math.min(bounds.ms, timeoutMs ?? bounds.ms);
  const cut = new AbortController();
  const end = (why: string) => () => cut.abort(new Error(why));
  const stopTimer = afterRunning(ms, end(`it took longer than ${Math.ceil(ms / 1000)} s`));
  let grace: NodeJS.Timeout | undefined;
  const calledOff = (): void => {
    grace = setTimeout(end("it was cancelled"), bounds.graceMs);
  };
  if (signal?.aborted === true) calledOff();
  else signal?.addEventListener("abort", calledOff, { once: true });
  const check = (): void => {
    if (cut.signal.aborted) throw cut.signal.reason;
  };
  const shell = reach === undefined ? undefined : guardedShell(store, reach);
  const start = shell?.run ?? ((call, script) => runAlone(store, call, script, cut.signal));
  return {
    bounds,
    check,
    run: async (call, script) => {
      check();
      const frugal = toFrugal(call);
      const result = await start(frugal, script, cut.signal);
      check();
      refuseKilled(frugal, script, result, bounds);
      return result;
    },
    close: async () => {
      // One of several processes may have failed before the others.
      cut.abort(new Error("it is over"));
      stopTimer();
      clearTimeout(grace);
      signal?.removeEventListener("abort", calledOff);
      await shell?.close();
    },
  };
}

/** Runs a guarded process that must succeed; returns its stdout. */
export async function mustGuarded(guard: GuardedGit, ...options: Parameters<GuardedGit["run"]>): Promise<string> {
  const result = await guard.run(...options);
  if (result.status !== 0) throw new GitFailure(options[0].args, result);
  return result.stdout;
}

function toFrugal(call: GitCall): GitCall {
  return { ...call, config: [...(call.config ?? []), ...FRUGAL] };
}

type Run = (call: GitCall, script: Script | undefined, signal: AbortSignal) => Promise<GitResult>;

function runAlone(store: Store, call: GitCall, script: Script | undefined, signal: AbortSignal): Promise<GitResult> {
  return store.start(boundedCall(store, call, script), signal);
}

/** A call within the bounds of a capture, without a sandbox. */
function boundedCall(store: Store, call: GitCall, script?: Script): GitCall {
  const argv = ["/bin/sh", "-c", commandText(store, { call, script })];
  return { ...call, bounded: { argv, cwd: store.scratch, env: gitEnvironment(call) } };
}

/** Asks a session within the bounds of a capture: for what reads nothing but captured objects. Status null: it cannot tell. */
export function askBounded(store: Store, call: GitCall): Promise<GitResult> {
  return store.start(boundedCall(store, toFrugal(call)));
}

/** A shell that runs all commands of one capture. It starts with the first one. */
function guardedShell(store: Store, reach: Reach): { readonly run: Run; readonly close: () => Promise<void> } {
  const shell = randomUUID();
  const inputs = join(store.scratch, `inputs-${shell}`);
  const common = gitEnvironment(toFrugal(store.contentCall([])));
  let begun: Promise<Confined> | undefined;
  const begin = (): Promise<Confined> => {
    begun ??= startShell(store, { reach, inputs, env: common });
    return begun;
  };
  const tell = async (more: Pick<GitCall, "input" | "onOutput">, signal?: AbortSignal): Promise<GitResult> => {
    const { settle: _, ...bounded } = await begin();
    return store.start({ ...more, args: [], gitDir: "/", bounded: { ...bounded, shell } }, signal);
  };
  return {
    run: async (call, script, signal) => {
      // From a file that nothing in the sandbox can write: a shell's text holds no zero byte.
      const input = call.input === undefined ? undefined : join(inputs, randomUUID());
      await begin();
      if (input !== undefined) await writeFile(input, call.input ?? "");
      try {
        const text = commandText(store, { call, script, input, common });
        return await tell({ input: text, onOutput: call.onOutput }, signal);
      } finally {
        if (input !== undefined) await rm(input, { force: true });
      }
    },
    close: async () => {
      if (begun === undefined) return;
      const { settle } = await begun;
      await tell({});
      await settle();
      await rm(inputs, { recursive: true, force: true });
    },
  };
}

async function startShell(
  store: Store,
  { reach, inputs, env }: { readonly reach: Reach; readonly inputs: string; readonly env: Readonly<Record<string, string>> },
): Promise<Confined> {
  await mkdir(inputs, { mode: 0o700 });
  const open = { argv: ["/bin/sh", "-s"], cwd: store.scratch, env, settle: async () => ({ reported: true, empty: true }) };
  if (store.sandbox === undefined) return open;
  const { memoryBytes, cpuSeconds, fileBytes } = store.captureBounds;
  const read = [...(await ownReads(store)), ...reach.read, inputs];
  const limits = { memoryBytes, cpuSeconds, fileBytes };
  const { argv } = open;
  return store.sandbox.confine({ argv, env, cwd: reach.write[0] }, { write: reach.write, read, mounts: [], sockets: [], limits });
}

/** Shell text that becomes git, or runs a script, within the bounds of a capture and with an environment other than the shell's. */
function commandText(
  store: Store,
  {
    call,
    script,
    input,
    common,
  }: { call: GitCall; script: Script | undefined; input?: string | undefined; common?: Record<string, string> },
): string {
  const env = gitEnvironment(call);
  const own = common === undefined ? [] : Object.entries(env).filter(([name, value]) => common[name] !== value);
  const gone = Object.keys(common ?? {}).filter((name) => env[name] === undefined);
  return [
    ...limits(store.captureBounds),
    ...own.map(([name, value]) => `export ${name}=${shellWord(value)}`),
    ...gone.map((name) => `unset ${name}`),
    ...(input === undefined ? [] : [`exec <${shellWord(input)}`]),
    ...(script === undefined
      ? [`exec git ${call.args.map(shellWord).join(" ")}`]
      : [`set -- ${script.args.map(shellWord).join(" ")}`, script.text]),
  ].join("\n");
}

/** Units of `ulimit` (POSIX): blocks of 512 bytes. Addresses are not in POSIX; every shell of Linux counts them in KiB. */
function limits({ memoryBytes, cpuSeconds, fileBytes }: CaptureBounds): string[] {
  if (process.platform !== "linux") return [];
  const wanted = [`-v ${Math.floor(memoryBytes / 1024)}`, `-t ${cpuSeconds}`, `-f ${Math.floor(fileBytes / 512)}`];
  // Fails where the limit is lower already.
  return wanted.map((limit) => `ulimit ${limit} 2>/dev/null || :`);
}

/** Folders that every git in this repository reads: its objects, borrowed ones, and its own lists. */
async function ownReads({ at, scratch }: Store): Promise<string[]> {
  const lists = ["exclude", "attributes"].map((name) => join(at.commonDir, "info", name));
  const may = [...lists, ...(at.shallow === undefined ? [] : [at.shallow])];
  const there = await Promise.all(may.map(exists));
  return [join(scratch, "git"), at.objects, ...at.borrowed.map(({ folder }) => folder), ...may.filter((_, i) => there[i])];
}

/**
 * A shell and bwrap report 128 + n if signal n ended a program. 9 is the kernel's signal at a limit; 24 and 25 are SIGXCPU and
 * SIGXFSZ.
 */
const AT_A_LIMIT: readonly (number | null)[] = [null, 137, 152, 153];

function refuseKilled(
  call: GitCall,
  script: Script | undefined,
  result: GitResult,
  { cpuSeconds, memoryBytes }: CaptureBounds,
): void {
  if (result.stopped || !AT_A_LIMIT.includes(result.status)) return;
  const what = script === undefined ? `git ${call.args[0] ?? ""}` : "git";
  const bounds = `${cpuSeconds} s of processor time and ${(memoryBytes / 2 ** 30).toFixed(1)} GiB of memory`;
  throw new Error(`${what} was ended at its limits (${bounds})`);
}
