import fc from "fast-check";
import { expect, test } from "vitest";
import { anyTicketText } from "../helpers/any-ticket-text.ts";
import { oracleReading, trackerReading } from "./readings.ts";

test("the oracle reads generated documents as the tracker does, or it cannot judge", () => {
  const seen = { same: 0, settled: 0, cannot: 0, blank: 0 };
  fc.assert(
    fc.property(anyTicketText, (text) => {
      const oracle = oracleReading(text);
      const tracker = trackerReading(text);
      if (oracle === "cannot judge") {
        seen.cannot += 1;
      } else if (typeof tracker === "object" && "refused" in tracker) {
        // A gate without a step is the one thing that the tracker refuses and the oracle knows: it is open.
        expect(tracker.refused).toMatch(/state human-gated needs humanStep/);
        expect(oracle).toMatchObject({ state: "open" });
        seen.blank += 1;
      } else {
        expect(oracle).toEqual(tracker);
        seen.same += 1;
        if (typeof oracle === "object" && oracle.state !== "open") seen.settled += 1;
      }
    }),
    { numRuns: 20_000 },
  );
  // The property says nothing unless every case is met often.
  expect(seen.same).toBeGreaterThan(2_000);
  expect(seen.settled).toBeGreaterThan(500);
  expect(seen.cannot).toBeGreaterThan(2_000);
  expect(seen.blank).toBeGreaterThan(20);
});
