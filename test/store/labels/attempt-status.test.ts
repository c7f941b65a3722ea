import { expect, test } from "vitest";
import { ticketOf as stateOf } from "../../../src/domain/run/state.ts";
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
