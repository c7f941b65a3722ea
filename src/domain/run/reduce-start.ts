import type { TestCommands } from "../batch/prepare-command.ts";
import type { Ticket } from "../batch/schema.ts";
import { grownPlan, planBatch } from "../schedule/plan.ts";
import { enqueue, requeue, withTicket } from "../schedule/queue.ts";
import type { RepoId, TicketId } from "../values/ids.ts";
import { vecAt, vecFrom, vecPush } from "../values/vec.ts";
import { firstSeen, TRACKER_UNREAD, type TrackerState } from "./drift-fact.ts";
import type { CarriedOverWork, EarlierLanding, RunEvent } from "./event.ts";
import type { GrowthFact } from "./growth-fact.ts";
import { NO_HEALS } from "./heals-state.ts";
import { idleLive } from "./live-check.ts";
import { withBase, withRepoBase } from "./reduce-base.ts";
import { firstComplexity } from "./reduce-complexity.ts";
import { NOTHING_ASKED } from "./reviewer-counts.ts";
import { type RunState, ticketIndex } from "./state.ts";
import type { Phase, TicketState } from "./ticket-state.ts";

type Started = Extract<RunEvent, { type: "run-started" }>;

/** The first state of a run: every ticket waits, except those that the tracker already holds settled. */
export function initialState(event: Started): RunState {
  const plan = planBatch(event.batch.tickets, event.durations);
  const settled = new Map(event.settled.map((s) => [s.id, s]));
  const isDone = (id: Started["settled"][number]["id"]) => settled.get(id)?.as === "done";
  const left = new Map(event.carriedOver?.map(({ id, ...work }) => [id, work]));
  const reopened = new Map(event.reopened?.map(({ id, landedEarlier }) => [id, landedEarlier]));
  const tracked = new Map(event.tracked?.map(({ id, ...read }) => [id, read]));
  const tickets = plan.tickets.map((ticket): TicketState => {
    const known = settled.get(ticket.id);
    const untracked = newTicket(event.batch, ticket, ticket.dependsOn.filter((dep) => !isDone(dep)).length);
    const read = tracked.get(ticket.id);
    const fresh = {
      ...untracked,
      ...(read !== undefined && { tracked: firstSeen(trackerStateAtStart(known), read) }),
      ...withReopening(reopened.get(ticket.id)),
    };
    const work = left.get(ticket.id);
    // Its agent's claim was counted in its own run.
    if (known === undefined) return work === undefined ? fresh : withWork(fresh, work, event);
    const { as, step, landedEarlier } = known;
    const landed = landedEarlier === undefined ? {} : { landedEarlier };
    return { ...fresh, phase: as, ...(step === undefined ? {} : { humanStep: step }), ...landed };
  });
  const state = emptyState(event, plan, tickets);
  const notLive = tickets.reduce((s, t, i) => (t.phase === "landed" ? withBase(s, i, event.at) : s), state);
  const known = withFailingChecks(notLive, event);
  const isReady = ({ phase, openDeps, tracked }: TicketState) => phase === "waiting" && openDeps === 0 && !tracked?.onHold;
  return tickets.reduce((s, t, i) => (isReady(t) ? enqueue(s, i) : s), known);
}

/** Checks that the last run left failing on its bases are known to fail until they have run again. */
function withFailingChecks(state: RunState, { at, failingChecks = {} }: Started): RunState {
  const known = Object.entries(failingChecks).map(([repo, check]) => [repo, { ...check, since: at }] as const);
  let next: RunState = { ...state, failingChecks: Object.fromEntries(known) };
  for (const [repo] of known) next = withRepoBase(next, repo as RepoId, at);
  return next;
}

/** A ticket that a person reopened between two runs: its next agent is told, as after a reopening during a run. */
function withReopening(landed: EarlierLanding | undefined): Partial<TicketState> {
  if (landed === undefined) return {};
  const { run, sha } = landed;
  const summary = `a person reopened it in the tracker after run ${run} had landed it as ${sha.slice(0, 12)}; the base holds that change`;
  return { landedEarlier: landed, evidence: [{ step: "tracker", name: "tracker", summary, detail: "" }] };
}

function trackerStateAtStart(settled: Started["settled"][number] | undefined): TrackerState {
  if (settled?.as === "done") return { as: "done" };
  return settled === undefined ? { as: "open" } : { as: "human-gated", step: settled.step ?? "" };
}

