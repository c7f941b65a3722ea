import type { Batch, Ticket } from "../batch/schema.ts";
import type { StepKind } from "../batch/step-spec.ts";
import type { CheckStrength } from "../evidence/results.ts";
import type { Intervention } from "../results/intervention.ts";
import type { Backoff, Halt, RateLimits } from "../schedule/halt.ts";
import type { Fence, RunId, TicketId } from "../values/ids.ts";
import { type Vec, vecAt } from "../values/vec.ts";
import type { FailingOnBase } from "./base-fact.ts";
import type {
  AgentEnding,
  AgentStopKind,
  AttemptOutcome,
  CarriedOverWork,
  EndKind,
  Evidence,
  FrozenSet,
  Question,
  VerdictWord,
} from "./event.ts";
import type { HealsState } from "./heal-fact.ts";
import type { OracleState, TripwireState } from "./verdict-state.ts";

/** Where a ticket stands. `ready` is not stored: it is `waiting` with nothing left to wait for. */
export type Phase = "waiting" | "working" | "finishing" | "done" | "human-gated" | "stalled";

/** The step of the finish line that runs now. `startedAt` in milliseconds. */
export interface RunningStep {
  readonly index: number;
  readonly kind: StepKind;
  readonly name: string;
  readonly startedAt: number;
}

/** The try that runs now. */
export interface Attempt {
  readonly n: number;
  readonly fence: Fence;
  readonly slot: number;
  /** Set once its agent needs the slot no more: the finish line runs beside the slots. */
  readonly slotLeftAt?: number;
  readonly startedAt: number;
  readonly reservedUsd: number;
  readonly worktree?: { readonly path: string; readonly branch: string; readonly baseSha: string };
  /** Set from the intent to start the agent on; `pid` follows once there is a process. */
  readonly agent?: {
    readonly launchedAt: number;
    readonly pid?: number;
    readonly startTime?: string;
    readonly endedAt?: number;
    readonly ending?: AgentEnding;
    readonly exitCode?: number | null;
    readonly stop?: AgentStopKind;
    readonly costUsd?: number;
  };
  readonly lastLine?: string;
  readonly lastOutputAt?: number;
  readonly lines: number;
  readonly change?: { readonly tip: string; readonly files: number; readonly additions: number; readonly deletions: number };
  readonly step?: RunningStep;
  readonly passed: readonly { readonly index: number; readonly kind: StepKind; readonly name: string; readonly ms: number }[];
  /** Set once a check has refused its change: that is never judged again. */
  readonly refused?: Evidence;
  readonly merge?: { readonly from: string; readonly to: string; readonly landed: boolean };
  /** Why a merge cannot land yet, in words. */
  readonly waiting?: string;
  /** What the second model is being asked, and the dollars set aside for it. */
  readonly asked?: { readonly question: Question; readonly reservedUsd: number };
  /** What kept the second model from answering its last question: no failure of the work. */
  readonly unanswered?: AgentStopKind;
  /** Dollars that its questions to the second model have cost. */
  readonly questionsUsd?: number;
  /** The step that failed by a hiccup and is tried once more, from `until` on (milliseconds since the epoch). */
  readonly retried?: { readonly step: number; readonly transient: string; readonly until: number };
  /** Set once its blocker was upheld: what it built may land, and then this step is left to a person. */
  readonly humanStep?: string;
  /** Set once somebody asked for its end; the first cause wins. */
  readonly killing?: AgentEnding;
}

/** A try that is over. Times in milliseconds. */
export interface PastAttempt {
  readonly n: number;
  readonly slot: number;
  readonly startedAt: number;
  readonly slotLeftAt: number;
  readonly endedAt: number;
  readonly outcome: AttemptOutcome;
  readonly summary: string;
  /** True where the agent stopped by itself with exit 0: it claimed to have done the ticket. */
  readonly claimed: boolean;
  /** Dollars of its agent and of its questions to the second model. */
  readonly costUsd: number;
}

/** What a ticket's failures in a row have in common. */
export interface Signs {
  /** The last failure by what stays of it when it happens again, and how often in a row it was that one. */
  readonly failure?: { readonly identity: string; readonly times: number };
  /** Attempts in a row that changed nothing. */
  readonly unchanged?: number;
  /** Attempts in a row that a model's API turned away: their agent, or their question to the second model. */
  readonly turnedAway?: number;
  /** The last agent ended by what the next one would meet again. */
  readonly hopeless?: AgentStopKind;
}

