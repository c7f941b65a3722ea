import { expect, test } from "vitest";
import { createServiceTracker } from "../../../../src/adapters/tracker/service/service-tracker.ts";
import type { TicketService } from "../../../../src/adapters/tracker/service/ticket-service.ts";

/** A service that is only told to forget. */
function aService(forget: () => void): TicketService {
  const never = () => Promise.reject(new Error("it is not asked"));
  return { name: "a service", snapshot: never, taken: never, set: never, file: never, forget };
}

test("a tracker of a service is told of changes as long as it is watched", async () => {
  const said: string[] = [];
  let tell: (() => void) | undefined;
  const tracker = createServiceTracker({
    service: aService(() => void said.push("forget")),
    ids: [],
    watch: (changed) => {
      tell = changed;
      return () => void said.push("end");
    },
  });
  expect(tell).toBeUndefined();
  const end = tracker.watch(() => void said.push("changed"));
  tell?.();
  end();
  // What it frees waits for the requests before it, of which there are none.
  await tracker.taken().catch(() => undefined);
  expect(said).toEqual(["changed", "end", "forget"]);
});

test("a tracker of a service that is told nothing frees what it has read all the same", async () => {
  let forgotten = 0;
  const tracker = createServiceTracker({ service: aService(() => void (forgotten += 1)), ids: [] });
  tracker.watch(() => undefined)();
  await tracker.taken().catch(() => undefined);
  expect(forgotten).toBe(1);
});
