import type { BlockedConnection } from "../domain/run/blocked-fact.ts";
import type { ModelUpstream } from "./gateway.ts";
import type { Confinement } from "./sandbox.ts";

/** The identity of a process beyond its pid: the pid may be reused, the start time is not. */
export interface ProcessId {
  readonly pid: number;
  /** The kernel's start time of the process (Linux: field 22 of /proc/pid/stat, in clock ticks since boot). */
  readonly startTime: string;
}

/**
 * The reason why a process ended. The first cause wins. `over-quota`: it wrote more than it may. `blocked`: the sandbox blocked
 * each of its connections (see ExecRequest.endIfBlocked). For both, `message` gives the details.
 */
export type ExecEnding = "exited" | "silent" | "out-of-time" | "aborted" | "failed-to-start" | "over-quota" | "blocked";

export interface ExecRequest {
  /** Program and arguments; no shell. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** See `Confined.files`. */
  readonly files?: readonly string[];
  /** The file that gets all output of the process, stdout and stderr as they come. It is bounded, with a mark at the cut. */
  readonly logFile: string;
  readonly timeoutMs: number;
  /** Ends the process if it printed nothing for this long. */
  readonly silenceMs?: number;
  readonly signal: AbortSignal;
  /**
   * A value put into the environment as LOOPDASH_FENCE. Every descendant can be found by it, even one that left the process
   * group.
   */
  readonly marker: string;
  /** The confinement, if there is a sandbox. Without one, the program has the rights of the user who runs loopdash. */
  readonly confinement?: Confinement;
  readonly onStart?: (process: ProcessId) => void;
  /** Each line of stdout or stderr, raw: not yet safe for a terminal. Lines are cut at `lineChars`. */
  readonly onLine?: (line: string, stream: "stdout" | "stderr") => void;
  /** Characters (UTF-16 units) of the longest line; default 4,096. A cut line ends with " […]". */
  readonly lineChars?: number;
  /** A model's API that the program may use, through a gateway of its own. */
  readonly model?: ModelAccess;
  /** The abstract socket, "@name", at which the program's gateway serves the guard to its hooks; only in a sandbox with a network of its own. */
  readonly guardSocket?: string;
  /** Called for the first blocked connection to each host and port. */
  readonly onBlocked?: (blocked: BlockedConnection) => void;
  /** Ends the program some seconds after its first blocked connection if none of its connections was let through by then. */
  readonly endIfBlocked?: boolean;
}

export interface ExecResult {
  readonly ending: ExecEnding;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 64 KiB of output, stdout and stderr together, as text; raw. */
  readonly tail: string;
  /** The reason why it did not start, or the details of an exceeded quota. */
  readonly message?: string;
  /** Set if it did not start because the machine has no process, file or memory left for it, whatever the program. */
  readonly isMachine?: true;
  readonly durationMs: number;
  /** Its blocked connections; absent if there were none. */
  readonly blocked?: readonly BlockedConnection[];
  /** The hosts that refused the secret of a header, each with its answer, as one line; absent if none did. */
  readonly refusedSecrets?: readonly string[];
  /** Its use of the model; absent if it had none. */
  readonly model?: ModelSpend;
}

/** A model's API for one program, and the variables by which the program finds it. */
export interface ModelAccess {
  readonly upstream: ModelUpstream;
  /** Variables that get the gateway's address, each followed by its path (`/v1`, or nothing). */
  readonly baseUrls: readonly { readonly name: string; readonly path: string }[];
}

/** A program's use of a model, as its gateway counted it. */
export interface ModelSpend {
  /** Dollars that count: the cost of its answers, and the reserved amount for each answer without a known price. */
  readonly usd: number;
  readonly requests: number;
  /** The reason why its line was cut; absent if it was not. */
  readonly cut?: string;
}

/** Runs programs, each in its own process group. Everything that they started is dead when the promise settles. */
export interface Executor {
  /** Never throws for a failure of the process; the result contains it. */
  run(request: ExecRequest): Promise<ExecResult>;
  /**
   * Kills processes that an earlier engine left running: by marker, and by process id if it is still the same process. Returns
   * their number.
   */
  killStrays(options: { readonly processes: readonly ProcessId[]; readonly markers: readonly string[] }): Promise<number>;
}
