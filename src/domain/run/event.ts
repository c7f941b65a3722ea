import type { Batch, Ticket } from "../batch/schema.ts";
import type { StepKind } from "../batch/step-spec.ts";
import type { CheckStrength } from "../evidence/results.ts";
import type { InterventionClass } from "../results/intervention.ts";
import type { Fence, RepoId, RunId, TicketId } from "../values/ids.ts";
import type { BaseFact } from "./base-fact.ts";
import type { Command } from "./command.ts";
import type { HealFact } from "./heal-fact.ts";

/** What a failed try leaves for the next one. `detail` is bounded by whoever makes it (4,000 characters). */
export interface Evidence {
  readonly step: StepKind | "prepare" | "agent" | "worktree" | "outbox" | "blocker";
  readonly name: string;
  /** One line for people: what went wrong. */
  readonly summary: string;
  /** The captured output or the list of paths. */
  readonly detail: string;
  /** Ids of the tests that speak against it, where it is about tests; bounded. By them a failure is known again. */
  readonly tests?: readonly string[];
}

/**
 * What stopped an agent, as its program or its model's API tells it. Those that another attempt meets again unless somebody does
 * something are `authentication`, `permission`, `model` and `memory`; `rate-limited` and `overloaded` pass with time; the rest
 * is about this attempt alone.
 */
export type AgentStopKind =
  | "rate-limited"
  | "overloaded"
  | "authentication"
  | "permission"
  | "model"
  | "memory"
  | "budget"
  | "turns"
  | "context"
  | "refused"
  | "unfinished";

/** What stopped an agent, or the second model; `says` is safe for a terminal, `retryAfterMs` is how long its API wants to be left alone. */
export interface SanitizedStop {
  readonly kind: AgentStopKind;
  readonly says: string;
  readonly retryAfterMs?: number;
}

/** Why an agent process is no longer there. First cause wins. */
export type AgentEnding =
  | "exited"
  | "silent"
  | "out-of-time"
  | "over-quota"
  | "killed-by-person"
  | "gated-by-person"
  | "stopped"
  | "failed-to-start";

/**
 * How an attempt ended, as a whole. Only `failed`, `silent`, `out-of-time` and `killed` count against the cap, and `stopped` where the
 * second model's API has turned its question away once too often.
 */
export type AttemptOutcome = "done" | "failed" | "silent" | "out-of-time" | "killed" | "gated" | "stopped" | "lost";

/** What a second model is asked for. `adjudicate`: whether a claimed blocker is one. */
export type Question = "review" | "adversary" | "adjudicate";

export type VerdictWord = "done" | "not-done" | "unjudged";

/** What the oracle said, in numbers. Lists are bounded to 50 ids; `counts` is always whole. */
export interface Judgement {
  readonly verdict: VerdictWord;
  readonly counts: { readonly done: number; readonly gated: number; readonly open: number };
  readonly open: readonly TicketId[];
  /** Present where the verdict is `unjudged`: what could not be judged and why. */
  readonly problem?: string;
  readonly durationMs: number;
}

/** Why a run ended, beside the verdict. */
export type EndKind = "oracle-done" | "not-done" | "unjudged" | "tripwire" | "interrupted" | "engine-failure";

/** sha256 of everything that decides whether a run worked, part by part. None of it may change while the run lives (law 9). */
export type FrozenSet = Readonly<Record<"oracle" | "batch" | "limits" | "guard" | "sandbox" | "tripwire", string>>;

/** What an agent of an earlier run has built of a ticket: commits, and the landing where it came to one. */
export interface CarriedOverWork {
  readonly id: TicketId;
  readonly tip: string;
  readonly baseSha: string;
  readonly landed?: { readonly from: string; readonly to: string };
}

interface AttemptRef {
  readonly ticket: TicketId;
  readonly fence: Fence;
}

