import { expect, test } from "vitest";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { renderSummaryText } from "../../../src/store/results/summary.ts";
import { landNotLive, takeBack } from "../../domain/play-live.ts";
import { batchOf, Simulation, ticketOf } from "../../domain/simulate.ts";

const T1 = TicketId.parse("T-1");

test("a ticket that a person closes after the engine has reverted its change is listed with the revert", () => {
  const finish = [{ step: "merge" }, { step: "verify", name: "live", command: ["true"] }, { step: "assert" }] as const;
  const batch = {
    ...batchOf([ticketOf("T-1", { finish: [...finish] })]),
    onBroken: "revert",
    live: { repeats: 0, everySeconds: 1 },
  } as const;
  const sim = new Simulation(batch);
  sim.decide();
  landNotLive(sim, T1);
  sim.decide();
  expect(takeBack(sim, 0, "ended")).toBe(true);
  sim.report({ type: "tracker-drifted", ticket: T1, change: { kind: "closed" } });
  expect(renderSummaryText(sim.state)).toMatch(
    /closed by a person[^\n]*\n\s+landed as landed-, reverted by reverte; the live check passes without it/,
  );
});
