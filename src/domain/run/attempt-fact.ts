import type { CheckStrength, TestsMoved } from "@loopdash/test-evidence";
import type { AskedReviewer, Severity } from "../batch/party.ts";
import type { Ticket } from "../batch/schema.ts";
import type { StepKind } from "../batch/step-spec.ts";
import type { ReflectedChange } from "../behaviour/reflected-change.ts";
import type { CiFact } from "../ci/ci-fact.ts";
import type { PullRequestFact } from "../forge/pull-request-fact.ts";
import type { AttemptRef, RepoId } from "../values/ids.ts";
import type { ComplexityFact } from "./complexity-fact.ts";
import type { Elsewhere } from "./kept-work.ts";
import type { LandedProof } from "./proof-fact.ts";
import type { SignalsFact } from "./signals-fact.ts";

/** The result of a failed attempt, for the next one. The caller bounds `detail` (4,000 characters). */
export interface Evidence {
  readonly step: StepKind | "prepare" | "agent" | "worktree" | "outbox" | "blocker" | "plan" | "tracker" | "person";
  readonly name: string;
  /** One line for people: what went wrong. */
  readonly summary: string;
  /** The captured output or the list of paths. */
  readonly detail: string;
  /** The first failure that the output names, one line; of attempts of several tickets, it tells whether they failed alike. */
  readonly firstError?: string;
  /** Ids of the failed tests, bounded. A breaker recognises a repeated failure by them. */
  readonly tests?: readonly string[];
  /** The signature of what failed (see `noteSignature`): with it, a breaker recognises a repeated failure. */
  readonly signature?: string;
  /** Set if the failure is not an ordinary one of the work. */
  readonly cause?: EvidenceCause;
  /** The step that a claim of a blocker leaves to a person, if a person has to rule on it. */
  readonly humanStep?: string;
  /** Set if a host answered that it does not accept the batch's secret, or that the secret does not permit the request. */
  readonly refusedSecret?: true;
}

/** True if a forge sent the change back: a check failed there, or somebody wrote to its pull request. */
export function isFromForge({ step, name }: Evidence): boolean {
  return step === "merge" && (name === "pull request" || name === "checks");
}

/**
 * The cause of a failure. All but `blocked-path` end the ticket, because another agent could change nothing.
 * - `blocked-path`: the change touches a protected path.
 * - `flaky`: only tests that fail by chance failed.
 * - `infrastructure`: what runs the checks failed, twice.
 * - `report-only`: nothing is to be changed.
 * - `unruled`: the agent claims a blocker, and the batch names no reviewer who could rule on it.
 */
export type EvidenceCause = "blocked-path" | "flaky" | "infrastructure" | "report-only" | "unruled";

/**
 * The cause that stopped an agent, as its program or its model's API reports it. Another attempt meets `authentication`,
 * `permission`, `model` and `memory` again unless somebody acts. `rate-limited`, `overloaded` and `unreachable` pass with
 * time. The rest concerns this attempt alone.
 */
export type AgentStopKind =
  | "rate-limited"
  | "overloaded"
  | "unreachable"
  | "authentication"
  | "permission"
  | "model"
  | "memory"
  | "budget"
  | "turns"
  | "context"
  | "refused"
  | "unfinished";

/**
 * The stop of an agent or the reviewer. `says` is safe for a terminal; `retryAfterMs` is the wait that its API asks for.
 * `answered`: its model's API has answered it before.
 */
export interface SanitizedStop {
  readonly kind: AgentStopKind;
  readonly says: string;
  readonly retryAfterMs?: number;
  readonly answered?: true;
}

/** The reason why an agent process ended. The first cause wins. */
export type AgentEnding =
  | "exited"
  | "silent"
  | "out-of-time"
  | "over-quota"
  | "killed-by-person"
  | "gated-by-person"
  /** A gate of its behaviour failed, and the batch's policy ended it. */
  | "remedied"
  | "closed-by-person"
  | "stopped"
  | "failed-to-start";

