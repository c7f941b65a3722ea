import type { TicketId } from "../domain/values/ids.ts";

/** Where an attempt keeps its files. All absolute. */
export interface AttemptFiles {
  readonly folder: string;
  readonly prompt: string;
  readonly outbox: string;
  /** Of the agent's program, during the attempt: see AgentTask.session. */
  readonly session: string;
  readonly agentLog: string;
  readonly patch: string;
  /** Log of a step or of a prepare command. */
  log(name: string): string;
}

/** Where a heal keeps its files. All absolute. */
export interface HealFiles {
  /** Its agent's copy of the harness, which does not exist yet. */
  readonly harness: string;
  readonly session: string;
  readonly prompt: string;
  readonly agentLog: string;
}

/** The run's own folder: nothing in it is ever read as evidence of done. */
export interface RunFiles {
  /** Creates the attempt's folder, its outbox and its session folder. Safe to repeat. */
  attempt(ticket: TicketId, n: number): Promise<AttemptFiles>;
  /** Creates the heal's folder and its session folder; what another engine left of this heal is removed. */
  heal(n: number): Promise<HealFiles>;
  /** The last bytes of a file, as text; empty where there is no regular file. */
  tail(file: string, bytes: number): Promise<string>;
  /** Makes a folder that only this user may enter; one that is there is left as it is. */
  makeFolder(folder: string): Promise<void>;
  write(file: string, text: string): Promise<void>;
  exists(file: string): Promise<boolean>;
  /** A path that does not exist yet, for a pristine checkout that no worker could write. */
  checkoutPath(ticket: TicketId, purpose: string): string;
  /** Where what a check's command gave on one commit is kept, by its key. It belongs to no attempt. */
  manifestPath(key: string): string;
  /** Where the attempt's worktree lies. */
  worktreePath(ticket: TicketId, n: number): string;
  remove(folder: string): Promise<void>;
  /** Whether the disk that holds the run has room for anything at all: a mebibyte. */
  hasRoom(): Promise<boolean>;
}
