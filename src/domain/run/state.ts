import type { CheckStrength } from "@loopdash/test-evidence";
import type { AuditHead } from "../audit/audit-row.ts";
import type { Party } from "../batch/party.ts";
import type { Batch, Ticket } from "../batch/schema.ts";
import type { Incident } from "../results/incident.ts";
import type { Intervention } from "../results/intervention.ts";
import type { Backoff, Halt, HaltedAttempt, RateLimits, SharedFault } from "../schedule/halt.ts";
import type { RunId, TicketId } from "../values/ids.ts";
import { type Vec, vecAt } from "../values/vec.ts";
import type { FailingCheck } from "./base-check.ts";
import type { BaseMeasure } from "./base-measure.ts";
import type { BrokenBase } from "./broken-base.ts";
import type { TrackerStatus } from "./drift-fact.ts";
import type { EndKind, VerdictWord } from "./event.ts";
import type { HeldElsewhere } from "./exclusive-fact.ts";
import type { FrozenSet } from "./frozen-set.ts";
import type { GuardCounts } from "./guard-fact.ts";
import type { HealsState } from "./heals-state.ts";
import type { Landings } from "./landings.ts";
import type { FatalOutage, OutageState } from "./outage-fact.ts";
import type { UnpreparedBases } from "./prepare-fact.ts";
import type { Preparations } from "./prepared-fact.ts";
import type { Proofs } from "./proof-fact.ts";
import type { ReviewerCounts } from "./reviewer-counts.ts";
import type { SuiteCounts } from "./suite-fact.ts";
import type { Suspension } from "./suspension.ts";
import type { Phase, TicketState } from "./ticket-state.ts";
import type { OracleState, TripwireState } from "./verdict-state.ts";

/** The batch with its discoveries, and the values that depend on it alone. Tickets are known by index here. */
export interface Plan {
  /** The tickets of the frozen batch, followed by those that workers found and people added, in the order in which they joined. */
  readonly tickets: readonly Ticket[];
  readonly index: Readonly<Record<string, number>>;
  readonly dependents: readonly (readonly number[])[];
  /** Milliseconds of work on the longest path that starts with this ticket. A longer path runs sooner. */
  readonly rank: readonly number[];
  /** Assumed milliseconds of work of a ticket that no earlier run has done. */
  readonly unknownMs: number;
}

export type RunStage = "working" | "verifying" | "judging" | "healing" | "stopping" | "ended";