/**
 * The outcome of a whole attempt. `landed`: its change is in the base, and a live check failed. `planned`: it made a plan, which was
 * approved. Only `failed`, `silent`, `out-of-time` and `killed` count against the cap, and `stopped` after too many refusals by the
 * reviewer's API.
 */
export type AttemptOutcome =
  | "done"
  | "landed"
  | "planned"
  | "failed"
  | "silent"
  | "out-of-time"
  | "killed"
  | "gated"
  | "closed"
  | "stopped"
  | "lost";

/** A question to the reviewer. `adjudicate`: is a claimed blocker real? `plan`: does a plan do what its ticket asks for? */
export type Question = "review" | "adversary" | "adjudicate" | "plan";

/** Fixers of the batch that ran on an agent's work; `ignored`: the one that ended them, and why. Safe for a terminal. */
export interface LayoutRepair {
  readonly fixers: readonly string[];
  readonly ignored?: string;
}

/** Facts of one attempt. Each carries its fence: the engine drops those of an earlier attempt. */
export type AttemptFact =
  | PullRequestFact
  | CiFact
  | SignalsFact
  | ComplexityFact
  | ({
      readonly type: "attempt-claimed";
      readonly attempt: number;
      readonly slot: number;
      readonly reservedUsd: number;
    } & AttemptRef)
  | ({
      readonly type: "worktree-ready";
      readonly path: string;
      readonly branch: string;
      readonly baseSha: string;
      /** The commit in it, if that is not `baseSha`: work that an attempt began with. */
      readonly startsAt?: string;
      /** It goes on from finished work: it made no worktree, and left the branch as it was. */
      readonly continues?: true;
    } & AttemptRef)
  | ({ readonly type: "agent-launching" } & AttemptRef)
  | ({
      readonly type: "agent-started";
      readonly pid: number;
      /** Kernel start time of the process, so that a reused pid is never taken for it. */
      readonly startTime: string;
    } & AttemptRef)
  | ({ readonly type: "activity"; readonly text: string; readonly lines: number } & AttemptRef)
  /** Dollars that its agent has spent so far, as its gateway counts them. `agent-ended` alone books its cost. */
  | ({ readonly type: "agent-spent"; readonly usd: number } & AttemptRef)
  | ({ readonly type: "kill-requested"; readonly ending: AgentEnding } & AttemptRef)
  | ({
      readonly type: "agent-ended";
      readonly ending: AgentEnding;
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly costUsd: number;
      /** The cause of an early stop, if its program or its model's API reports one. */
      readonly stop?: SanitizedStop;
      /** Its account, if it is not the first. */
      readonly account?: number;
    } & AttemptRef)
  | ({
      readonly type: "change-captured";
      readonly tip: string;
      readonly files: number;
      readonly additions: number;
      readonly deletions: number;
      /** For the reflective log, and for a change of no agent. */
      readonly reflected?: ReflectedChange;
      readonly layout?: LayoutRepair;
    } & Elsewhere &
      AttemptRef)
  | ({ readonly type: "step-started"; readonly step: number; readonly kind: StepKind; readonly name: string } & AttemptRef)
  | ({
      readonly type: "step-ended";
      readonly step: number;
      readonly ok: boolean;
      readonly summary: string;
      /** The commit that the step judged, if it judged one. */
      readonly judged?: string;
      /** The strength of a passed check. */
      readonly strength?: CheckStrength;
      /** The tests of a check that compared them one by one. */
      readonly tests?: TestsMoved;
      /** The step was passed over, because the class of the ticket does not need it. */
      readonly notNeeded?: true;
    } & AttemptRef)
  /** The steps before the merge begin again. `why` is one line for people, which begins with "since". */
  | ({ readonly type: "steps-repeated"; readonly why: string } & AttemptRef)
  /** `until`: the end of the wait, in milliseconds since the epoch; absent if only what it waits for, or a person, ends it. */
  | ({ readonly type: "merge-waiting"; readonly reason: string; readonly until?: number } & AttemptRef)
  /** The forge refuses the change, and only a person can go on: the exact step. */
  | ({ readonly type: "landing-gated"; readonly step: string } & AttemptRef)
  | ({
      readonly type: "merge-intended";
      readonly repo: RepoId;
      readonly from: string;
      readonly to: string;
      /** Set if the tree of `to` was proven before. */
      readonly proof?: LandedProof;
    } & AttemptRef)
  | ({ readonly type: "merge-landed"; readonly repo: RepoId; readonly from: string; readonly to: string } & AttemptRef)
  | ({
      readonly type: "attempt-ended";
      readonly outcome: AttemptOutcome;
      readonly evidence?: Evidence;
      /** It landed, and its live check waits for an earlier environment of the base. */
      readonly held?: true;
      /** It has only read the checks of the branch, and uses up none of the ticket's attempts. */
      readonly readOnly?: true;
      /** Its change was kept out, because its ticket has to be planned first. It uses up none of the ticket's attempts. */
      readonly unplanned?: true;
      /** The commit at which the engine left the ticket's branch, if no other fact has told it. */
      readonly tip?: string;
    } & AttemptRef)
  /** A step failed by this transient. It is retried once after the wait; a passed retry counts as fix-and-proceed. */
  | ({
      readonly type: "step-retried";
      readonly step: number;
      readonly name: string;
      readonly transient: string;
      readonly waitMs: number;
    } & AttemptRef)
  /** The reviewer is asked. The money set aside counts as spent until it has answered. */
  | ({ readonly type: "reviewer-asked"; readonly question: Question; readonly reservedUsd: number } & AskedReviewer & AttemptRef)
  | ({
      readonly type: "reviewer-answered";
      readonly question: Question;
      /** Its account, if it is not the first. */
      readonly account?: number;
      readonly costUsd: number;
      /** True for a valid answer: well-formed, with its nonce and end mark, from a reviewer that changed nothing. */
      readonly valid: boolean;
      /** One line for people. */
      readonly says: string;
      /** The findings of a valid answer about a change, by severity. */
      readonly findings?: Partial<Record<Severity, number>>;
      /** Present if the reviewer read a planted defect: it saw or missed it. */
      readonly canary?: "seen" | "missed";
      /** The cause of an early stop, if one is reported and the question is not asked again at once. */
      readonly stop?: SanitizedStop;
    } & AskedReviewer &
      AttemptRef)
  /** A file of the outbox that cannot be parsed. `file` and `why` are safe for a terminal. */
  | ({ readonly type: "outbox-refused"; readonly file: string; readonly why: string } & AttemptRef)
  /** The agent claims that a blocker outside the code stops it. */
  | ({ readonly type: "blocker-claimed"; readonly claim: string; readonly humanStep: string } & AttemptRef)
  /** An upheld blocker gates its ticket with this step. A rejected one is a fake, and fails the attempt. */
  | ({
      readonly type: "blocker-ruled";
      readonly upheld: boolean;
      readonly reason: string;
      readonly step: string;
      /** Work up to an upheld blocker that is to land. Gate and work reach the disk together. */
      readonly change?: { readonly tip: string; readonly files: number; readonly additions: number; readonly deletions: number };
    } & AttemptRef)
  | ({ readonly type: "discovery-refused"; readonly title: string; readonly why: string } & AttemptRef)
  /** The engine files a ticket that the agent of `ticket` found. It belongs to the batch from here on. */
  | ({
      readonly type: "ticket-discovered";
      readonly discovered: Ticket;
      readonly reason: string;
      /** True if its finder waits for it from its next attempt on. */
      readonly blocks: boolean;
    } & AttemptRef);