/**
 * Facts of a run. Each is journalled before it is reduced, shown or acted upon.
 * Words in the past tense are done; `-intended` and `-started` announce an effect that follows.
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
      /** What the tripwire compares at the start of each engine; a run without it is never believed. */
      readonly frozen?: FrozenSet;
      readonly sandboxed: boolean;
      /** Ids that the tracker already held settled when the run began. */
      readonly settled: readonly { readonly id: TicketId; readonly as: "done" | "human-gated"; readonly step?: string }[];
      /** Working milliseconds per ticket in earlier runs of this batch; guides the order, never the outcome. */
      readonly durations: Readonly<Record<string, number>>;
      /** Dollars already spent today by earlier runs, for `usdPerDay`. */
      readonly spentTodayUsd: number;
      /** Work that an earlier run of this batch has left, built and not judged to its end, or landed and not told: by ticket. */
      readonly carriedOver?: readonly CarriedOverWork[];
      readonly version: string;
    }
  | { readonly type: "run-resumed"; readonly orphansKilled: number }
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
      /** A person told of it, in these words: it is a decision of its own. */
      readonly noted?: true;
    }
  /** So many worker slots are wanted from now on. */
  | { readonly type: "workers-set"; readonly workers: number }
  | ({
      readonly type: "attempt-claimed";
      readonly attempt: number;
      readonly slot: number;
      readonly reservedUsd: number;
    } & AttemptRef)
  | ({ readonly type: "worktree-ready"; readonly path: string; readonly branch: string; readonly baseSha: string } & AttemptRef)
  | ({ readonly type: "agent-launching" } & AttemptRef)
  | ({
      readonly type: "agent-started";
      readonly pid: number;
      /** Kernel start time of the process, so that a reused pid is never taken for it. */
      readonly startTime: string;
    } & AttemptRef)
  | ({ readonly type: "activity"; readonly text: string; readonly lines: number } & AttemptRef)
  | ({ readonly type: "kill-requested"; readonly ending: AgentEnding } & AttemptRef)
  | ({
      readonly type: "agent-ended";
      readonly ending: AgentEnding;
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly costUsd: number;
      /** Why it did not come to its own end, where its program or its model's API tells. */
      readonly stop?: SanitizedStop;
    } & AttemptRef)
  | ({
      readonly type: "change-captured";
      readonly tip: string;
      readonly files: number;
      readonly additions: number;
      readonly deletions: number;
    } & AttemptRef)
  | ({ readonly type: "step-started"; readonly step: number; readonly kind: StepKind; readonly name: string } & AttemptRef)
  | ({
      readonly type: "step-ended";
      readonly step: number;
      readonly ok: boolean;
      readonly summary: string;
      /** The commit that was judged, where the step judged one. */
      readonly judged?: string;
      /** How much a passed check proved. */
      readonly strength?: CheckStrength;
    } & AttemptRef)
  | ({ readonly type: "merge-waiting"; readonly reason: string } & AttemptRef)
  | ({ readonly type: "merge-intended"; readonly repo: RepoId; readonly from: string; readonly to: string } & AttemptRef)
  | ({ readonly type: "merge-landed"; readonly repo: RepoId; readonly from: string; readonly to: string } & AttemptRef)
  | ({ readonly type: "attempt-ended"; readonly outcome: AttemptOutcome; readonly evidence?: Evidence } & AttemptRef)
  /** A step failed by a hiccup of this name: it is tried once more, after the wait. Counted as fix-and-proceed where it passes. */
  | ({
      readonly type: "step-retried";
      readonly step: number;
      readonly name: string;
      readonly transient: string;
      readonly waitMs: number;
    } & AttemptRef)
  /** The second model is asked: money is set aside for it, and counts as spent until it has answered. */
  | ({ readonly type: "reviewer-asked"; readonly question: Question; readonly reservedUsd: number } & AttemptRef)
  | ({
      readonly type: "reviewer-answered";
      readonly question: Question;
      readonly costUsd: number;
      /** Whether it was an answer at all: well-formed, with its nonce and end mark, of one that changed nothing. */
      readonly valid: boolean;
      /** One line for people. */
      readonly says: string;
      /** A planted defect was in what it read: whether it saw it. */
      readonly canary?: "seen" | "missed";
      /** Why it did not come to its own end, where its program or its model's API tells, and it is not asked again at once. */
      readonly stop?: SanitizedStop;
    } & AttemptRef)
  /** A file of the outbox that cannot be read as what it is to be. `file` and `why` are safe for a terminal. */
  | ({ readonly type: "outbox-refused"; readonly file: string; readonly why: string } & AttemptRef)
  /** The agent says that a wall outside the code stops it: a claim. */
  | ({ readonly type: "blocker-claimed"; readonly claim: string; readonly humanStep: string } & AttemptRef)
  /** An upheld blocker gates its ticket with this step; a rejected one is a fake, and fails the attempt. */
  | ({
      readonly type: "blocker-ruled";
      readonly upheld: boolean;
      readonly reason: string;
      readonly step: string;
      /** What was built up to an upheld one and is to land: so the gate and the work come to the disk together. */
      readonly change?: { readonly tip: string; readonly files: number; readonly additions: number; readonly deletions: number };
    } & AttemptRef)
  | ({ readonly type: "discovery-refused"; readonly title: string; readonly why: string } & AttemptRef)
  /** The engine files a ticket that the agent found. From here on it belongs to the batch; `ticket` is who found it. */
  | ({
      readonly type: "ticket-discovered";
      readonly discovered: Ticket;
      readonly reason: string;
      /** Whether its finder waits for it from its next attempt on. */
      readonly blocks: boolean;
    } & AttemptRef)
  /** The tracker holds the discovered ticket. */
  | { readonly type: "discovery-filed"; readonly ticket: TicketId }
  /** No agent starts until then, for the model's API wants to be left alone. Milliseconds since the epoch. */
  | { readonly type: "backoff-started"; readonly until: number; readonly reason: string }
  | { readonly type: "gate-requested"; readonly ticket: TicketId; readonly step: string }
  | { readonly type: "gate-writing"; readonly ticket: TicketId }
  /** A stop cut the write off, and nobody knows whether the tracker took it: the run's next engine writes it again. */
  | { readonly type: "gate-put-off"; readonly ticket: TicketId }
  | { readonly type: "ticket-gated"; readonly ticket: TicketId; readonly step: string }
  /** `by`: it has used up its attempts, or a breaker stopped it; absent for every other cause. */
  | { readonly type: "ticket-stalled"; readonly ticket: TicketId; readonly reason: string; readonly by?: "attempts" }
  /** A person wants a stalled ticket tried anew, with as many attempts as a fresh one has. */
  | { readonly type: "ticket-retried"; readonly ticket: TicketId }
  | { readonly type: "ticket-reopened"; readonly ticket: TicketId; readonly evidence: Evidence }
  | { readonly type: "report-dropped"; readonly ticket: TicketId; readonly fence: Fence; readonly what: string }
  | { readonly type: "reverify-started" }
  | {
      readonly type: "reverify-ended";
      readonly reopened: number;
      readonly problem?: string;
      /** Verifications that were tried once more after a hiccup, and those of them that passed then. */
      readonly transients?: { readonly retried: number; readonly passed: number };
    }
  | { readonly type: "tripwire-started" }
  | {
      readonly type: "tripwire-ended";
      readonly ok: boolean;
      /** Which canary was judged wrong and how, or what changed of the frozen set; present where it fired. */
      readonly problem?: string;
      readonly canaries: number;
      readonly ms: number;
    }
  /** Dollars that other runs have spent and set aside today, as an attempt found them that could not start for it. */
  | { readonly type: "others-spent-today"; readonly usd: number }
  /** What other sessions have cost today cannot be told any more. `why` is one line, safe for a terminal. */
  | { readonly type: "day-spend-unknown"; readonly why: string }
  | { readonly type: "oracle-asked"; readonly final: boolean }
  | { readonly type: "oracle-judged"; readonly final: boolean; readonly judgement: Judgement }
  | BaseFact
  | HealFact;

/** A fact with its place in the run: `seq` counts from 1 without gaps, `at` is wall-clock milliseconds. */
export type RunEvent = RunFact & { readonly seq: number; readonly at: number };

/**
 * Facts that may reach the disk late, together with the next one that may not: they tell of what has happened, and announce
 * nothing. Where they are lost, git and the tracker still show what happened, or an attempt is tried again. What announces
 * an effect never waits (law 5), and takes along what waits before it.
 */
export function mayWait(fact: RunFact): boolean {
  switch (fact.type) {
    case "activity":
    case "worktree-ready":
    case "change-captured":
    case "base-failing":
    case "merge-landed":
      return true;
    case "step-ended":
      // A refusal that were lost would be judged again, until it is none (adversary case A19).
      return fact.ok !== false;
    case "step-started":
      // Gates look at a change that is there already, and a landing is announced by an intent of its own.
      return fact.kind === "gates" || fact.kind === "merge";
    default:
      return false;
  }
}

/** What an agent says: no fact of the run, and nothing is ever decided by it. */
export function isActivity(fact: RunFact): boolean {
  return fact.type === "activity";
}