/** A ticket with work of an earlier run: what had landed is checked at once, and the rest goes on without an agent. */
function withWork(
  ticket: TicketState,
  { live, landedEarlier, ...work }: Omit<CarriedOverWork, "id">,
  { at, checksTicket = ticket.id }: Pick<Started, "at" | "checksTicket">,
): TicketState {
  if (live === undefined) return { ...ticket, pendingWork: { ...work, claimed: false } };
  const { givenUp: _, isOutOfAttempts: __, revert, ...unplanned } = idleLive(live);
  const rest = revert?.failed === undefined ? unplanned : { ...unplanned, revert };
  const recheck = { ...rest, attempt: 0, claimed: false, failed: 0, requested: 0, inconclusive: 0, reopened: 0 };
  const next = checksTicket === ticket.id ? { nextAt: at } : { givenUp: `this run checks only ${checksTicket}` };
  const landed = landedEarlier === undefined ? {} : { landedEarlier };
  return { ...ticket, ...landed, phase: "landed", mergedSha: live.sha, mergedFrom: live.from, live: { ...recheck, ...next } };
}

/** A ticket without a history that waits for `openDeps` others. `finder` is the ticket whose worker found it. */
function newTicket(
  batch: Started["batch"],
  ticket: Ticket,
  openDeps: number,
  finder?: Pick<TicketState, "complexity">,
): TicketState {
  const { id, foundBy, fromRepo } = ticket;
  const found = foundBy === undefined ? {} : { foundBy };
  const rated = firstComplexity(batch, ticket, finder);
  const phase = fromRepo === undefined ? { phase: "waiting" as const } : waitsForPerson(`${foundBy} in ${fromRepo}`);
  return { id, ...phase, openDeps, failures: 0, costUsd: 0, history: [], evidence: [], ...found, ...rated };
}

/** Words of one repository's agent reach agents of another one once a person has read them. A retry lets the ticket in. */
function waitsForPerson(finder: string): Pick<TicketState, "phase" | "stalledBy" | "stalledReason"> {
  const stalledReason = `the worker on ${finder} found it for this other repository: read it, then let it in with a retry (r)`;
  return { phase: "stalled", stalledBy: "origin", stalledReason };
}

const NOTHING_COUNTED: Pick<RunState, "blockers" | "checks" | "claims" | "discoveries" | "reviewer" | "transients"> = {
  reviewer: NOTHING_ASKED,
  blockers: { claimed: 0, upheld: 0, rejected: 0 },
  discoveries: { filed: 0, refused: 0 },
  transients: { retried: 0, passed: 0 },
  claims: { made: 0, upheld: 0 },
  checks: { compared: 0, uncompared: 0, "exit-code": 0 },
};

function countPhases(tickets: readonly TicketState[]): Readonly<Record<Phase, number>> {
  const counts = { waiting: 0, working: 0, finishing: 0, landed: 0, done: 0, "human-gated": 0, stalled: 0 };
  for (const ticket of tickets) counts[ticket.phase] += 1;
  return counts;
}

/** The interventions of people, and the status of the tracker. */
function interventionsAndTracker({ at, gaveUp }: Started): Pick<RunState, "interventions" | "tracker"> {
  if (gaveUp === undefined) return { interventions: [], tracker: TRACKER_UNREAD };
  const note = `gave up the unfinished run ${gaveUp} (--fresh)`;
  return { interventions: [{ at, class: "I5", target: gaveUp, note, observed: true }], tracker: TRACKER_UNREAD };
}

function emptyState(event: Started, plan: RunState["plan"], tickets: readonly TicketState[]): RunState {
  const counts = countPhases(tickets);
  return {
    run: event.run,
    seq: event.seq,
    batch: event.batch,
    batchPath: event.batchPath,
    oracleSha: event.oracleSha,
    batchSha: event.batchSha,
    repoUrls: event.repoUrls,
    frozen: event.frozen,
    sandboxed: event.sandboxed,
    startedAt: event.at,
    lastEventAt: event.at,
    plan,
    tickets: vecFrom(tickets),
    ready: [],
    exhausted: [],
    gating: [],
    filing: [],
    slots: new Array<null>(event.batch.limits.workers).fill(null),
    finishing: [],
    held: {},
    heldElsewhere: {},
    counts,
    landings: {},
    brokenBases: {},
    failingChecks: {},
    proofs: {},
    reverting: [],
    lastFence: 0,
    stage: "working",
    checksOnly: event.checksOnly,
    isAttended: event.attended,
    checksTicket: event.checksTicket,
    paused: false,
    workers: event.batch.limits.workers,
    reverified: false,
    oracle: { asking: false, judged: 0, finalJudgements: 0, recent: [] },
    version: event.version,
    tripwire: { status: "due", canaries: 0, ms: 0 },
    heals: NO_HEALS,
    spentUsd: 0,
    spentTodayUsd: event.spentTodayUsd,
    reservedUsd: 0,
    ...NOTHING_COUNTED,
    ...interventionsAndTracker(event),
    droppedReports: 0,
    incidents: [],
    resumes: 0,
  };
}

