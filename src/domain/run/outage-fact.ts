import type { ReviewerParty } from "../batch/party.ts";

/** What an attempt needs: the start of an agent or a command, and all that comes before its agent starts. */
type AttemptSource = "program" | "worktree" | "git" | "disk" | "secret";

/** A service that the engine itself calls. `tripwire` is the proof of the oracle, `reverify` the last re-verification. */
export type CalledSource = "tracker" | "forge" | "oracle" | "tripwire" | "reverify" | AttemptSource | ReviewerParty;

/**
 * Everything whose outage a run waits for: the services that the engine calls, the API of a model, which an agent's or a
 * reviewer's program calls, and the journal. An outage of the journal cannot be journalled; only dashboards are sent it.
 */
export type OutageSource = CalledSource | "model" | "journal";

/** Facts of outages. A call that fails is repeated with growing waits, for a time that `limits.outageMinutes` bounds. */
export type OutageFact =
  | {
      readonly type: "outage-started";
      readonly what: OutageSource;
      /** One line, safe for a terminal. */
      readonly why: string;
      /** The time of the next retry, and of the last one. Milliseconds since the epoch. */
      readonly nextAt: number;
      readonly until: number;
      /** Set if it is there, and has said that it answers nothing before the next retry: its rate limit is used up. */
      readonly isBusy?: true;
    }
  | {
      readonly type: "outage-continues";
      readonly what: OutageSource;
      readonly why: string;
      readonly nextAt: number;
      readonly until: number;
      readonly isBusy?: true;
    }
  | {
      readonly type: "outage-ended";
      readonly what: OutageSource;
      readonly ms: number;
      /** Set if the time is over: the reason why the last retry failed. The run ends unjudged once nothing is under way. */
      readonly givenUp?: string;
      /** Set if the last call was cut off by a stop or with its attempt: nobody knows if the source is back. */
      readonly cutOff?: true;
    };

/** An outage under way. Milliseconds since the epoch. */
export interface Outage {
  readonly since: number;
  readonly why: string;
  readonly nextAt: number;
  readonly until: number;
  readonly isBusy?: true;
  /** How often a call has failed since it began; absent if nobody counts. */
  readonly tries?: number;
}

/** The outages under way, by source. */
export type OutageState = Readonly<Partial<Record<OutageSource, Outage>>>;

/** The outage that ends the run. `ms`: its length. */
export interface FatalOutage {
  readonly what: OutageSource;
  readonly why: string;
  readonly ms: number;
}

/** The text of an outage: for a narrow line, while it lasts, and afterwards. */
export const OUTAGE_WORDS: Readonly<Record<OutageSource, { readonly short: string; readonly is: string; readonly was: string }>> =
  {
    tracker: { short: "tracker away", is: "the tracker is away", was: "the tracker was away" },
    oracle: { short: "oracle cannot judge", is: "the oracle cannot judge", was: "the oracle could not judge" },
    tripwire: { short: "oracle unproven", is: "the oracle cannot be proven", was: "the oracle could not be proven" },
    reverify: { short: "re-verify fails", is: "the re-verification fails", was: "the last re-verification failed" },
    forge: { short: "forge away", is: "the forge is away", was: "the forge was away" },
    git: { short: "git fails", is: "git fails", was: "git failed" },
    program: { short: "cannot start", is: "a program cannot be started", was: "a program could not be started" },
    worktree: { short: "no worktree", is: "no worktree can be made", was: "no worktree could be made" },
    disk: { short: "disk full", is: "the disk refuses writes", was: "the disk refused writes" },
    reviewer: { short: "reviewer fails", is: "the reviewer fails", was: "the reviewer failed" },
    secondReviewer: {
      short: "second reviewer fails",
      is: "the second reviewer fails",
      was: "the second reviewer failed",
    },
    model: { short: "model API away", is: "the model's API is away", was: "the model's API was away" },
    journal: {
      short: "journal stuck",
      is: "the journal cannot be written, so nothing runs",
      was: "the journal could not be written",
    },
    secret: { short: "no secret", is: "a secret cannot be fetched", was: "a secret could not be fetched" },
  };

/** What an outage is, while it lasts. A service that is busy is there: "the forge takes no requests for now". */
export function outageWords(what: OutageSource, isBusy: true | undefined): string {
  const { is } = OUTAGE_WORDS[what];
  return isBusy ? `${is.replace(/ is away$/, "")} takes no requests for now` : is;
}

/** The cures that a reason does not name. */
const CURES: Readonly<Partial<Record<OutageSource, string>>> = {
  program: "install or repair it; ",
  worktree: "look at the repository (git fsck) and at its rights; ",
};

/** The reason of a run's end by an outage, and what to do. One line. */
export function describeFatalOutage({ what, why, ms }: FatalOutage): string {
  const minutes = Math.round(ms / 6_000) / 10;
  return `${OUTAGE_WORDS[what].was}: ${why} (given up after ${minutes} min); ${CURES[what] ?? ""}once it works, the same command continues from here`;
}
