import fc from "fast-check";
import { expect, test } from "vitest";
import { mostHeals } from "../../../src/domain/batch/heals-spec.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import { activeTickets, freeSlots, type RunState } from "../../../src/domain/run/state.ts";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { isRepair, waitsForBase } from "../../../src/domain/schedule/freeze.ts";
import { attemptCap, attemptReserveUsd } from "../../../src/domain/schedule/money.ts";
import { precedes, soonReady } from "../../../src/domain/schedule/slot-reservation.ts";
import { vecAt, vecItems } from "../../../src/domain/values/vec.ts";
import { finishing, given, play, turn, working } from "../play.ts";
import { honestJudgement, type Simulation } from "../simulate.ts";
import { untilMet } from "../until-met.ts";
import { checkReason } from "./check-reason.ts";

const turns = fc.array(turn, { maxLength: 60 });
const priced = given(fc.constantFrom(0, 0, 2));
const free = given(fc.constant(0));

function checkInvariants(state: RunState): void {
  const active = activeTickets(state);
  expect(state.slots).toHaveLength(Math.max(state.workers, state.slots.findLastIndex((index) => index !== null) + 1));
  const held = active.flatMap((t) => state.plan.tickets[state.plan.index[t.id] as number]?.exclusive ?? []);
  expect(new Set(held).size).toBe(held.length);
  const tickets = [...vecItems(state.tickets)];
  for (const [phase, n] of Object.entries(state.counts)) expect(tickets.filter((t) => t.phase === phase).length).toBe(n);
  for (const index of state.ready) {
    expect(vecAt(state.tickets, index).openDeps).toBe(0);
    expect(vecAt(state.tickets, index).phase).toBe("waiting");
  }
  checkSlots(state);
}

/** A slot is its attempt's until the attempt has left it; who has left is on the finish line, once, until its end. */
function checkSlots(state: RunState): void {
  const attempts = [...vecItems(state.tickets)].flatMap(({ attempt }, index) =>
    attempt === undefined ? [] : [{ attempt, index }],
  );
  const [inSlot, left] = [
    attempts.filter((a) => a.attempt.slotLeftAt === undefined),
    attempts.filter((a) => a.attempt.slotLeftAt),
  ];
  const slots = new Array<number | null>(state.slots.length).fill(null);
  for (const { attempt, index } of inSlot) slots[attempt.slot] = index;
  expect(slots.filter((index) => index !== null)).toHaveLength(inSlot.length);
  expect(state.slots).toEqual(slots);
  expect(state.finishing.toSorted((a, b) => a - b)).toEqual(left.map((a) => a.index));
}

/** The tickets that would start now if no slot were kept for anybody: first those that may repair a broken base, then the longest path. */
function couldStart(state: RunState): number[] {
  const starts: number[] = [];
  const repairs = state.ready.filter((index) => isRepair(state, index));
  const taken = new Set(Object.keys(state.held));
  let reserved = 0;
  for (const index of new Set([...repairs, ...state.ready])) {
    const exclusive = state.plan.tickets[index]?.exclusive ?? [];
    const free = freeSlots(state, repairs.includes(index)).length;
    if (state.paused || starts.length >= free || exclusive.some((resource) => taken.has(resource))) continue;
    if (waitsForBase(state, index) !== undefined) continue;
    if (attemptCap(state, vecAt(state.tickets, index), reserved) !== undefined) continue;
    reserved += attemptReserveUsd(state.batch);
    for (const resource of exclusive) taken.add(resource);
    starts.push(index);
  }
  return starts;
}

const startsAt = (state: RunState, at: number) =>
  decide(state, at).flatMap((action) => (action.do === "start" ? [action.index] : []));

/** When the last slot that is kept at this state is kept no more, if nothing happens. */
function allGivenAway(state: RunState): number {
  const ends = finishing(state).map(({ attempt }) => 2 * (attempt?.slotLeftAt ?? 0) - (attempt?.startedAt ?? 0));
  return Math.max(state.lastEventAt, ...ends);
}

/** Only slots are kept, only from shorter paths, and never for longer than the agents before had them. */
function checkKept(state: RunState): void {
  // Nobody starts in a hold, before a heal that was asked for, or after what ends all starts.
  if (state.stage !== "working" || state.backoff !== undefined || state.backoffDue !== undefined || state.halted !== undefined)
    return;
  if (state.heals.asked || state.heals.proving !== undefined) return;
  const could = couldStart(state);
  const starts = startsAt(state, state.lastEventAt);
  expect(starts).toEqual(could.slice(0, starts.length));
  const soon = soonReady(state, state.lastEventAt);
  expect(could.length - starts.length).toBeLessThanOrEqual(soon.length);
  for (const index of could.slice(starts.length)) expect(soon.some((other) => precedes(state, other, index))).toBe(true);
  expect(startsAt(state, allGivenAway(state))).toEqual(could);
}

test("every finite batch ends; slots, resources and dependencies hold at every moment", () => {
  fc.assert(
    fc.property(priced, turns, (given, turns) => {
      const start = (state: RunState, index: number) => {
        expect(activeTickets(state).length).toBeLessThanOrEqual(2 * state.workers);
        expect(working(state).length).toBeLessThanOrEqual(state.workers);
        expect(vecAt(state.tickets, index).attempt?.slot).toBeLessThan(state.workers);
        for (const dep of state.plan.tickets[index]?.dependsOn ?? []) {
          expect(vecAt(state.tickets, state.plan.index[dep] as number).phase).toBe("done");
        }
      };
      const sim = play(given, turns, { state: checkInvariants, start });
      const open = honestJudgement(sim.state).counts.open;
      expect(sim.state.end?.exitCode).toBe(open === 0 ? 0 : 1);
    }),
    { numRuns: 300 },
  );
});

