import type { Fence, TicketId } from "../values/ids.ts";

/** What is known of a part of a step when it begins. */
interface PartOutlook {
  /** The time that it will take, from earlier runs of the same command, in milliseconds; absent if that is not known. */
  readonly expectedMs?: number;
  /** The tickets of the train that it checks, in landing order; absent if it checks one ticket alone. */
  readonly train?: readonly TicketId[];
  /** The candidates that wait behind it; absent if none does. */
  readonly behind?: number;
}

/** The part of a step that runs. `text` is one line for people, empty for the step's own command. */
export interface StepPart extends PartOutlook {
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Facts about the prepare commands of an attempt's worktree, and about the parts of a step. */
export type PrepareFact =
  /**
   * A step begins another part of its work: what the part before printed is no longer current. `part` is one line for people, safe
   * for a terminal; empty for the step's own command. If it checks a train, every ticket of it has this fact.
   */
  | ({
      readonly type: "step-part-started";
      readonly ticket: TicketId;
      readonly fence: Fence;
      readonly part: string;
      /** The reason for which the train failed whose parts are checked by themselves now: one line, safe for a terminal. One ticket has it. */
      readonly trainFailed?: string;
    } & PartOutlook)
  /** A prepare command begins. `command` is one line, safe for a terminal. */
  | { readonly type: "prepare-started"; readonly ticket: TicketId; readonly fence: Fence; readonly command: string }
  /**
   * The base itself, without any change, could not be prepared: a fault of the batch, of the machine or of the base, and not of a
   * worker. `base` is its commit, `summary` one line, safe for a terminal.
   */
  | {
      readonly type: "prepare-failed";
      readonly ticket: TicketId;
      readonly fence: Fence;
      readonly base: string;
      readonly summary: string;
      /** The sandbox blocked a connection: another try would meet that again. */
      readonly blocked?: true;
    };

/** A base that could not be prepared. */
export interface Unprepared {
  /** Its commit, and the tip of the base as it was known then. */
  readonly base: string;
  readonly seen: string;
  /** Failures in a row on this commit. */
  readonly failures: number;
  /** The check that cannot run on it, if that is the failure. */
  readonly check?: string;
  /** One line for people: the last failure. */
  readonly summary: string;
  /** Present if the sandbox blocked a connection of it. */
  readonly blocked?: true;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Bases that could not be prepared, by repository. */
export type UnpreparedBases = Readonly<Record<string, Unprepared>>;

/** True if a base has moved on since it could not be prepared or checked. `tip`: as it is known now, empty before it is. */
export function hasMovedOn({ seen }: Unprepared, tip: string): boolean {
  return tip !== "" && tip !== seen;
}

/** The bases without this one. */
export function withoutUnprepared(all: UnpreparedBases | undefined, repo: string): UnpreparedBases {
  const { [repo]: _, ...others } = all ?? {};
  return others;
}
