import { describe, expect, test } from "vitest";
import type { AttemptOutcome } from "../../../src/domain/run/attempt-fact.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { vecFrom, vecItems } from "../../../src/domain/values/vec.ts";
import { runSpan, slotText, timelineRows } from "../../../src/store/results/timeline-segments.ts";
import { batchOf, Simulation, ticketOf } from "../../domain/simulate.ts";

/** One try: its slot, when it began, when its agent left, when it was over and how; without an outcome it goes on. */
type Try = readonly [slot: number, from: number, left: number | undefined, to?: number, outcome?: AttemptOutcome];

/** A run from 0 to 1,000 whose tickets T-1, T-2 and so on were tried as is said. */
function tried(...tickets: readonly (readonly Try[])[]): RunState {
  const { state } = new Simulation(batchOf(tickets.map((_, i) => ticketOf(`T-${i + 1}`))));
  const of = (ticket: TicketState, tries: readonly Try[]): TicketState => {
    const history = tries.flatMap(([slot, startedAt, left, to, outcome], i) => {
      if (to === undefined || outcome === undefined) return [];
      const past = { n: i + 1, slot, startedAt, slotLeftAt: left ?? to, endedAt: to, outcome };
      return [{ ...past, summary: "", claimed: false, costUsd: 0 }];
    });
    const [slot, startedAt, slotLeftAt] = tries.find(([, , , to]) => to === undefined) ?? [];
    if (slot === undefined || startedAt === undefined) return { ...ticket, history };
    const left = slotLeftAt === undefined ? {} : { slotLeftAt };
    const attempt = { n: tries.length, fence: 1, slot, startedAt, reservedUsd: 0, lines: 0, passed: [], ...left };
    return { ...ticket, history, attempt: attempt as unknown as NonNullable<TicketState["attempt"]> };
  };
  const states = [...vecItems(state.tickets)].map((ticket, i) => of(ticket, tickets[i] ?? []));
  return { ...state, startedAt: 0, lastEventAt: 1_000, tickets: vecFrom(states) };
}

/** So wide that a column stands for 10 milliseconds. */
const WIDTH = 5 + 101;
const drawn = (state: RunState, width = WIDTH) => slotText(state, width);
const done = (slot: number, from: number, left: number, to: number): Try => [slot, from, left, to, "done"];

describe("the span of a run", () => {
  test("goes on to the last event, or to its end, and is never nothing", () => {
    const state = tried([]);
    expect(runSpan(state)).toEqual({ from: 0, to: 1_000 });
    const end = { kind: "interrupted", verdict: "unjudged", exitCode: 130, reason: "", at: 700 } as const;
    expect(runSpan({ ...state, end })).toEqual({ from: 0, to: 700 });
    expect(runSpan({ ...state, startedAt: 1_000 })).toEqual({ from: 1_000, to: 1_001 });
  });
});

describe("the rows of slots", () => {
  test("are by number, their bars by time, with the try under way last until now", () => {
    const state = tried([done(2, 500, 600, 650), [0, 700, undefined]], [done(2, 100, 200, 300), [2, 800, 850]]);
    const [T1, T2] = [TicketId.parse("T-1"), TicketId.parse("T-2")];
    expect(timelineRows(state)).toEqual([
      { slot: 0, bars: [{ ticket: T1, n: 2, from: 700, slotLeftAt: 1_000, to: 1_000 }] },
      {
        slot: 2,
        bars: [
          { ticket: T2, n: 1, from: 100, slotLeftAt: 200, to: 300, outcome: "done" },
          { ticket: T1, n: 1, from: 500, slotLeftAt: 600, to: 650, outcome: "done" },
          { ticket: T2, n: 2, from: 800, slotLeftAt: 850, to: 1_000 },
        ],
      },
    ]);
  });
});

describe("the slots as text", () => {
  test("show what shipped, what did not and what goes on, each where it was, up to where its agent left", () => {
    const state = tried([done(1, 100, 200, 900), [1, 300, 400, 450, "failed"]], [[10, 900, undefined]]);
    expect(drawn(state)).toEqual([
      `  2  ${" ".repeat(10)}━T-1━━━━━━${" ".repeat(10)}┅T-1┅┅┅┅┅┅`,
      ` 11  ${" ".repeat(90)}╌T-2╌╌╌╌╌╌`,
      `     0${"┄".repeat(97)} 1s`,
      "     ━ shipped  ┅ not shipped  ╌ running",
    ]);
  });

  test("name a ticket where its name fits with a sign on both sides, and give each try a sign at least", () => {
    expect(drawn(tried([done(0, 0, 50, 50)]))[0]).toBe("  1  ━T-1━");
    expect(drawn(tried([done(0, 0, 40, 40)]))[0]).toBe("  1  ━━━━");
    expect(drawn(tried([done(0, 0, 1, 1)]))[0]).toBe("  1  ━");
  });

  test("put a bar that would cover another behind it", () => {
    expect(drawn(tried([done(0, 0, 4, 4), [0, 4, 30, 30, "failed"]]))[0]).toBe("  1  ━┅┅");
  });

  test("stay within the width, also where a try began after the last event, and where there is no room", () => {
    expect(drawn(tried([done(0, 1_500, 1_600, 1_700)]))[0]).toBe(`  1  ${" ".repeat(100)}━`);
    expect(drawn(tried([done(0, 0, 1_000, 1_000)]), 8)).toEqual(["  1  ━━", "     0 1s"]);
  });

  test("are none where nothing was tried", () => {
    expect(drawn(tried([]))).toEqual([]);
  });
});

describe("an attempt that landed and was not live", () => {
  const first: Try = [0, 0, 400, 500, "landed"];
  const shown = (phase: TicketState["phase"]) => {
    const state = tried([first]);
    const tickets = vecFrom([...vecItems(state.tickets)].map((ticket) => ({ ...ticket, phase })));
    return drawn({ ...state, tickets })[0];
  };

  test("is drawn as landed, and as shipped once it is live", () => {
    expect(shown("landed")).toMatch(/^ {2}1 {2}≈T-1━+$/);
    expect(shown("done")).toMatch(/^ {2}1 {2}━T-1━+$/);
  });
});
