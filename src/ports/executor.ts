import type { ModelUpstream } from "./gateway.ts";
import type { Confinement } from "./sandbox.ts";

/** What a process is, beyond its pid: the pid may be reused, the start time is not. */
export interface ProcessId {
  readonly pid: number;
  /** The kernel's start time of the process (Linux: field 22 of /proc/pid/stat, in clock ticks since boot). */
  readonly startTime: string;
}

/** Why a process ended. First cause wins. `over-quota`: it wrote more than it may, `message` says what. */
export type ExecEnding = "exited" | "silent" | "out-of-time" | "aborted" | "failed-to-start" | "over-quota";

export interface ExecRequest {
  /** Program and arguments; no shell. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Everything the process prints, stdout and stderr as they come; bounded, with a mark where it was cut. */
  readonly logFile: string;
  readonly timeoutMs: number;
  /** Ends the process when it printed nothing for this long. */
  readonly silenceMs?: number;
  readonly signal: AbortSignal;
  /**
   * A value put into the environment as LOOPDASH_FENCE, by which every descendant can be found,
   * even one that left the process group.
   */
  readonly marker: string;
  /** Runs it in the sandbox, where there is one. Without it a program has the rights of whoever runs loopdash. */
  readonly confinement?: Confinement;
  readonly onStart?: (process: ProcessId) => void;
  /** Each line of stdout or stderr, raw: not yet safe for a terminal. Lines are cut at `lineChars`. */
  readonly onLine?: (line: string, stream: "stdout" | "stderr") => void;
  /** Characters (UTF-16 units) of the longest line; default 4,096. What is cut ends with " […]". */
  readonly lineChars?: number;
  /** A model's API that the program may use. It gets to it through a gateway of its own. */
  readonly model?: ModelAccess;
}

export interface ExecResult {
  readonly ending: ExecEnding;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 64 KiB of output, stdout and stderr together, as text; raw. */
  readonly tail: string;
  /** Why it did not start, where it did not; what it wrote too much of, where that ended it. */
  readonly message?: string;
  readonly durationMs: number;
  /** What it used of the model; absent where it had none. */
  readonly model?: ModelSpend;
}

/** A model's API for one program, and how that finds it. */
export interface ModelAccess {
  readonly upstream: ModelUpstream;
  /** Variables that get the gateway's address, each with a path put behind it (`/v1`, or nothing). */
  readonly baseUrls: readonly { readonly name: string; readonly path: string }[];
}

/** What a program used of a model, as its gateway counted. */
export interface ModelSpend {
  /** Dollars that count: what its answers cost, and for each without a known price what was set aside for it. */
  readonly usd: number;
  readonly requests: number;
  /** Why its line was cut; absent where it was not. */
  readonly cut?: string;
}

/** Runs programs: own process group, everything they started is dead when the promise settles. */
export interface Executor {
  /** Never throws for what the program does; the result says it. */
  run(request: ExecRequest): Promise<ExecResult>;
  /** Kills what an earlier engine left running: by process id where it still is that process, and by marker. Returns how many. */
  killStrays(options: { readonly processes: readonly ProcessId[]; readonly markers: readonly string[] }): Promise<number>;
}
