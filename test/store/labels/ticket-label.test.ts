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

test("a ticket that cannot be read in the tracker says so on its row", () => {
  const tracked = { ...vecAt(state.tickets, index).tracked, missing: "no such key", unreadable: true } as never;
  expect(queueLabel(runWith({ phase: "human-gated", humanStep: "press", tracked }), id).text).toBe(
    `cannot be read in the tracker · ${queueLabel(runWith({ phase: "human-gated", humanStep: "press" }), id).text}`,
  );
});