/** The whole state of a run: `reduce` makes it from the journal, and every view shows it. Plain JSON. */
export interface RunState {
  readonly run: RunId;
  readonly seq: number;
  /** The batch as frozen at the start, with the bounds that a person has changed since. Tickets that join later are in `plan` alone. */
  readonly batch: Batch;
  readonly batchPath: string;
  readonly oracleSha: string;
  readonly batchSha: string;
  /** The pages of repositories in a browser, by the batch's names, as far as they are known. */
  readonly repoUrls?: Readonly<Record<string, string>>;
  readonly frozen?: FrozenSet;
  readonly sandboxed: boolean;
  /** The end of the audit log; absent before its first row. */
  readonly audit?: AuditHead;
  readonly startedAt: number;
  readonly lastEventAt: number;
  readonly plan: Plan;
  readonly tickets: Vec<TicketState>;
  /** Waiting tickets whose dependencies are all done, best first. Exclusive resources are checked at the start of an attempt. */
  readonly ready: readonly number[];
  /** Tickets that are to be stalled: they have used up their attempts, or a breaker stops them. */
  readonly exhausted: readonly number[];
  /** Tickets whose human gate is to be written to the tracker. */
  readonly gating: readonly number[];
  /** Tickets that joined the run and are being written to the tracker. */
  readonly filing: readonly number[];
  /** One entry per worker slot: the index of the ticket whose agent has it, or null. A slot keeps its index. */
  readonly slots: readonly (number | null)[];
  /** Tickets whose agent has ended and whose attempt has not, by index, in the order in which they left their slots. */
  readonly finishing: readonly number[];
  /** Exclusive resources in use, by the ticket that has them. */
  readonly held: Readonly<Record<string, TicketId>>;
  /** Exclusive resources that another run of this machine holds, as far as a ticket of this run has met them. */
  readonly heldElsewhere: Readonly<Record<string, HeldElsewhere>>;
  readonly counts: Readonly<Record<Phase, number>>;
  /** The changes of each base by tickets and others, by repository; repositories without a landing are left out. */
  readonly landings: Readonly<Record<string, Landings>>;
  /** Broken bases, by repository. */
  readonly brokenBases: Readonly<Record<string, BrokenBase>>;
  /** Checks that fail on a base without any change, by repository. */
  readonly failingChecks: Readonly<Record<string, FailingCheck>>;
  /** The proofs of bases, by repository. */
  readonly proofs: Proofs;
  /** The checks of bases before any agent, by repository. */
  readonly baseMeasures?: Readonly<Record<string, BaseMeasure>>;
  /** Bases that could not be prepared; absent if all could. */
  readonly unprepared?: UnpreparedBases;
  /** Tickets whose landed change is being reverted, by index. */
  readonly reverting: readonly number[];
  readonly lastFence: number;
  readonly stage: RunStage;
  readonly paused: boolean;
  /** No agent starts: the run checks what earlier runs have landed, once. */
  readonly checksOnly?: true;
  /** The one ticket that such a run checks; absent if it checks all of them. */
  readonly checksTicket?: TicketId;
  /** The requested number of worker slots. Surplus slots are removed once no agent has them, the last one first. */
  readonly workers: number;
  readonly stopBy?: "person" | "signal";
  /** True from a clean re-verification until any ticket changes again. */
  readonly reverified: boolean;
  readonly reverifyProblem?: string;
  /** The tips of the bases at the last re-verification, and how many in a row began because people had committed. */
  readonly lookedAt?: { readonly tips: Readonly<Record<string, string>>; readonly repeats: number };
  readonly oracle: OracleState;
  /** The version of the program that began the run. */
  readonly version: string;
  readonly tripwire: TripwireState;
  readonly heals: HealsState;
  readonly spentUsd: number;
  readonly spentTodayUsd: number;
  readonly reservedUsd: number;
  /** The questions to the reviewer, and its answers. */
  readonly reviewer: ReviewerCounts;
  /** The same for the second reviewer; absent before it was asked. */
  readonly secondReviewer?: ReviewerCounts;
  /** Blockers that workers claimed, and their rulings. A claim whose attempt was cut off has none. */
  readonly blockers: { readonly claimed: number; readonly upheld: number; readonly rejected: number };
  readonly discoveries: { readonly filed: number; readonly refused: number };
  /** Steps that were retried after a transient, and those of them that then passed. */
  readonly transients: { readonly retried: number; readonly passed: number };
  /** Preparations of worktrees and checkouts; absent before the first. */
  readonly preparations?: Preparations;
  /** Runs of checks' commands, and waits for them; absent before the first. */
  readonly suites?: SuiteCounts;
  /** What the guards of agents told; absent before the first. */
  readonly guard?: GuardCounts;
  /** Tickets whose work waited for a person's approval; some of them no longer do (`ticketsAwaiting`). */
  readonly awaiting?: readonly number[];
  /** It was begun in a dashboard. */
  readonly isAttended?: true;
  /** Set once a person has changed the bounds of the run. */
  readonly isBatchChanged?: true;
  /** No agent starts until then. */
  readonly backoff?: Backoff;
  /** A backoff that the engine has not announced yet. */
  readonly backoffDue?: Backoff;
  /** The accounts whose API refuses every request. */
  readonly rateLimited?: RateLimits;
  /** The account that each party used last, if it is not the first. */
  readonly accounts?: Readonly<Partial<Record<Party, number>>>;
  /** The last attempts that ended, at most ten, oldest first; absent before the first. */
  readonly recentEnds?: readonly HaltedAttempt[];
  /** The number of shared faults so far. */
  readonly sharedFaults?: number;
  /** A fault that several tickets share; absent while there is none. */
  readonly sharedFault?: SharedFault;
  /** No agent starts any more, because every one would meet this halt. */
  readonly halted?: Halt;
  /** Outages under way. */
  readonly outages?: OutageState;
  /** The outage whose time is over: the run ends unjudged once nothing is under way. */
  readonly fatalOutage?: FatalOutage;
  readonly interventions: readonly Intervention[];
  /** The base tips and files that only the engine should change, by key, as last seen: a hash or a commit. */
  readonly fingerprints?: Readonly<Record<string, string>>;
  /** The tracker as a whole. */
  readonly tracker?: TrackerStatus;
  readonly claims: { readonly made: number; readonly upheld: number };
  /** Passed checks, by strength. */
  readonly checks: Readonly<Record<CheckStrength, number>>;
  readonly droppedReports: number;
  /** Incidents after a landing, in order. */
  readonly incidents: readonly Incident[];
  readonly resumes: number;
  /** Times in which no engine ran, in order; absent if there was none. */
  readonly suspensions?: readonly Suspension[];
  readonly end?: {
    readonly at: number;
    readonly kind: EndKind;
    readonly verdict: VerdictWord;
    readonly exitCode: number;
    readonly reason: string;
  };
}

/** Index of a ticket in the plan. Throws if the id is not in the batch. */
export function ticketIndex(state: RunState, id: TicketId): number {
  const index = Object.hasOwn(state.plan.index, id) ? state.plan.index[id] : undefined;
  if (index === undefined) throw new RangeError(`no ticket "${id}" in this batch`);
  return index;
}

/** The state of one ticket by id. Throws if the id is not in the batch. */
export function ticketById(state: RunState, id: TicketId): TicketState {
  return vecAt(state.tickets, ticketIndex(state, id));
}

/** Tickets with a running attempt: those with a slot, in slot order, then those on the finish line. */
export function activeTickets(state: RunState): readonly TicketState[] {
  const indexes = [...state.slots.filter((index) => index !== null), ...state.finishing];
  return indexes.map((index) => vecAt(state.tickets, index));
}

/** Maximum of running attempts per worker slot, so that agents do not run ahead of a slow finish line. */
const ATTEMPTS_PER_SLOT = 2;

/**
 * Slots in which an agent may start now. There are never more agents than requested slots. Slots whose last ticket is still on
 * the finish line come last, because views show it there. `ignoresFinishing`: however many attempts are on the finish line.
 */
export function freeSlots(state: RunState, ignoresFinishing = false): readonly number[] {
  const { finishing, slots, workers } = state;
  const busy = busySlots(state);
  const left = new Set(finishing.map((index) => vecAt(state.tickets, index).attempt?.slot));
  const free = slots.slice(0, workers).flatMap((index, slot) => (index === null ? [slot] : []));
  const bare = free.toSorted((a, b) => Number(left.has(a)) - Number(left.has(b)));
  return bare.slice(
    0,
    Math.max(
      0,
      ignoresFinishing ? workers - busy : Math.min(workers - busy, ATTEMPTS_PER_SLOT * workers - busy - finishing.length),
    ),
  );
}

/** Slots with an agent, surplus ones included. */
export function busySlots({ slots }: Pick<RunState, "slots">): number {
  return slots.reduce((busy: number, index) => busy + Number(index !== null), 0);
}
