import type { Batch } from "../batch/schema.ts";
import type { ForgeRequestFact } from "../forge/forge-request.ts";
import type { InterventionClass } from "../results/intervention.ts";
import type { Fence, RunId, TicketId } from "../values/ids.ts";
import type { AccountFact } from "./account-fact.ts";
import type { ApprovalFact } from "./approval-fact.ts";
import type { AttemptFact, Evidence } from "./attempt-fact.ts";
import type { AuditFact } from "./audit-fact.ts";
import type { BaseCheckFact, FailingCheck } from "./base-check.ts";
import type { BaseFact } from "./base-fact.ts";
import type { BaseMeasureFact } from "./base-measure.ts";
import type { BlockedFact } from "./blocked-fact.ts";
import type { BundleFact } from "./bundle-fact.ts";
import type { Command } from "./command.ts";
import type { DriftFact, FirstReading } from "./drift-fact.ts";
import type { ExclusiveFact } from "./exclusive-fact.ts";
import type { FrozenSet } from "./frozen-set.ts";
import type { GrowthFact } from "./growth-fact.ts";
import type { GuardFact } from "./guard-fact.ts";
import type { HealFact } from "./heal-fact.ts";
import type { KeptWorkFact } from "./kept-work.ts";
import type { LiveCheckFact, LiveState, RevertFact } from "./live-check.ts";
import type { EvidenceChange } from "./oracle-evidence.ts";
import type { OutageFact } from "./outage-fact.ts";
import type { PeopleFact } from "./people-fact.ts";
import type { PlanFact } from "./plan-fact.ts";
import type { PrepareFact } from "./prepare-fact.ts";
import type { PreparedFact } from "./prepared-fact.ts";
import type { ProofFact } from "./proof-fact.ts";
import type { RemedyFact } from "./remedy-fact.ts";
import type { SuiteFact } from "./suite-fact.ts";
import type { LongWaitFact, SuspensionFact } from "./suspension.ts";
import type { TripwireResult } from "./tripwire-result.ts";

export type VerdictWord = "done" | "not-done" | "unjudged";

/** The oracle's verdict, in numbers. Lists are bounded to 50 ids; `counts` are complete. */
export interface Judgement {
  readonly verdict: VerdictWord;
  readonly counts: { readonly done: number; readonly gated: number; readonly open: number };
  readonly open: readonly TicketId[];
  /** Present if the verdict is `unjudged`: what could not be judged, and why. */
  readonly problem?: string;
  readonly durationMs: number;
}

/** The reason why a run ended, beside the verdict. */
export type EndKind = "oracle-done" | "not-done" | "unjudged" | "tripwire" | "interrupted" | "engine-failure";

/** Work of an earlier run's agent on a ticket: commits, and the landing if there was one. */
export interface CarriedOverWork {
  readonly id: TicketId;
  readonly tip: string;
  readonly baseSha: string;
  readonly landed?: { readonly from: string; readonly to: string };
  /** Present if its live check had not passed. */
  readonly live?: LiveState;
  /** The run that landed it; absent for work that has not landed. */
  readonly landedEarlier?: EarlierLanding;
  /** Set for a landing if a person has rewritten the ticket since. */
  readonly rewritten?: true;
}

/** A ticket that was settled before the run began. `landedEarlier`: its landing by an earlier run of the batch file. */
export interface SettledBefore {
  readonly id: TicketId;
  readonly as: "done" | "human-gated";
  readonly step?: string;
  readonly landedEarlier?: EarlierLanding;
}

/** The commit with which an earlier run landed a ticket. People may have rewritten the base since. */
export interface EarlierLanding {
  readonly run: RunId;
  readonly sha: string;
  /** The base before it. */
  readonly from?: string;
  /** A person has closed the ticket since. It stays closed, whatever its live check says. */
  readonly closedByPerson?: true;
}

/** An open ticket that an earlier run of the batch file had landed, and that the base still holds: a person has reopened it. */
export interface ReopenedBefore {
  readonly id: TicketId;
  readonly landedEarlier: EarlierLanding;
}

/**
 * Facts of a run. Each is journalled before it is reduced, shown or acted upon. Words in the past tense are done; `-intended` and
 * `-started` announce an effect that follows.
 */