test("a slot is kept only for a longer path, and for no longer than the agent before had it", () => {
  fc.assert(
    fc.property(priced, turns, (given, turns) => {
      play(given, turns, { state: checkKept });
    }),
    { numRuns: 200 },
  );
});

test("finish lines that take forever hold up nobody but those who wait for them: time alone gives every kept slot away", () => {
  let kept = 0;
  const stubborn = (sim: Simulation) => {
    const [agent] = working(sim.state);
    const [landing] = finishing(sim.state);
    if (agent !== undefined) {
      sim.pass(1_000);
      return sim.endAgent(agent.id);
    }
    if (couldStart(sim.state).length > 0) {
      kept += 1;
      sim.pass(allGivenAway(sim.state) - sim.state.lastEventAt);
      expect(sim.decide().filter((action) => action.do === "start").length).toBeGreaterThan(0);
    } else if (landing !== undefined) sim.endAttempt(landing.id, "done");
  };
  fc.assert(
    fc.property(free, (given) => {
      const sim = play(given, [], { state: checkInvariants }, stubborn);
      expect(sim.state.end?.exitCode).toBe(0);
    }),
    { numRuns: 200 },
  );
  expect(kept).toBeGreaterThan(10);
});

/** The first attempt that is under way fails; where there is none, what waits is let go and time goes by. */
function failNext(sim: Simulation): void {
  const [first] = activeTickets(sim.state);
  if (first !== undefined) return sim.endAttempt(first.id, "failed");
  for (const index of sim.state.filing) sim.report({ type: "discovery-filed", ticket: vecAt(sim.state.tickets, index).id });
  if (sim.state.paused) sim.report({ type: "run-unpaused" });
  sim.pass(60_000);
}

test("there are never more heals than may be, none passes a cap, and after each the oracle is proven before it is asked", () => {
  const seen = { heals: 0, accepted: 0, most: 0 };
  fc.assert(
    fc.property(priced, turns, (given, turns) => {
      const state = ({ heals, batch, spentUsd, reservedUsd, stage }: RunState) => {
        expect(heals.started).toBeLessThanOrEqual(mostHeals(batch));
        expect(spentUsd + reservedUsd).toBeLessThanOrEqual(batch.limits.usdPerRun);
        if (stage === "healing") expect(heals.running?.n).toBe(heals.started);
      };
      // Failures only: what is given up is what is healed.
      const worst = turns.map((turn) =>
        "outcome" in turn && turn.outcome === "done" ? { ...turn, outcome: "failed" as const } : turn,
      );
      const sim = play(given, worst, { state }, failNext);
      expect(sim.state.heals.running).toBeUndefined();
      let proven = true;
      for (const event of sim.events) {
        if (event.type === "heal-ended" && event.outcome === "accepted") proven = false;
        if (event.type === "tripwire-ended") proven = event.ok;
        if (event.type === "oracle-asked" && event.final) expect(proven).toBe(true);
      }
      seen.heals += sim.state.heals.started;
      seen.accepted += sim.state.heals.accepted;
      seen.most = Math.max(seen.most, sim.state.heals.started);
    }),
    { numRuns: 300 },
  );
  expect(seen.heals).toBeGreaterThan(30);
  expect(seen.accepted).toBeGreaterThan(15);
  expect(seen.most).toBe(2);
});

/** Whether the events of a run, replayed, give its state; the kinds of events that it had. */
function replayed(...[given, turns]: readonly [Parameters<typeof play>[0], Parameters<typeof play>[1]]): readonly string[] {
  const sim = play(given, turns, {});
  let state: RunState | undefined;
  for (const event of sim.events) state = reduce(state, JSON.parse(JSON.stringify(event)));
  expect(state).toEqual(sim.state);
  expect(JSON.parse(JSON.stringify(sim.state))).toEqual(sim.state);
  return sim.events.map(({ type }) => type);
}

test("a journal replayed gives the state that was live, through JSON as well", () => {
  fc.assert(
    fc.property(priced, turns, (given, turns) => void replayed(given, turns)),
    { numRuns: 200 },
  );
});

test("the same of runs in which people send many commands, which are always the same runs", () => {
  const long = fc.tuple(priced, fc.array(turn, { minLength: 60, maxLength: 90 }));
  const seen = new Set(fc.sample(long, { seed: 1, numRuns: 300 }).flatMap(([given, turns]) => replayed(given, turns)));
  for (const type of ["ticket-retried", "workers-set", "heal-asked", "heal-dropped", "heal-started"])
    expect([...seen]).toContain(type);
});

test("a waiting ticket always has a reason that is true, and where nothing is decided nobody is merely ready", () => {
  const kinds = ["depends", "resource", "slots", "finishing", "reserved", "money", "paused", "backoff", "halted", "healing"];
  const seen = new Set<string>();
  const check = () =>
    fc.assert(
      fc.property(priced, turns, (given, turns) => {
        const state = (state: RunState) => state.plan.tickets.forEach((_, index) => void seen.add(checkReason(state, index)));
        const still = (state: RunState) => {
          for (const index of state.ready) expect(checkReason(state, index)).not.toBe("ready");
        };
        play(given, turns, { state, still });
      }),
      { numRuns: 250 },
    );
  untilMet(() => kinds.filter((kind) => !seen.has(kind)), check);
});
