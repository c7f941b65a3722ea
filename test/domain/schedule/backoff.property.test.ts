import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentStopKind } from "../../../src/domain/run/attempt-fact.ts";
import { activeTickets, type RunState } from "../../../src/domain/run/state.ts";
import { isBackingOff, LONGEST_BACKOFF_MS } from "../../../src/domain/schedule/backoff.ts";
import { TURNED_AWAY } from "../../../src/domain/schedule/breaker.ts";
import { nextMoment } from "../../../src/domain/schedule/decide.ts";
import { setAside } from "../../../src/domain/schedule/money.ts";
import { vecAt, vecItems } from "../../../src/domain/values/vec.ts";
import { given, play, sendAway, toReview, turn } from "../play.ts";
import { honestJudgement, type Simulation } from "../simulate.ts";
import { uncounted, untilMet } from "../until-met.ts";

const turns = fc.array(turn, { maxLength: 60 });
const priced = given(fc.constantFrom(0, 1, 2, 3));

/** Cents are not whole in binary: what is added and taken away again may be off by less than this. */
const SLACK = 1e-9;

/** What is spent and set aside is never more than any cap, and what is set aside is what somebody may still cost. */
function checkMoney(state: RunState): void {
  const { limits } = state.batch;
  const tickets = [...vecItems(state.tickets)];
  expect(state.spentUsd + state.reservedUsd).toBeLessThanOrEqual(limits.usdPerRun + SLACK);
  const aside = tickets.reduce((sum, { attempt }) => sum + setAside(attempt), state.heals.running?.reservedUsd ?? 0);
  expect(Math.abs(state.reservedUsd - aside)).toBeLessThan(SLACK);
  expect(
    Math.abs(
      state.spentUsd -
        state.heals.usd -
        tickets.reduce((sum, t) => sum + t.history.reduce((usd, past) => usd + past.costUsd, 0) + underWay(t.attempt), 0),
    ),
  ).toBeLessThan(SLACK);
  for (const ticket of tickets) {
    expect(ticket.costUsd + setAside(ticket.attempt)).toBeLessThanOrEqual(limits.usdPerTicket + SLACK);
    expect(ticket.failures).toBeLessThanOrEqual(limits.attempts);
  }
}

function underWay(attempt: { agent?: { costUsd?: number }; questionsUsd?: number } | undefined): number {
  return (attempt?.agent?.costUsd ?? 0) + (attempt?.questionsUsd ?? 0);
}

test("no agent starts in a hold or after what ends all starts; no cap is passed; every run ends", () => {
  const seen = { held: 0, halted: 0, parked: 0, turnedAway: 0, ofReviewer: 0, postponed: 0 };
  const check = () =>
    fc.assert(
      fc.property(priced, turns, (given, turns) => {
        const start = (state: RunState, index: number) => {
          const { attempt } = vecAt(state.tickets, index);
          expect(state.halted).toBeUndefined();
          expect(state.backoffDue).toBeUndefined();
          expect(isBackingOff(state, attempt?.startedAt ?? 0)).toBe(false);
        };
        const watch = (state: RunState) => {
          checkMoney(state);
          const { backoff, rateLimited = {} } = state;
          const since = Math.max(
            0,
            ...Object.values(rateLimited).flatMap((party) => Object.values(party).map(({ since }) => since)),
          );
          if (backoff !== undefined && since > 0) expect(backoff.until - since).toBeLessThanOrEqual(LONGEST_BACKOFF_MS);
          seen.held += backoff === undefined ? 0 : 1;
        };
        const { state, events } = play(given, turns, { state: watch, start });
        const isOver = state.fatalOutage !== undefined;
        expect(state.end?.exitCode).toBe(isOver ? 3 : honestJudgement(state).counts.open === 0 ? 0 : 1);
        if (state.halted !== undefined && state.end?.exitCode === 1)
          expect(state.end.reason).toContain("no agent starts any more");
        seen.halted += state.halted === undefined ? 0 : 1;
        seen.parked += state.halted?.until === undefined ? 0 : 1;
        seen.ofReviewer += state.halted?.party === undefined ? 0 : 1;
        for (const { id, signs, history } of vecItems(state.tickets)) {
          const retries = events.filter((event) => event.type === "ticket-retried" && event.ticket === id).length;
          // Those during an outage, whose waits double.
          const away = 12 * (1 + retries);
          const most = (TURNED_AWAY + 1) * given.batch.limits.attempts * (1 + retries) + given.batch.limits.workers + away;
          expect(history.filter(({ outcome }) => outcome === "failed" || outcome === "stopped").length).toBeLessThanOrEqual(most);
          seen.postponed += history.filter(({ outcome }) => outcome === "stopped").length;
          seen.turnedAway += signs?.turnedAway ?? 0;
        }
      }),
      { numRuns: 300 },
    );
  untilMet(() => uncounted(seen), check);
});

test("a reviewer that is never to be had costs one agent a ticket, and the run ends all the same", () => {
  const kinds = fc.array(fc.constantFrom<AgentStopKind>("rate-limited", "overloaded", "rate-limited", "authentication"), {
    minLength: 1,
    maxLength: 40,
  });
  const seen = { halted: 0, stalled: 0, away: 0 };
  const check = () =>
    fc.assert(
      fc.property(given(fc.constantFrom(0, 1)), kinds, fc.constantFrom(1, 3_600_000), (given, kinds, retryAfterMs) => {
        let asked = 0;
        const nobodyAnswers = (sim: Simulation): void => {
          const first = activeTickets(sim.state)[0];
          const now = sim.state.lastEventAt;
          if (first === undefined) return sim.pass((nextMoment(sim.state, now) ?? now) - now);
          toReview(sim, first.id);
          sendAway(sim, first.id, kinds[asked++ % kinds.length] ?? "overloaded", retryAfterMs);
        };
        const { state, events } = play(given, [], { state: checkMoney }, nobodyAnswers);
        const isOver = state.fatalOutage !== undefined;
        expect(state.end).toMatchObject(isOver ? { kind: "unjudged", exitCode: 3 } : { kind: "not-done", exitCode: 1 });
        seen.away += isOver ? 1 : 0;
        for (const ticket of vecItems(state.tickets)) {
          expect(events.filter((e) => e.type === "agent-launching" && e.ticket === ticket.id).length).toBeLessThanOrEqual(1);
          expect(ticket.history.length).toBeLessThanOrEqual(TURNED_AWAY + given.batch.limits.attempts + 12);
          if (ticket.history.length > 0) expect(ticket.pendingWork).toMatchObject({ tip: `tip-${ticket.id}`, claimed: true });
          seen.stalled += ticket.phase === "stalled" ? 1 : 0;
        }
        seen.halted += state.halted === undefined ? 0 : 1;
      }),
      { numRuns: 200 },
    );
  untilMet(() => uncounted(seen), check);
});
