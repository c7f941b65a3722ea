import { expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { batchOf, ticketOf } from "../domain/simulate.ts";
import type { FakeTicket } from "./world/fake-tracker.ts";
import { World } from "./world/world.ts";

const T1 = TicketId.parse("T-1");
const finish: readonly StepSpec[] = [
  { step: "merge" },
  { step: "verify", name: "live", command: ["verify"] } as never,
  { step: "assert" },
];

/** A run that waits for a live check which keeps failing. */
async function waiting(): Promise<World> {
  const batch = {
    ...batchOf([ticketOf("T-1", { finish })], { workers: 1, attempts: 1, outageMinutes: 15 }),
    tracker: { kind: "local", path: "/tickets" },
    live: { repeats: 20, everySeconds: 300 },
  } as const;
  const world = new World({ batch, agents: [], verifies: new Array(30).fill(false) });
  await world.start();
  await world.pass(120_000);
  expect(world.state.stage).toBe("working");
  return world;
}

const retitled = (world: World): FakeTicket => ({ ...(world.tracker.tickets.get(T1) as FakeTicket), title: "Another title" });
const titleOf = (world: World) => world.state.plan.tickets[0]?.title;

test("the tracker is read at once if it says that it has changed", async () => {
  const world = await waiting();
  world.tracker.write(T1, retitled(world));
  await world.settle();
  expect(titleOf(world)).toBe("Another title");
});

test("the tracker is read every 30 s, whatever it says", async () => {
  const world = await waiting();
  world.tracker.tickets.set(T1, retitled(world));
  await world.settle();
  expect(titleOf(world)).not.toBe("Another title");
  await world.pass(30_000);
  expect(titleOf(world)).toBe("Another title");
});
