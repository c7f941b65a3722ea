import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { reduce } from "../../src/domain/run/reduce.ts";
import type { RunState } from "../../src/domain/run/state.ts";
import { Player } from "../../src/store/player.ts";
import { claimsEnded, crowd, plumbingEnded } from "./scenes.ts";

function playerOf(events: readonly RunEvent[], every = 1_000) {
  let read = 0;
  const player = new Player({
    every,
    *read(after) {
      for (const event of events.slice(after)) {
        read += 1;
        yield event;
      }
    },
  });
  for (const event of events) player.record(event);
  return { player, read: () => read };
}

function statesOf(events: readonly RunEvent[]): readonly RunState[] {
  const states: RunState[] = [];
  for (const event of events) states.push(reduce(states.at(-1), event));
  return states;
}

describe("a player", () => {
  test.each([
    ["a run that is done", plumbingEnded()],
    ["one with reviewers, finds and a hold", claimsEnded()],
    ["a crowd at work", crowd({ tickets: 40, workers: 16 })],
  ])("of %s gives at any place, in any order, what reducing from scratch gives", (_, { events }) => {
    const states = statesOf(events);
    const anywhere = fc.array(fc.integer({ min: 1, max: events.length }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(anywhere, fc.constantFrom(1, 2, 7, 50, 1_000), (places, every) => {
        const { player } = playerOf(events, every);
        for (const place of places) expect(player.seek(place)).toEqual(states[place - 1]);
      }),
    );
  });

  test("shows each event that it plays on the way, with the state after it", () => {
    const { events } = plumbingEnded();
    const { player } = playerOf(events);
    player.seek(3);
    const passed: number[] = [];
    player.seek(9, (event, state) => {
      expect(state.seq).toBe(event.seq);
      passed.push(event.seq);
    });
    expect(passed).toEqual([4, 5, 6, 7, 8, 9]);
  });

  test("reads no more than lies between two states that it keeps, and playing on reads nothing twice", () => {
    const { events } = plumbingEnded();
    const { player, read } = playerOf(events, 10);
    for (let seq = 1; seq <= events.length; seq++) player.seek(seq);
    expect(read()).toBeLessThanOrEqual(events.length);
    const before = read();
    player.seek(27);
    player.seek(18);
    expect(read() - before).toBeLessThanOrEqual(6 + 7);
  });

  test("knows the event of any time, also where the machine's clock was set back", () => {
    const { events } = plumbingEnded();
    const set = events.map((event, i) => (i > 30 && i < 40 ? { ...event, at: event.at - 3_600_000 } : event));
    const { player } = playerOf(set);
    const times = set.map((_, i) => player.eventTime(i + 1));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(fc.integer({ min: (times[0] ?? 0) - 5_000, max: (times.at(-1) ?? 0) + 5_000 }), (time) => {
        expect(player.seqAt(time)).toBe(Math.max(1, times.filter((at) => at <= time).length));
      }),
    );
  });

  test("refuses places that are not in the run, and a tape that has become shorter", () => {
    const { events } = plumbingEnded();
    const { player } = playerOf(events);
    expect(() => player.seek(0)).toThrow("no event 0");
    expect(() => player.seek(events.length + 1)).toThrow("no event");
    const cut = new Player({ read: (after) => events.slice(after, 5) });
    for (const event of events) cut.record(event);
    expect(() => cut.seek(9)).toThrow("the tape ends after event 5");
  });
});
