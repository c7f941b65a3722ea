import { describe, expect, test } from "vitest";
import type { RunState } from "../../../src/domain/run/state.ts";
import type { TicketState } from "../../../src/domain/run/ticket-state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { vecAt, vecWith } from "../../../src/domain/values/vec.ts";
import { queueLabel } from "../../../src/store/labels/ticket-label.ts";
import { plumbing } from "../scenes.ts";

const { state } = plumbing();
const id = TicketId.parse("T-1");
const index = state.plan.index[id] as number;

/** The run with this change to T-1. */
function runWith(over: Partial<TicketState>): { run: RunState } {
  const tickets = vecWith(state.tickets, index, { ...vecAt(state.tickets, index), ...over });
  return { run: { ...state, tickets } };
}

describe("the row of a done ticket", () => {
  test("names the commit that landed it, and the person who closed it", () => {
    const { attempt: _, mergedSha: __, ...ticket } = vecAt(state.tickets, index);
    const done = { ...ticket, phase: "done" } as const;
    const tickets = (one: TicketState): { run: RunState } => ({ run: { ...state, tickets: vecWith(state.tickets, index, one) } });
    expect(queueLabel(tickets({ ...done, mergedSha: "52f2056f" }), id).text).toBe("52f2056");
    expect(queueLabel(tickets({ ...done, closedByPerson: "closed" }), id).text).toBe("closed by a person");
    expect(queueLabel(tickets({ ...done, closedByPerson: "closed", mergedSha: "52f2056f" }), id).text).toBe(
      "closed by a person · 52f2056",
    );
  });
});

describe("the row of a ticket that is gone from the tracker", () => {
  const tracked = { ...vecAt(state.tickets, index).tracked, unavailable: "there is no such ticket" } as never;
  const { attempt: _, ...waiting } = vecAt(state.tickets, index);
  const tickets = vecWith(state.tickets, index, { ...waiting, phase: "waiting", tracked } as TicketState);
  const oracle = { since: 0, why: "T-1 is missing", nextAt: 1, until: Date.UTC(2026, 4, 4, 12, 42, 10) };
  const text = (run: RunState) => queueLabel({ run }, id).text;

  test("says what to do, and when the run ends that waits for it alone", () => {
    expect(text({ ...state, tickets })).toMatch(
      /^restore it in the tracker, or no run is done without it; --fresh begins a run without it · .*there is no such ticket/,
    );
    expect(text({ ...state, tickets, outages: { oracle } })).toMatch(
      /^restore it in the tracker, or the run ends unjudged at \d\d:42:10; --fresh begins/,
    );
  });

  test("says nothing of that once the run has ended, or if it is on hold", () => {
    const end = { at: 1, kind: "unjudged", verdict: "unjudged", exitCode: 3, reason: "x" } as never;
    expect(text({ ...state, tickets, end })).not.toContain("restore");
    const held = vecWith(tickets, index, {
      ...vecAt(tickets, index),
      tracked: { ...(tracked as object), onHold: true } as never,
    });
    expect(text({ ...state, tickets: held, outages: { oracle } })).toMatch(/^on hold: /);
  });
});

test("a ticket that cannot be read in the tracker says so on its row", () => {
  const tracked = { ...vecAt(state.tickets, index).tracked, unavailable: "no such key", unreadable: true } as never;
  expect(queueLabel(runWith({ phase: "human-gated", humanStep: "press", tracked }), id).text).toBe(
    `cannot be read in the tracker · correct it in the tracker, or no run is done without it; --fresh begins a run without it · ${queueLabel(runWith({ phase: "human-gated", humanStep: "press" }), id).text}`,
  );
});
