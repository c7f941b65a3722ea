import type { TicketId } from "../domain/values/ids.ts";

/** The files of an attempt. All paths are absolute. */
export interface AttemptFiles {
  readonly folder: string;
  readonly prompt: string;
  readonly outbox: string;
  /** The folder of the agent's program during the attempt: see AgentTask.session. */
  readonly session: string;
  /** The places of the guard's files, and of the file that it reports to, in the session folder. Nothing is there yet. */
  readonly guard: string;
  readonly guardReport: string;
  readonly agentLog: string;
  readonly patch: string;
  /** Log of a step or of a prepare command. */
  log(name: string): string;
}

/** A file's size in bytes, and the sha256 of its content in hexadecimal. */
export interface FileSum {
  readonly bytes: number;
  readonly sha256: string;
}

/** The plain files below a folder, by their paths in it, with "/"; and what else is there, with the reason why it is left out. */
export interface Listing {
  readonly files: readonly ({ readonly path: string } & FileSum)[];
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

/** Receives the lines of a followed file. Nothing is called after the following has ended. */
export interface LineListener {
  /** A whole line, raw, without its end. */
  line(text: string): void;
  /** The file cannot be followed any more: it is gone, was replaced or cut, or grows too fast. Called once, in words. */
  lost(why: string): void;
}

/** The files of a heal. All paths are absolute. */
export interface HealFiles {
  /** Its agent's copy of the harness, which does not exist yet. */
  readonly harness: string;
  readonly session: string;
  readonly prompt: string;
  readonly agentLog: string;
}

/** The run's own folder. Nothing in it is ever read as evidence of done. */
export interface RunFiles {
  /** Creates the attempt's folder, its outbox and its session folder. Safe to repeat. */
  attempt(ticket: TicketId, n: number): Promise<AttemptFiles>;
  /**
   * The folder for what runs for a ticket after its n-th attempt is over: repeated live checks, reverts. The files of the attempt
   * stay as its bundle lists them.
   */
  afterAttempt(ticket: TicketId, n: number): Promise<AttemptFiles>;
  /** The file with a ticket's reflective log. */
  reflectiveLog(ticket: TicketId): string;
  /** Creates the heal's folder and its session folder, and removes another engine's leftovers of this heal. */
  heal(n: number): Promise<HealFiles>;
  /** The last bytes of a file, as text; empty if there is no regular file. */
  tail(file: string, bytes: number): Promise<string>;
  /**
   * Follows a file to which programs append lines, from its beginning, once it is there. Gives a function that reads the rest and ends
   * the following. Reads a bounded number of bytes a second, and in all.
   */
  followLines(file: string, listener: LineListener): () => Promise<void>;
  /** Makes a folder that only this user may enter. An existing one is left as it is. */
  makeFolder(folder: string): Promise<void>;
  write(file: string, text: string): Promise<void>;
  /** Writes a file all or nothing. It is on the disk, also after a power loss, when its sum is given. */
  writeWhole(file: string, text: string): Promise<FileSum>;
  /**
   * The plain files below a folder, sorted by path, without the named entries of the folder itself. Follows no link. Each file of the
   * folder itself is on the disk when its sum is given, so that no power loss can make it another one.
   */
  list(folder: string, without: readonly string[]): Promise<Listing>;
  /** Copies a plain file of at most 1 MiB to a path in a checkout, through no link there. Gives the reason if it cannot. */
  copyInto(checkout: string, file: { readonly from: string; readonly to: string }): Promise<string | undefined>;
  exists(file: string): Promise<boolean>;
  /** A path that does not exist yet, for a pristine checkout that no worker could write. */
  checkoutPath(ticket: TicketId, purpose: string): string;
  /** The path of the attempt's worktree. */
  worktreePath(ticket: TicketId, n: number): string;
  /** Renames an attempt's worktree, so that its path is free at once. Gives the folder to remove; undefined if there is none, or it cannot be moved. */
  setAside(worktree: string): Promise<string | undefined>;
  /** Removes worktrees that an engine which is gone has set aside. */
  removeSetAside(): Promise<void>;
  remove(folder: string): Promise<void>;
  /** True if the disk of the run has at least a mebibyte left. */
  hasRoom(): Promise<boolean>;
}