export type RunFact =
  | {
      readonly type: "run-started";
      readonly run: RunId;
      readonly batch: Batch;
      readonly batchPath: string;
      /** sha256 of the oracle's bytes and of the frozen batch it reads. */
      readonly oracleSha: string;
      readonly batchSha: string;
      /** The tripwire compares it at the start of each engine. A run without it is never believed. */
      readonly frozen?: FrozenSet;
      readonly sandboxed: boolean;
      /** Tickets that the tracker already held settled when the run began. */
      readonly settled: readonly SettledBefore[];
      /** Open tickets that were settled, with a landing, before a person reopened them between two runs. */
      readonly reopened?: readonly ReopenedBefore[];
      /** The unfinished run that a person gave up for this one (`--fresh`). */
      readonly gaveUp?: RunId;
      /** Tickets as the tracker had them when the run began. */
      readonly tracked?: readonly FirstReading[];
      /** The pages of repositories by the batch's names, as `repoAddress` gives them; absent if none is known. */
      readonly repoUrls?: Readonly<Record<string, string>>;
      /** Working milliseconds per ticket in earlier runs of this batch. They guide the order, never the outcome. */
      readonly durations: Readonly<Record<string, number>>;
      /** Dollars that earlier runs have spent today, for `usdPerDay`. */
      readonly spentTodayUsd: number;
      /** Work of an earlier run, by ticket: built and not checked to the end, or landed and not told to the tracker. */
      readonly carriedOver?: readonly CarriedOverWork[];
      /** Checks that failed on bases when the previous run ended, by repository. Each runs again before work waits for it. */
      readonly failingChecks?: Readonly<Record<string, FailingCheck>>;
      /** A dashboard was opened with the run: a person may be there. */
      readonly attended?: true;
      /** The run checks what has landed, once, and starts no agent. */
      readonly checksOnly?: true;
      /** The one ticket that such a run checks; absent if it checks all of them. */
      readonly checksTicket?: TicketId;
      readonly version: string;
    }
  | {
      readonly type: "run-resumed";
      readonly orphansKilled: number;
      /** Set if no person resumed it: the engine did, once its journal could be written again. */
      readonly by?: "engine";
      /** A run that starts no agent still starts none. */
      readonly checksOnly?: true;
    }
  | { readonly type: "run-paused" }
  | { readonly type: "run-unpaused" }
  | { readonly type: "stop-requested"; readonly by: "person" | "signal" }
  | {
      readonly type: "run-ended";
      readonly kind: EndKind;
      readonly verdict: VerdictWord;
      readonly exitCode: number;
      readonly reason: string;
    }
  | { readonly type: "command-refused"; readonly command: Command; readonly reason: string }
  | {
      readonly type: "intervention";
      readonly class: InterventionClass;
      readonly target: string;
      readonly note: string;
      /** A person noted it in these words. It is a separate decision. */
      readonly noted?: true;
    }
  /** Sets the number of worker slots. */
  | { readonly type: "workers-set"; readonly workers: number }
  | AttemptFact
  /** The tracker holds the discovered ticket. */
  | { readonly type: "discovery-filed"; readonly ticket: TicketId }
  /** No agent starts until then, because the model's API asks for a wait. Milliseconds since the epoch. */
  | { readonly type: "backoff-started"; readonly until: number; readonly reason: string }
  | {
      readonly type: "gate-requested";
      readonly ticket: TicketId;
      readonly step: string;
      /** Present if no person asked for it: nothing else was left to do, and nobody had approved its change. */
      readonly by?: "zone";
    }
  | { readonly type: "gate-writing"; readonly ticket: TicketId }
  /** A stop or an outage cut the write off: nobody knows if the tracker took it. The run's next engine writes it again. */
  | { readonly type: "gate-postponed"; readonly ticket: TicketId }
  | { readonly type: "ticket-gated"; readonly ticket: TicketId; readonly step: string }
  /** `by` is set if the ticket has used up its attempts or a breaker stopped it; absent for every other cause. */
  | { readonly type: "ticket-stalled"; readonly ticket: TicketId; readonly reason: string; readonly by?: "attempts" }
  /** A person retries a stalled ticket, with as many attempts as a fresh one has. */
  | { readonly type: "ticket-retried"; readonly ticket: TicketId }
  | { readonly type: "ticket-reopened"; readonly ticket: TicketId; readonly evidence: Evidence }
  | { readonly type: "report-dropped"; readonly ticket: TicketId; readonly fence: Fence; readonly what: string }
  | { readonly type: "reverify-started" }
  /** It waits for checks of a ticket's branch that run again, no longer than `until`. Milliseconds since the epoch. `why` is safe for a terminal. */
  | { readonly type: "reverify-waits"; readonly ticket: TicketId; readonly why: string; readonly until: number }
  | {
      readonly type: "reverify-ended";
      readonly reopened: number;
      /** Landed tickets that were checked, and those of them that are not live. */
      readonly checked?: number;
      readonly notLive?: number;
      /** A person has settled one of those meanwhile, so that its result says nothing any more: it is repeated. */
      readonly outdated?: true;
      /** The tips of the bases that it looked at, by repository. */
      readonly tips?: Readonly<Record<string, string>>;
      readonly problem?: string;
      /** Verifications that were retried after a transient, and those of them that then passed. */
      readonly transients?: { readonly retried: number; readonly passed: number };
    }
  | { readonly type: "tripwire-started" }
  | ({ readonly type: "tripwire-ended" } & TripwireResult)
  /** Dollars that other runs have spent and set aside today, read when they kept an attempt from starting. */
  | { readonly type: "others-spent-today"; readonly usd: number }
  /** The cost of other sessions today has become unknown. `why` is one line, safe for a terminal. */
  | { readonly type: "day-spend-unknown"; readonly why: string }
  | { readonly type: "oracle-asked"; readonly final: boolean }
  | {
      readonly type: "oracle-judged";
      readonly final: boolean;
      readonly judgement: Judgement;
      /** sha256 of the oracle's bytes that judged. */
      readonly oracleSha?: string;
      readonly evidence?: EvidenceChange;
    }
  | BaseFact
  | BaseCheckFact
  | BaseMeasureFact
  | AccountFact
  | ApprovalFact
  | AuditFact
  | BlockedFact
  | BundleFact
  | DriftFact
  | PeopleFact
  | ExclusiveFact
  | ForgeRequestFact
  | GrowthFact
  | GuardFact
  | HealFact
  | KeptWorkFact
  | LiveCheckFact
  | OutageFact
  | PlanFact
  | ProofFact
  | RemedyFact
  | RevertFact
  | SuiteFact
  | SuspensionFact
  | LongWaitFact
  | PrepareFact
  | PreparedFact;