/** Events by which a batch grows or changes: a worker found a ticket, a person added one, the engine files it. */
export type GrowthEvent = Extract<RunEvent, { type: "ticket-discovered" | "discovery-filed" | GrowthFact["type"] }>;

/**
 * Folds growth. The ticket belongs to the batch from its discovery on, and nothing takes it out again. It can start once the
 * tracker holds it. Throws a RangeError if its id is taken.
 */
export function reduceGrowth(state: RunState, event: GrowthEvent): RunState {
  switch (event.type) {
    case "ticket-discovered":
      return discovered(state, event);
    case "ticket-added":
      return grown(state, event.added, { plan: grownPlan(state.plan, event.added), at: event.at });
    case "discovery-filed":
      return filed(state, ticketIndex(state, event.ticket));
    case "batch-changed":
      return changed(state, event);
  }
}

/** The state with one ticket more, which is to be filed. */
function grown(
  state: RunState,
  ticket: Ticket,
  { plan, at }: Pick<RunState, "plan"> & { readonly at: number },
  finder?: TicketState,
): RunState {
  const isOpen = (id: TicketId) => vecAt(state.tickets, ticketIndex(state, id)).phase !== "done";
  const fresh = newTicket(state.batch, ticket, ticket.dependsOn.filter(isOpen).length, finder);
  return {
    ...state,
    plan,
    tickets: vecPush(state.tickets, { ...fresh, joinedAt: at, unfiled: true }),
    counts: { ...state.counts, [fresh.phase]: state.counts[fresh.phase] + 1 },
    filing: [...state.filing, state.plan.tickets.length],
    reverified: false,
  };
}

/** A person changed the bounds. The frozen set follows: from here on, it is what the tripwire compares. */
function changed(
  state: RunState,
  { limits, protect, finish, contracts, frozen }: Extract<GrowthEvent, { type: "batch-changed" }>,
): RunState {
  const withChangedParts = (ticket: Ticket): Ticket => {
    const line = finish !== undefined && Object.hasOwn(finish.tickets, ticket.id) ? finish.tickets[ticket.id] : undefined;
    return withChangedContract(line === undefined ? ticket : { ...ticket, finish: line }, contracts);
  };
  const { testCommands, ...before } = state.batch;
  const commands = finish === undefined ? testCommands : finish.testCommands;
  return {
    ...state,
    batch: {
      ...before,
      ...(limits && { limits }),
      ...(protect && { protect }),
      ...(finish && { finish: finish.batch }),
      ...(commands && { testCommands: commands as TestCommands }),
      tickets: before.tickets.map(withChangedParts),
    },
    plan: { ...state.plan, tickets: state.plan.tickets.map(withChangedParts) },
    frozen: frozen.after,
    isBatchChanged: true,
    reverified: false,
  };
}

function withChangedContract(ticket: Ticket, contracts: Extract<GrowthEvent, { type: "batch-changed" }>["contracts"]): Ticket {
  if (contracts === undefined || !Object.hasOwn(contracts, ticket.id)) return ticket;
  const { contract: _, ...bare } = ticket;
  const contract = contracts[ticket.id];
  return contract == null ? bare : { ...bare, contract };
}

function discovered(state: RunState, event: Extract<GrowthEvent, { type: "ticket-discovered" }>): RunState {
  const finder = ticketIndex(state, event.ticket);
  const ticket = vecAt(state.tickets, finder);
  if (ticket.attempt?.fence !== event.fence) throw new RangeError(`no attempt with fence ${event.fence}`);
  const plan = grownPlan(state.plan, event.discovered, event.blocks ? finder : undefined);
  const next = grown(state, event.discovered, { plan, at: event.at }, ticket);
  if (!event.blocks) return next;
  // The ticket has a part: if this attempt is lost, the next one is not asked for parts again.
  const { due, ...rest } = ticket;
  const left = due === undefined || due.action === "split" ? rest : { ...rest, due };
  return withTicket(next, finder, { ...left, openDeps: ticket.openDeps + 1 });
}

/** The tracker holds it. A ticket that was given up because the tracker did not take it is open again. */
function filed(state: RunState, index: number): RunState {
  const { unfiled, stalledReason, endedAt: _, ...ticket } = vecAt(state.tickets, index);
  if (unfiled === undefined) return state;
  const waits = ticket.stalledBy === "origin" && stalledReason !== undefined;
  const next = withTicket(state, index, waits ? { ...ticket, stalledReason } : { ...ticket, phase: "waiting" });
  const { discoveries, filing } = state;
  const isDiscovery = ticket.foundBy !== undefined;
  return requeue(
    {
      ...next,
      filing: filing.filter((other) => other !== index),
      discoveries: { ...discoveries, filed: discoveries.filed + Number(isDiscovery) },
      reverified: false,
    },
    index,
  );
}
