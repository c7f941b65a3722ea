import fc from "fast-check";
import type { Batch, Ticket } from "../../src/domain/batch/schema.ts";
import { admitDiscovery } from "../../src/domain/outbox/discovery.ts";
import type { AgentStopKind, AttemptOutcome } from "../../src/domain/run/attempt-fact.ts";
import { type Command, HumanStep } from "../../src/domain/run/command.ts";
import type { HealOutcome } from "../../src/domain/run/heal-fact.ts";
import { activeTickets, type RunState, ticketById as stateOf } from "../../src/domain/run/state.ts";
import type { TicketState } from "../../src/domain/run/ticket-state.ts";
import { stopReach } from "../../src/domain/schedule/breaker.ts";
import { nextMoment } from "../../src/domain/schedule/decide.ts";
import { questionCap } from "../../src/domain/schedule/money.ts";
import { RepoId, TicketId } from "../../src/domain/values/ids.ts";
import { vecAt, vecItems } from "../../src/domain/values/vec.ts";
import { landNotLive, liveTurns, look, takeBack } from "./play-live.ts";
import { batchOf, honestJudgement, Simulation, ticketOf } from "./simulate.ts";

/** A batch, and the work of its tickets as earlier runs tell it, in milliseconds. */
export interface Given {
  readonly batch: Batch;
  readonly durations: Record<string, number>;
}

const rows = fc.array(
  fc.record({
    deps: fc.array(fc.nat(1_000), { maxLength: 2 }),
    exclusive: fc.option(fc.constantFrom("infra", "db"), { freq: 2 }),
    ms: fc.constantFrom(1, 20, 500, 60_000),
  }),
  { minLength: 1, maxLength: 14 },
);

/** Tickets in an order in which each depends on earlier ones only; an attempt costs `usd` of the 20 that there are. */
export function given(usd: fc.Arbitrary<number>): fc.Arbitrary<Given> {
  const heals = fc.constantFrom(0, 1, 2);
  const onBroken = fc.constantFrom("freeze", "revert", "revert", "continue");
  const workers = fc.constantFrom(1, 1, 2, 3, 4);
  return fc.record({ rows, workers, usd, heals, onBroken }).map(({ rows, workers, usd, heals, onBroken }) => {
    const tickets = rows.map((row, i): Ticket => {
      const dependsOn = i === 0 ? [] : [...new Set(row.deps.map((d) => d % i))].map((d) => TicketId.parse(`T-${d}`));
      return ticketOf(`T-${i}`, { dependsOn, exclusive: row.exclusive === null ? [] : [row.exclusive] });
    });
    const agent = { kind: "command" as const, command: ["x"], usdPerAttempt: usd };
    const durations = Object.fromEntries(rows.map((row, i) => [`T-${i}`, row.ms]));
    return {
      batch: { ...batchOf(tickets, { workers, usdPerRun: 20, discoveries: 3, heals, outageMinutes: 15 }), agent, onBroken },
      durations,
    };
  });
}

const which = fc.nat();
const outcome = fc.constantFrom<AttemptOutcome>("done", "done", "done", "failed", "silent", "lost");

/** Mostly what passes: what ends all starts also ends what there is to see. */
const kind = fc.constantFrom<AgentStopKind>(
  ...(["rate-limited", "rate-limited", "overloaded", "overloaded", "memory", "turns", "unfinished", "rate-limited"] as const),
  ...(["authentication", "permission", "model"] as const),
);
const healed = fc.constantFrom<HealOutcome>("accepted", "accepted", "accepted", "rejected", "failed", "nothing", "wall", "lost");
const retryAfterMs = fc.option(fc.constantFrom(0, 1_000, 3_600_000, 5 * 3_600_000, 30 * 3_600_000), { nil: undefined, freq: 2 });

