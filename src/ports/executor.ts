import type { BlockedConnection, HostSpec, ModelUpstream } from "@loopdash/model-gateway";

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

/**
 * The paths, sockets and hosts that a confined process may reach. All paths are absolute and normal (no `.`, `..` or doubled
 * slash) and exist; links in them are followed before the start. Everything else is read-only or hidden.
 *
 * If several entries name the same place, or one lies within another, the innermost counts. For the very same place a socket
 * beats a mount, a mount beats `read`, and `read` beats `write`.
 */
export interface Confinement {
  /** Writable folders and files. A folder that contains something hidden (a home, the state folder) is refused. */
  readonly write: readonly string[];
  /** Readable folders and files in hidden surroundings, and read-only ones within `write`. */
  readonly read: readonly string[];
  /**
   * Entries of `read` in which somebody outside may change something meanwhile. The process sees a change within a second if it
   * looks again.
   */
  readonly live?: readonly string[];
  /** Another folder or file in the place of one: the process sees `from` at `at`, which need not exist. */
  readonly mounts: readonly Mount[];
  /** Unix sockets that lead outside. Every other way out is closed. */
  readonly sockets: readonly string[];
  /** Reachable hosts. The caller that starts the process opens a gateway to them, and adds its socket. */
  readonly hosts?: readonly HostSpec[];
  /** The key of these hosts in the batch, for messages. */
  readonly hostsFor?: string;
  /** Folders with a writable layer that leaves them unchanged. Only if `Sandbox.layers` is true. */
  readonly layers?: readonly Layer[];
  /** Set for a program that judges: no process in it may trace another one, or read or write its memory. */
  readonly isJudge?: boolean;
  /** Bounds of each process in it, beside those of every confined process. */
  readonly limits?: ProcessLimits;
}

/**
 * A folder with a writable layer over it (overlayfs). The process sees `from` at `at` and may write there. `upper` records
 * everything that it writes, renames or removes; `from` never changes. The process cannot take a record back: a file that was
 * replaced and restored still has an entry in `upper`.
 */
export interface Layer {
  /** The folder outside that is shown. Its files must belong to the user and group that loopdash runs as. */
  readonly from: string;
  /** Its path inside; need not exist outside. */
  readonly at: string;
  /** An empty folder outside that takes the written files. `from`, `upper` and `work` lie in one folder. */
  readonly upper: string;
  /** An empty folder outside for the kernel's own use. */
  readonly work: string;
}

/** A folder or file outside, and where a process sees it. */
export interface Mount {
  readonly from: string;
  readonly at: string;
  readonly write: boolean;
  /** Set for the private git folder of a worktree. */
  readonly isGit?: true;
}

/** Limits of a single process (setrlimit(2)). If a process exceeds one, a signal ends it, or its call fails. */
export interface ProcessLimits {
  /** Address space, bytes (RLIMIT_AS). Not for programs that reserve more than they use, such as Node. */
  readonly memoryBytes?: number;
  /** Processor time, seconds (RLIMIT_CPU). */
  readonly cpuSeconds?: number;
  /** Size of the largest file that it can write, bytes (RLIMIT_FSIZE). */
  readonly fileBytes?: number;
}

/**
 * A program to start. `cwd`, and a program named by its path, are paths outside. If a mount or a layer of the confinement shows
 * their folder at another place, the process starts at that place.
 */
export interface Launch {
  /** Program and arguments; no shell. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** A launch that starts another one confined. It can be used once. */
export interface Confined extends Launch {
  /** Paths of files that the process is given open as its files 3, 4 and so on: the first one to write, the others to read. */
  readonly files?: readonly string[];
  /**
   * Call it once, after the process has ended or failed to start. It waits until nothing lives in the sandbox any more, and gives
   * the sandbox's knowledge of the end. Does not throw.
   */
  settle(): Promise<SandboxEnd>;
}

/** The sandbox's knowledge of an end. */
export interface SandboxEnd {
  /** True if the program began and ended by itself. False if it never began, or the sandbox was killed. */
  readonly reported: boolean;
  /** False if something in it was seen to live on. macOS does not show the processes of a sandbox, so it says nothing there. */
  readonly empty: boolean;
}

/** The reason why a launch cannot be confined, in words for people. */
export class ConfinementRefused extends Error {
  override readonly name = "ConfinementRefused";
}

/** Confines processes: file system, other processes, network. */
export interface Sandbox {
  readonly kind: "bubblewrap" | "seatbelt";
  /** True if a confinement can have `layers`: this kernel lets the user lay one folder over another. */
  readonly layers: boolean;
  /**
   * The program that starts `launch` confined. Killing it ends everything that was started in it, and it dies with the process
   * that started it. Both hold on Linux only; elsewhere its process group can be killed. Throws ConfinementRefused if the
   * confinement is impossible.
   */
  confine(launch: Launch, confinement: Confinement): Promise<Confined>;
}
