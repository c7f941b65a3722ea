/**
 * What a confined process may reach. All paths are absolute and normal (no `.`, `..` or doubled slash) and exist; links in
 * them are followed before the start. What is not named is read-only or not there at all.
 *
 * Where several name the same place or one lies within another, the innermost counts; for the very same place a socket
 * beats a mount, a mount beats `read`, and `read` beats `write`.
 */
export interface Confinement {
  /** Folders and files that it may write. A folder that holds something hidden (a home, the state folder) is refused. */
  readonly write: readonly string[];
  /** Folders and files that it may read though what surrounds them is hidden; also what lies read-only within `write`. */
  readonly read: readonly string[];
  /** Those of `read` in which somebody outside may change something meanwhile: it is seen within a second, by who looks again. */
  readonly live?: readonly string[];
  /** Another folder or file in the place of one: the process sees `from` at `at`, which need not exist. */
  readonly mounts: readonly { readonly from: string; readonly at: string; readonly write: boolean }[];
  /** Unix sockets by which it reaches somebody outside; every other way out is closed. */
  readonly sockets: readonly string[];
  /** Hosts that it may reach, `name` or `name:port`. Whoever starts it opens a gateway to them, and adds its socket. */
  readonly hosts?: readonly string[];
  /** Folders that it may write although nothing of that reaches them. Only where `Sandbox.layers` is true. */
  readonly layers?: readonly Layer[];
  /** Bounds of each process in it, beside those that every confined process has. */
  readonly limits?: ProcessLimits;
}

/**
 * A folder with a writable layer over it (overlayfs). The process sees `from` at `at` and may write there. Everything that it
 * writes, renames or removes is recorded in `upper`; `from` never changes. The process cannot take a record back: a file that
 * was replaced and put back has an entry in `upper` still.
 */
export interface Layer {
  /** The folder outside that is shown. Files in it must belong to the user and group that loopdash runs as. */
  readonly from: string;
  /** Where it is shown; need not exist outside. */
  readonly at: string;
  /** An empty folder outside that takes what is written. `from`, `upper` and `work` lie in one folder. */
  readonly upper: string;
  /** An empty folder outside for the kernel's own use. */
  readonly work: string;
}

/** Limits of a single process (setrlimit(2)). A process that passes one is ended by a signal, or its call fails. */
export interface ProcessLimits {
  /** Address space, bytes (RLIMIT_AS). Not for programs that reserve more than they use, such as Node. */
  readonly memoryBytes?: number;
  /** Processor time, seconds (RLIMIT_CPU). */
  readonly cpuSeconds?: number;
  /** The largest file that it can write, bytes (RLIMIT_FSIZE). */
  readonly fileBytes?: number;
}

/**
 * A program as it is to be started. `cwd`, and a program named by its path, are paths outside. Where a mount or a layer of the
 * confinement shows the folder that they lie in at another place, the process starts at that place.
 */
export interface Launch {
  /** Program and arguments; no shell. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** A launch that starts another one confined. It is good for one start. */
export interface Confined extends Launch {
  /**
   * To be called once, when what was started has ended or did not start: waits until nothing lives in the sandbox any
   * more, and tells what the sandbox knows of the end. Does not throw.
   */
  settle(): Promise<SandboxEnd>;
}

/** What the sandbox knows of an end. */
export interface SandboxEnd {
  /** The program began and ended by itself. False where it never began, and where the sandbox was killed. */
  readonly reported: boolean;
  /** False where something in it was seen to live on. macOS shows nobody what runs in a sandbox: there it says nothing. */
  readonly empty: boolean;
}

/** Why a launch cannot be confined, in words for people. */
export class ConfinementRefused extends Error {
  override readonly name = "ConfinementRefused";
}

/** Confines processes: file system, other processes, network. */
export interface Sandbox {
  readonly kind: "bubblewrap" | "seatbelt";
  /** Whether a confinement can have `layers`: this kernel lets the user lay one folder over another. */
  readonly layers: boolean;
  /**
   * The program that starts `launch` confined. Whoever kills it ends everything that was started in it, and it dies with
   * the process that started it; both on Linux only, elsewhere its process group is what can be killed. Throws ConfinementRefused where the confinement cannot be kept.
   */
  confine(launch: Launch, confinement: Confinement): Promise<Confined>;
}