/** A fact with its place in the run: `seq` counts from 1 without gaps, `at` is wall-clock milliseconds. */
export type RunEvent = RunFact & { readonly seq: number; readonly at: number };

/**
 * Facts that may reach the disk late, together with the next one that may not. They report what has happened, and announce
 * nothing. If they are lost, git and the tracker still show what happened, or an attempt is repeated. A fact that announces an
 * effect never waits (law 5), and takes along all that wait before it.
 */
export function mayWait(fact: RunFact): boolean {
  switch (fact.type) {
    case "activity":
    case "agent-spent":
    // The next engine writes the bundle of an attempt without such a fact.
    case "attempt-bundled":
    case "attempt-not-bundled":
    // The next engine reports it again.
    case "audit-head":
    case "worktree-ready":
    case "change-captured":
    case "base-failing":
    case "connection-blocked":
    case "signals-changed":
    case "guard-blocked":
    case "guard-dead":
    case "stop-guard-told":
    case "prepare-started":
    case "prepare-failed":
    case "step-part-started":
    case "steps-repeated":
    case "suite-ran":
    case "merge-landed":
    case "pull-request-read":
    case "tracker-written":
    case "tracker-not-written":
    case "outage-started":
    case "outage-continues":
    case "preparation-awaited":
    case "prepared":
      return true;
    case "step-ended":
      // If a refusal were lost, the change would be checked again until it passes (adversary case A19).
      return fact.ok !== false;
    case "step-started":
      // Gates look at an existing change, and a landing has an intent of its own.
      return fact.kind === "gates" || fact.kind === "merge";
    default:
      return false;
  }
}

/** The event of a type. */
export type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** True for what an agent at work prints and spends. It is no fact of the run, and nothing is decided by it. */
export function isActivity(fact: RunFact): fact is Extract<RunFact, { type: "activity" | "agent-spent" }> {
  return fact.type === "activity" || fact.type === "agent-spent";
}