/** What happens at each turn: to one of those at work or on the finish line, by a person's command, or nothing but time. */
export const turn = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("end" as const), which, outcome }) },
  { weight: 9, arbitrary: fc.record({ do: fc.constant("agent" as const), which, exitCode: fc.constantFrom(0, 0, 0, 1) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("finish" as const), which, outcome }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("stop" as const), which, kind, retryAfterMs }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("ask" as const), which, usd: fc.constantFrom(0, 1, 3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("answer" as const), which, part: fc.constantFrom(0, 0.5, 1) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("away" as const), which, kind, retryAfterMs }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("land" as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("down" as const), which }) },
  ...liveTurns,
  { weight: 1, arbitrary: fc.record({ do: fc.constant("check" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(1, 50, 1_000, 100_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("gate" as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("retry" as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("workers" as const), workers: fc.constantFrom(1, 2, 3, 5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("mend" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("note" as const), kind: fc.constantFrom("work", "harness") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("heal" as const), healed, part: fc.constantFrom(0, 0.5, 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("kill" as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("discover" as const), which, blocks: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("file" as const), which, taken: fc.constantFrom(true, true, false) }) },
);
export type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

/** What looks on: at every state, at every start, and at every moment at which nothing more is decided. */
export interface Watch {
  readonly state?: (state: RunState) => void;
  readonly start?: (state: RunState, index: number) => void;
  readonly still?: (state: RunState) => void;
}

/** Plays a run: the world answers by the turns, and by `otherwise` once they are used up. */
export function play(
  given: Given,
  turns: readonly Turn[],
  watch: Watch,
  otherwise: (sim: Simulation) => void = doneNext,
): Simulation {
  const sim = new Simulation(given.batch, watch.state, given.durations);
  const queue = [...turns];
  for (let step = 0; step < 2_000; step++) {
    const actions = sim.decide();
    for (const action of actions) {
      if (action.do === "start") watch.start?.(sim.state, action.index);
      if (action.do === "abort") sim.endAttempt(action.ticket, action.ending === "gated-by-person" ? "gated" : "killed");
    }
    if (sim.state.stage === "ended") return sim;
    if (actions.length === 0 && sim.state.stage === "working") watch.still?.(sim.state);
    if (sim.state.tripwire.status === "running") sim.report({ type: "tripwire-ended", ok: true, canaries: 30, ms: 900 });
    if (sim.state.stage === "verifying") sim.report({ type: "reverify-ended", reopened: 0 });
    const judged = { final: sim.state.stage === "judging", judgement: honestJudgement(sim.state) };
    if (sim.state.oracle.asking) sim.report({ type: "oracle-judged", ...judged });
    sim.recordHeals();
    const next = queue.shift();
    if (next === undefined && sim.state.heals.running !== undefined) sim.endHeal("accepted", 1);
    else if (next !== undefined) takeTurn(sim, next);
    else if (!takeBack(sim, 0, "ended") && !look(sim, 0, "ok")) otherwise(sim);
  }
  throw new Error("the run did not end");
}

/** What was found is filed, and the first attempt that is under way is done; where there is none, time goes by. */
function doneNext(sim: Simulation): void {
  for (const index of sim.state.filing) fileOne(sim, index, true);
  if (sim.state.paused) sim.report({ type: "run-unpaused" });
  const first = activeTickets(sim.state)[0];
  if (first !== undefined) return sim.endAttempt(first.id, "done");
  const { now } = sim;
  sim.pass((nextMoment(sim.state, now) ?? now) - now);
}

/** Tickets with an agent, in slot order. */
export function working(state: RunState): TicketState[] {
  return state.slots.flatMap((index) => (index === null ? [] : [vecAt(state.tickets, index)]));
}

/** Those on the finish line. */
export function finishing(state: RunState): TicketState[] {
  return state.finishing.map((index) => vecAt(state.tickets, index));
}

/** The tracker takes a discovered ticket, or does not. */
function fileOne(sim: Simulation, index: number, taken: boolean): void {
  const { id } = vecAt(sim.state.tickets, index);
  if (taken) sim.report({ type: "discovery-filed", ticket: id });
  else sim.report({ type: "ticket-stalled", ticket: id, reason: "the tracker is down" });
}

/** The agent on a ticket says that it found another one. */
function discover(sim: Simulation, finder: TicketId, blocks: boolean): void {
  const title = `found ${sim.state.seq}`;
  const admission = admitDiscovery(sim.state, finder, { title, body: "", blocks, reason: "it is missing" });
  const of = sim.of(finder);
  if (admission.ok)
    sim.report({ type: "ticket-discovered", ...of, discovered: admission.ticket, reason: "it is missing", blocks });
  else sim.report({ type: "discovery-refused", ...of, title, why: admission.why });
}

/** The reviewer is asked where its answer can be paid for, as the loop does. */
function ask(sim: Simulation, id: TicketId, usd: number): void {
  const ticket = stateOf(sim.state, id);
  if (ticket.attempt?.asked !== undefined || questionCap(sim.state, ticket, usd) !== undefined) return;
  sim.report({ type: "reviewer-asked", ...sim.of(id), question: "review", reservedUsd: usd });
}

/** It answers for a part of what was set aside. */
function answer(sim: Simulation, id: TicketId, part: number): void {
  const { asked } = stateOf(sim.state, id).attempt ?? {};
  if (asked === undefined) return;
  const { question, reservedUsd } = asked;
  sim.report({ type: "reviewer-answered", ...sim.of(id), question, costUsd: reservedUsd * part, valid: true, says: "" });
}

/** The agent of a ticket ends by itself, unless another one's work goes on; the finish line has what it built, and asks for a review. */
export function toReview(sim: Simulation, id: TicketId): void {
  const { attempt, pendingWork } = stateOf(sim.state, id);
  if (attempt?.slotLeftAt === undefined && pendingWork === undefined) sim.endAgent(id);
  sim.report({ type: "worktree-ready", ...sim.of(id), path: "/w", branch: "b", baseSha: "base" });
  sim.report({ type: "change-captured", ...sim.of(id), tip: `tip-${id}`, files: 1, additions: 1, deletions: 0 });
  ask(sim, id, 0);
}

/** The reviewer does not answer, by a stop; where that is no word about the work, the attempt is postponed, as the loop does. */
export function sendAway(sim: Simulation, id: TicketId, kind: AgentStopKind, retryAfterMs?: number): void {
  const { asked } = stateOf(sim.state, id).attempt ?? {};
  if (asked === undefined) return;
  const stop = { kind, says: "it says so", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  const said = { costUsd: 0, valid: false, says: `it stopped early (${kind})`, stop };
  sim.report({ type: "reviewer-answered", ...sim.of(id), question: asked.question, ...said });
  const reach = stopReach(kind);
  const outcome = reach === "waits" || reach === "run" ? "stopped" : "failed";
  const evidence = { step: "review", name: "review", summary: `no review (${kind})`, detail: "" } as const;
  sim.report({ type: "attempt-ended", ...sim.of(id), outcome, evidence });
}

function takeTurn(sim: Simulation, next: Turn): void {
  const { state } = sim;
  const one = (items: readonly TicketState[], n: number): TicketId | undefined => items[n % Math.max(1, items.length)]?.id;
  switch (next.do) {
    case "pause":
      return void sim.report({ type: state.paused ? "run-unpaused" : "run-paused" });
    case "pass":
      return sim.pass(next.ms);
    case "heal":
      return sim.endHeal(next.healed, next.part);
    case "end":
    case "finish": {
      const id = one(next.do === "end" ? activeTickets(state) : finishing(state), next.which);
      return id === undefined ? undefined : sim.endAttempt(id, next.outcome);
    }
    case "stop": {
      const id = one(working(state), next.which);
      return id === undefined ? undefined : sim.stopAgent(id, next.kind, next.retryAfterMs);
    }
    case "ask": {
      const id = one(finishing(state), next.which);
      return id === undefined ? undefined : ask(sim, id, next.usd);
    }
    case "answer": {
      const id = one(finishing(state), next.which);
      return id === undefined ? undefined : answer(sim, id, next.part);
    }
    case "away": {
      const id = one(activeTickets(state), next.which);
      if (id === undefined) return;
      if (stateOf(state, id).attempt?.asked === undefined) toReview(sim, id);
      return sendAway(sim, id, next.kind, next.retryAfterMs);
    }
    case "agent": {
      const id = one(working(state), next.which);
      return id === undefined ? undefined : sim.endAgent(id, next.exitCode);
    }
    case "land": {
      const id = one(activeTickets(state), next.which);
      const of = { repo: RepoId.parse("app"), from: "a", to: "b" };
      return void (id && sim.report({ type: "merge-intended", ...sim.of(id), ...of }));
    }
    case "down": {
      const id = one(activeTickets(state), next.which);
      return id === undefined ? undefined : landNotLive(sim, id);
    }
    case "look":
      return void look(sim, next.which, next.result);
    case "revert":
      return void takeBack(sim, next.which, next.result);
    case "wait": {
      const id = one(finishing(state), next.which);
      return void (id && sim.report({ type: "merge-waiting", ...sim.of(id), reason: "dirty" }));
    }
    case "discover": {
      const id = one(finishing(state), next.which);
      return id === undefined ? undefined : discover(sim, id, next.blocks);
    }
    case "file": {
      const index = state.filing[next.which % Math.max(1, state.filing.length)];
      return index === undefined ? undefined : fileOne(sim, index, next.taken);
    }
    default:
      return sim.command(commandOf(state, next));
  }
}

const STEP = HumanStep.parse("do it");

/** A person's command; only stalled tickets are retried, if there are any. */
function commandOf(
  state: RunState,
  next: Extract<Turn, { do: "kill" | "gate" | "retry" | "workers" | "mend" | "note" | "check" }>,
): Command {
  const all = [...vecItems(state.tickets)];
  const stalled = all.filter(({ phase }) => phase === "stalled");
  const one = (items: readonly TicketState[], n: number) => items[n % items.length]?.id as TicketId;
  switch (next.do) {
    case "retry":
      return { type: next.do, ticket: one(stalled.length === 0 ? all : stalled, next.which) };
    case "check":
      return { type: "verify", ...(next.which % 2 === 0 ? {} : { ticket: one(all, next.which) }) };
    case "workers":
      return { type: next.do, workers: next.workers };
    case "mend":
      return { type: state.heals.asked ? "drop-heal" : "heal" };
    case "note":
      return { type: next.do, kind: next.kind, text: STEP };
    case "kill":
      return { type: next.do, ticket: one(all, next.which) };
    case "gate":
      return { type: next.do, ticket: one(all, next.which), step: STEP };
  }
}
