import { expect, test } from "vitest";
import { countIntervention, type Intervention } from "../../../src/domain/results/intervention.ts";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import { Command, HumanStep } from "../../../src/domain/run/command.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const at = (ms: number, over: Partial<Intervention> = {}): Intervention => ({
  at: ms,
  class: "I4",
  target: "run",
  note: "",
  ...over,
});

test("what a person tells of is counted each time, with its words", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  const note = (kind: "work" | "harness", text: string) => sim.command({ type: "note", kind, text: HumanStep.parse(text) });
  note("work", "solved a conflict by hand");
  note("work", "wrote the migration");
  note("harness", "gave the key more rights");
  expect(sim.state.interventions.map((i) => `${i.class} ${i.target}: ${i.note}`)).toEqual([
    "I4 run: solved a conflict by hand",
    "I4 run: wrote the migration",
    "I3 run: gave the key more rights",
  ]);
  expect(computeLedger(sim.state).interventions).toMatchObject({ total: 3, work: 2, harness: 1 });
});

test("it takes in nothing that is seen of people, and does not move their window", () => {
  const told = [at(0, { noted: true })];
  expect(countIntervention(told, at(1, { noted: true }))).toHaveLength(2);
  expect(countIntervention(told, at(1))).toHaveLength(2);
  expect(countIntervention([at(0)], at(1, { noted: true }))).toHaveLength(2);
  const seen = [at(0), at(1, { noted: true })];
  expect(countIntervention(seen, at(2))).toBe(seen);
});

test.for([
  [{ type: "retry" }],
  [{ type: "retry", ticket: [] }],
  [{ type: "workers", workers: 0 }],
  [{ type: "workers", workers: 65 }],
  [{ type: "workers", workers: 1.5 }],
  [{ type: "heal", n: 1 }],
  [{ type: "note", kind: "other", text: "x" }],
  [{ type: "note", kind: "work", text: "a\nb" }],
  [{ type: "note", kind: "work", text: "\u001b[2J" }],
])("%j is no command at all", ([input]) => {
  expect(Command.safeParse(input).success).toBe(false);
});
