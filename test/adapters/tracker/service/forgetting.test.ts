import { expect, test } from "vitest";
import { createServiceTracker } from "../../../../src/adapters/tracker/service/service-tracker.ts";
import type { TicketService } from "../../../../src/adapters/tracker/service/ticket-service.ts";
import { TicketId } from "../../../../src/domain/values/ids.ts";

test("nothing of a service is freed while a reading is under way, which would be one of a few tickets", async () => {
  const answered = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const done: string[] = [];
  const service: TicketService = {
    name: "Slow",
    snapshot: async () => {
      asked.resolve();
      await answered.promise;
      done.push("read");
      return new Map();
    },
    taken: async () => [],
    set: () => Promise.reject(new Error("nobody writes")),
    file: () => Promise.reject(new Error("nobody files")),
    forget: () => void done.push("forgotten"),
  };
  const tracker = createServiceTracker({ service, ids: [TicketId.parse("T-1")] });
  const stop = tracker.watch?.(() => undefined);
  const reading = tracker.read();
  await asked.promise;
  stop?.();
  answered.resolve();
  await reading.catch(() => undefined);
  await tracker.taken?.();
  expect(done).toEqual(["read", "forgotten"]);
});
