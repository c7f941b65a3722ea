import type { Caller } from "./caller.ts";
import type { StopChecks } from "./hook/stop-look.ts";

/** What a person's own agent is told when it stops depends on the program that the guard is a part of. */
export interface StopHost {
  /** The absolute folder in which the guard keeps what each session was told. */
  readonly stateFolder: string;
  /** What is unfinished in a worktree, for settings that name no checks. */
  unfinished(worktree: string): Promise<StopChecks>;
}

/** The program that the guard is a part of, for one caller. */
export type GuardHost = (caller: Pick<Caller, "env" | "cwd">) => StopHost;
