import { expect, test } from "vitest";
import { describeReason, whyNot } from "../../src/domain/schedule/why-not.ts";
import { Outages } from "../../src/loop/concurrency/outages.ts";
import { TrackerWatch } from "../../src/loop/run/tracker-watch.ts";
import { batchOf, Simulation, ticketOf } from "../domain/simulate.ts";
import { T2 } from "./drift-stage.ts";
import { FakeClock } from "./fake-clock.ts";
import { FakeTracker } from "./world/fake-tracker.ts";

test("a ticket on hold that is deleted is told as gone, and is on hold again once it is back", async () => {
  const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
  const clock = new FakeClock();
  const fake = new FakeTracker(sim.state.batch.tickets);
  const report = (fact: Parameters<typeof sim.report>[0]) => {
    sim.report(fact);
    return true;
  };
  const outages = new Outages({ clock, minutes: 15, report });
  const { run, batch } = sim.state;
  const context = { run, batch, confined: true, tracker: fake.port(), clock, state: () => sim.state, report, outages };
  const watch = new TrackerWatch(context);
  const poll = async () => {
    await watch.poll();
    clock.advance(2_000);
    await watch.poll();
    return describeReason(whyNot(sim.state, 1));
  };
  const ticket = fake.tickets.get(T2);
  if (ticket === undefined) throw new Error("no ticket");
  fake.write(T2, { ...ticket, held: "it is canceled" });
  expect(await poll()).toBe("on hold: it is canceled");
  fake.write(T2, undefined);
  expect(await poll()).toBe("the tracker lacks it: there is no such ticket; it cannot be judged");
  fake.write(T2, { ...ticket, held: "it is canceled" });
  expect(await poll()).toBe("on hold: it is canceled");
  watch.stop();
});