/** Finished work of an agent whose finish line was cut off. */
export interface Unfinished extends Omit<CarriedOverWork, "id"> {
  readonly claimed: boolean;
  /** An upheld blocker's: it ends in a human gate. */
  readonly humanStep?: string;
}

export interface TicketState {
  readonly id: TicketId;
  readonly phase: Phase;
  /** Dependencies that are not done yet. */
  readonly openDeps: number;
  /** Attempts that count against the cap. */
  readonly failures: number;
  /** What its failures in a row have in common; absent before the first. */
  readonly signs?: Signs;
  readonly costUsd: number;
  readonly attempt?: Attempt;
  readonly history: readonly PastAttempt[];
  /** Evidence of failed tries, oldest first, at most three. */
  readonly evidence: readonly Evidence[];
  /** What the outbox of its n-th attempt held that was refused, a line each, at most 20: for the next prompt. */
  readonly refusals?: { readonly n: number; readonly lines: readonly string[] };
  /** By check, as last measured. */
  readonly failingOnBase?: readonly FailingOnBase[];
  readonly mergedSha?: string;
  readonly humanStep?: string;
  /** A person asked for the gate, or a blocker was upheld; it counts once the tracker holds it. */
  readonly gate?: {
    readonly step: string;
    readonly writing: boolean;
    readonly by?: "blocker";
    /** This engine writes it no more: it is stopping, and the tracker did not take it. */
    readonly putOff?: true;
  };
  readonly stalledReason?: string;
  readonly stalledBy?: "attempts";
  /** Attempts that were over when a person last had it tried anew: what failed among them was not mended without one. */
  readonly retriedAfter?: number;
  /** The ticket whose worker found this one; absent where the batch named it. */
  readonly foundBy?: TicketId;
  /** A discovered ticket that the tracker does not hold yet: the engine files it. */
  readonly unfiled?: true;
  /** Work that a stop or a lost engine cut off after the agent had ended: the next attempt goes on from it, without an agent. */
  readonly unfinished?: Unfinished;
  readonly endedAt?: number;
}

/** The batch as it has grown, and what follows from it alone; tickets are known by index here. */
export interface Plan {
  /** The tickets of the frozen batch, and after them those that workers found, in the order in which they were found. */
  readonly tickets: readonly Ticket[];
  readonly index: Readonly<Record<string, number>>;
  readonly dependents: readonly (readonly number[])[];
  /** Milliseconds of work on the longest path that starts with this ticket: the greater, the sooner it runs. */
  readonly rank: readonly number[];
  /** Milliseconds of work that are assumed of a ticket which no earlier run has done. */
  readonly unknownMs: number;
}

export type RunStage = "working" | "verifying" | "judging" | "healing" | "stopping" | "ended";

