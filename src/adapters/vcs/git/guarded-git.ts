import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Confined } from "../../../ports/sandbox.ts";
import type { CaptureBounds } from "../capture/capture-bounds.ts";
import { exists } from "../repository/locate.ts";
import type { Store } from "../repository/store.ts";
import { type BoundedStart, type GitCall, GitFailure, type GitResult, gitEnvironment, type Setting } from "./git-call.ts";

/** By default, git maps packs as a whole; a large repository would exceed the address limit. */
const FRUGAL: readonly Setting[] = [
  ["core.packedGitWindowSize", "64m"],
  ["core.packedGitLimit", "768m"],
  ["core.deltaBaseCacheLimit", "96m"],
  ["pack.windowMemory", "256m"],
  ["pack.threads", "2"],
];

/** Paths that a guarded process may reach beside the repository's objects. */
export interface Reach {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}

/** Starts the processes of one capture. All of them end when its time is up or the attempt is cancelled. */
export interface GuardedGit {
  readonly bounds: CaptureBounds;
  /**
   * Runs git, or `argv` with git's environment. If a bound kills a process, the error names the bound. Without `reach` there is
   * no sandbox: for processes that read nothing but captured objects.
   */
  run(call: GitCall, reach?: Reach, argv?: readonly string[]): Promise<GitResult>;
  /** Throws if the time is up or the attempt is cancelled. */
  check(): void;
  close(): void;
}

/** `confined`: in the sandbox of the run, if it has one. `timeoutMs`: the rest of the attempt's time. */
export function guardedGit(
  store: Store,
  { timeoutMs, signal }: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined },
): GuardedGit {
  const bounds = store.captureBounds;
  const ms = Math.min(bounds.ms, timeoutMs ?? bounds.ms);
  const cut = new AbortController();
  const end = (why: string) => () => cut.abort(new Error(why));
  const timer = setTimeout(end(`it took longer than ${Math.ceil(ms / 1000)} s`), ms);
  let grace: NodeJS.Timeout | undefined;
  const calledOff = (): void => {
    grace = setTimeout(end("it was cancelled"), bounds.graceMs);
  };
  if (signal?.aborted === true) calledOff();
  else signal?.addEventListener("abort", calledOff, { once: true });
  const check = (): void => {
    if (cut.signal.aborted) throw cut.signal.reason;
  };
  return {
    bounds,
    check,
    run: async (call, reach, argv = ["git", ...call.args]) => {
      check();
      const frugal: GitCall = { ...call, config: [...(call.config ?? []), ...FRUGAL] };
      const result = await start(store, { argv, cwd: store.scratch, env: gitEnvironment(frugal) }, { call: frugal, reach, cut });
      check();
      refuseKilled(argv, result, bounds);
      return result;
    },
    close: () => {
      // One of several parallel processes may have failed before the others.
      cut.abort(new Error("it is over"));
      clearTimeout(timer);
      clearTimeout(grace);
      signal?.removeEventListener("abort", calledOff);
    },
  };
}

/** Runs a guarded process that must succeed; returns its stdout. */
export async function mustGuarded(guard: GuardedGit, ...options: Parameters<GuardedGit["run"]>): Promise<string> {
  const result = await guard.run(...options);
  if (result.status !== 0) throw new GitFailure(options[0].args, result);
  return result.stdout;
}

async function start(
  store: Store,
  launch: BoundedStart,
  options: { readonly call: GitCall; readonly reach: Reach | undefined; readonly cut: AbortController },
): Promise<GitResult> {
  const { call, cut } = options;
  if (store.sandbox === undefined || options.reach === undefined) {
    const bounded = { ...launch, argv: [...limited(store.captureBounds), ...launch.argv] };
    return store.start({ ...call, bounded }, cut.signal);
  }
  const { memoryBytes, cpuSeconds, fileBytes } = store.captureBounds;
  const { write = [], read = [] } = options.reach;
  const confinement = { write: [...write], read: [...(await ownReads(store)), ...read], mounts: [], sockets: [] };
  const cwd = write[0] ?? join(store.scratch, "git");
  const limits = { memoryBytes, cpuSeconds, fileBytes };
  const confined: Confined = await store.sandbox.confine({ ...launch, cwd }, { ...confinement, limits });
  try {
    const { argv, env } = confined;
    return await store.start({ ...call, bounded: { argv, env, cwd: confined.cwd } }, cut.signal);
  } finally {
    await confined.settle();
  }
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

function refuseKilled(argv: readonly string[], result: GitResult, { cpuSeconds, memoryBytes }: CaptureBounds): void {
  if (result.stopped || !AT_A_LIMIT.includes(result.status)) return;
  const what = argv[0] === "git" ? argv.slice(0, 2).join(" ") : "git";
  const bounds = `${cpuSeconds} s of processor time and ${(memoryBytes / 2 ** 30).toFixed(1)} GiB of memory`;
  throw new Error(`${what} was ended at its limits (${bounds})`);
}

const PRLIMIT = "/usr/bin/prlimit";
let hardLimits: string | undefined;

/** The command that bounds a process without a sandbox; empty if the system has no such program. */
function limited({ memoryBytes, cpuSeconds, fileBytes }: CaptureBounds): string[] {
  hardLimits ??= existsSync(PRLIMIT) ? readFileSync("/proc/self/limits", "latin1") : "";
  if (hardLimits === "") return [];
  const limit = (option: string, name: string, wanted: number): string => {
    const hard = new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, "m").exec(hardLimits ?? "")?.[1];
    const value = Math.min(wanted, hard === undefined ? wanted : Number(hard));
    return `--${option}=${value}:${value}`;
  };
  return [
    PRLIMIT,
    limit("as", "Max address space", memoryBytes),
    limit("cpu", "Max cpu time", cpuSeconds),
    limit("fsize", "Max file size", fileBytes),
    "--",
  ];
}
