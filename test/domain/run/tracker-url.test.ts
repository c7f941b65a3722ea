import { describe, expect, test } from "vitest";
import { firstReading } from "../../../src/domain/run/drift-fact.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const words = { id: T1, revision: "r", titleSha: "t", bodySha: "b" };
const open = { ...words, state: { as: "open" } } as const;
const url = "https://tracker.example/T-1";
const urlOf = (sim: Simulation) => stateOf(sim.state, T1).tracked?.url;

test("the reading that goes on record has a page that people may be sent to, and no other", () => {
  expect(firstReading({ ...open, url })).toEqual({ ...words, url });
  expect(firstReading({ ...open, url: "https://someone:word@tracker.example/" })).toEqual(words);
  expect(firstReading({ ...open, url: "javascript:alert(1)" })).toEqual(words);
  expect(firstReading(open)).toEqual(words);
});

test("what people call it in the tracker goes on record without what a terminal would act upon", () => {
  expect(firstReading({ ...open, serviceId: "ENG-\u001b[2J31" })).toEqual({ ...words, serviceId: "ENG-31" });
});

describe("a ticket's page", () => {
  test("is known from its first reading on, whatever people change of the ticket", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    expect(urlOf(sim)).toBeUndefined();
    sim.report({ type: "tracker-read", tickets: [{ ...words, url }] });
    expect(urlOf(sim)).toBe(url);
    const { id: _, ...now } = words;
    sim.report({
      type: "tracker-drifted",
      ticket: T1,
      change: { kind: "rewritten", title: "x", body: "y" },
      now: { ...now, revision: "r2" },
    });
    expect(urlOf(sim)).toBe(url);
    sim.report({ type: "tracker-writing", ticket: T1, state: { as: "done" } });
    sim.report({ type: "tracker-written", ticket: T1, state: { as: "done" }, revision: "r3" });
    expect(urlOf(sim)).toBe(url);
  });

  test("is unknown if the tracker gives none", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.report({ type: "tracker-read", tickets: [words] });
    expect(stateOf(sim.state, T1).tracked).toEqual({
      state: { as: "open" },
      revision: "r",
      words: { titleSha: "t", bodySha: "b" },
    });
  });
});