/** A run, whole: the value that `reduce` makes from the journal and that every view is drawn from. Plain JSON. */
export interface RunState {
  readonly run: RunId;
  readonly seq: number;
  /** As it was frozen when the run began: it never changes. What workers found since is in `plan` alone. */
  readonly batch: Batch;
  readonly batchPath: string;
  readonly oracleSha: string;
  readonly batchSha: string;
  readonly frozen?: FrozenSet;
  readonly sandboxed: boolean;
  readonly startedAt: number;
  readonly lastEventAt: number;
  readonly plan: Plan;
  readonly tickets: Vec<TicketState>;
  /** Waiting tickets whose dependencies are all done, best first. Exclusive resources are looked at when one starts. */
  readonly ready: readonly number[];
  /** Tickets that have used up their attempts, or that a breaker stops, and are to be stalled. */
  readonly exhausted: readonly number[];
  /** Tickets whose human gate is to be written to the tracker. */
  readonly gating: readonly number[];
  /** Discovered tickets that are being written to the tracker. */
  readonly filing: readonly number[];
  /** One entry per worker slot: the index of the ticket whose agent has it, or null. A slot keeps its place for ever. */
  readonly slots: readonly (number | null)[];
  /** Tickets whose agent has ended and whose attempt has not, by index, in the order in which they left their slots. */
  readonly finishing: readonly number[];
  /** Exclusive resources in use, by the ticket that holds them. */
  readonly held: Readonly<Record<string, TicketId>>;
  readonly counts: Readonly<Record<Phase, number>>;
  readonly lastFence: number;
  readonly stage: RunStage;
  readonly paused: boolean;
  /** Worker slots that are wanted: those beyond go once no agent has them, the last one first. */
  readonly workers: number;
  readonly stopBy?: "person" | "signal";
  /** True from a clean re-verification until any ticket moves again. */
  readonly reverified: boolean;
  readonly reverifyProblem?: string;
  readonly oracle: OracleState;
  /** Of the program that began the run. */
  readonly version: string;
  readonly tripwire: TripwireState;
  readonly heals: HealsState;
  readonly spentUsd: number;
  readonly spentTodayUsd: number;
  readonly reservedUsd: number;
  /** What was asked of the second model: questions, those that were answered validly, and planted defects. */
  readonly reviewer: {
    readonly asked: number;
    readonly valid: number;
    readonly usd: number;
    readonly canaries: { readonly seen: number; readonly missed: number };
  };
  /** Walls that workers claimed, and how they were ruled on; a claim whose attempt was cut off is neither. */
  readonly blockers: { readonly claimed: number; readonly upheld: number; readonly rejected: number };
  readonly discoveries: { readonly filed: number; readonly refused: number };
  /** Steps that were tried once more after a hiccup, and those of them that passed then. */
  readonly transients: { readonly retried: number; readonly passed: number };
  /** No agent starts until then. */
  readonly backoff?: Backoff;
  /** A hold that is to be announced. */
  readonly backoffDue?: Backoff;
  /** The APIs that turn everybody away. */
  readonly rateLimited?: RateLimits;
  /** No agent starts any more: every one would meet this. */
  readonly halted?: Halt;
  readonly interventions: readonly Intervention[];
  readonly claims: { readonly made: number; readonly upheld: number };
  /** Passed checks, by how much they proved. */
  readonly checks: Readonly<Record<CheckStrength, number>>;
  readonly droppedReports: number;
  readonly reopened: number;
  readonly resumes: number;
  readonly end?: {
    readonly at: number;
    readonly kind: EndKind;
    readonly verdict: VerdictWord;
    readonly exitCode: number;
    readonly reason: string;
  };
}

/** Index of a ticket in the plan. Throws on an id that is not in the batch. */
export function indexOf(state: RunState, id: TicketId): number {
  const index = Object.hasOwn(state.plan.index, id) ? state.plan.index[id] : undefined;
  if (index === undefined) throw new RangeError(`no ticket "${id}" in this batch`);
  return index;
}

/** The state of one ticket by id. Throws on an id that is not in the batch. */
export function ticketOf(state: RunState, id: TicketId): TicketState {
  return vecAt(state.tickets, indexOf(state, id));
}

/** Tickets with an attempt under way: those that hold a slot, in slot order, then those that are being finished. */
export function activeTickets(state: RunState): readonly TicketState[] {
  const indexes = [...state.slots.filter((index) => index !== null), ...state.finishing];
  return indexes.map((index) => vecAt(state.tickets, index));
}

/** Attempts under way per worker slot, at most: agents do not run ahead of a finish line that takes longer than they do. */
const ATTEMPTS_PER_SLOT = 2;

/**
 * Slots in which an agent may start now: never one beyond those that are wanted, nor more agents than that. Those come last whose
 * ticket is still being finished: views show it there.
 */
export function freeSlots(state: RunState): readonly number[] {
  const { finishing, slots, workers } = state;
  const busy = busySlots(state);
  const left = new Set(finishing.map((index) => vecAt(state.tickets, index).attempt?.slot));
  const free = slots.slice(0, workers).flatMap((index, slot) => (index === null ? [slot] : []));
  const bare = free.toSorted((a, b) => Number(left.has(a)) - Number(left.has(b)));
  return bare.slice(0, Math.max(0, Math.min(workers - busy, ATTEMPTS_PER_SLOT * workers - busy - finishing.length)));
}

/** Slots that an agent has, those beyond the wanted ones among them. */
export function busySlots({ slots }: Pick<RunState, "slots">): number {
  return slots.reduce((busy: number, index) => busy + Number(index !== null), 0);
}

/** Whether nothing more will happen to a ticket by itself. */
export function isSettled(phase: Phase): boolean {
  return phase === "done" || phase === "human-gated" || phase === "stalled";
}

/** Whether an agent that ended says by it that it is done: it stopped by itself, and nothing tells of an error. */
export function claimsDone({ ending, exitCode, stop }: NonNullable<Attempt["agent"]>): boolean {
  return ending === "exited" && exitCode === 0 && stop === undefined;
}
