import { expect, test } from "vitest";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { statusLine } from "../../../src/store/labels/attempt-status.ts";
import { batchOf, Simulation, ticketOf } from "../../domain/simulate.ts";

const T1 = TicketId.parse("T-1");

test("what the prepare commands printed last is not shown as words of the agent", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.decide();
  const shown = (): string | undefined => {
    const { attempt } = stateOf(sim.state, T1);
    return attempt && statusLine(attempt, { finish: [], reviewer: "" }).text;
  };
  sim.report({ type: "prepare-started", command: "npm ci", ...sim.of(T1) });
  sim.report({ type: "activity", text: "added 532 packages", lines: 1, ...sim.of(T1) });
  expect(shown()).toBe("added 532 packages");
  sim.report({ type: "agent-launching", ...sim.of(T1) });
  expect(shown()).toBe("no output yet");
  sim.report({ type: "activity", text: "I read the ticket", lines: 1, ...sim.of(T1) });
  expect(shown()).toBe("I read the ticket");
});

test("the row says what a check runs, and never what its commands print", () => {
  const check = { step: "check", name: "tests", command: ["npm", "test"] } as const;
  const sim = new Simulation(batchOf([ticketOf("T-1", { finish: [check, { step: "merge" }] })]));
  sim.decide();
  const shown = () => {
    const { attempt } = stateOf(sim.state, T1);
    return attempt && statusLine(attempt, { finish: [check], reviewer: "" });
  };
  const begin = (part: string) => sim.report({ type: "step-part-started", part, ...sim.of(T1) });
  const print = () => sim.report({ type: "activity", text: "Successfully installed", lines: 1, ...sim.of(T1) });
  sim.report({ type: "agent-launching", ...sim.of(T1) });
  sim.endAgent(T1);
  sim.report({ type: "step-started", ...sim.of(T1), step: 0, kind: "check", name: "tests" });
  begin("preparing");
  print();
  expect(shown()).toMatchObject({ text: expect.stringContaining("check tests: preparing"), tone: "running" });
  begin("");
  expect(shown()?.text).not.toContain("preparing");
  begin("planted tests, run 2: preparing");
  print();
  expect(shown()?.text).toContain("planted tests, run 2: preparing");
  sim.report({ type: "step-ended", ...sim.of(T1), step: 0, ok: true, summary: "" });
  expect(shown()?.text).not.toContain("planted");
});
