import { describe, expect, test } from "vitest";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { LoopContext } from "../../../src/loop/attempt/context.ts";
import { Outages } from "../../../src/loop/concurrency/outages.ts";
import { assertTracker } from "../../../src/loop/steps/assert.ts";
import type { Tracker } from "../../../src/ports/tracker.ts";
import { FakeClock } from "../fake-clock.ts";

const T1 = TicketId.parse("T-1");
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("the tracker's write", () => {
  const write = (answers: readonly (Error | undefined)[], minutes = 15, signal = new AbortController().signal) => {
    const clock = new FakeClock();
    const facts: RunFact[] = [];
    const script = [...answers];
    let writes = 0;
    const tracker: Partial<Tracker> = {
      snapshot: () => Promise.resolve([]),
      taken: () => Promise.resolve([]),
      file: () => Promise.resolve(),
      set: () => {
        writes += 1;
        const answer = script.shift();
        return answer === undefined ? Promise.resolve({ before: "", after: "" }) : Promise.reject(answer);
      },
    };
    const outages = new Outages({ clock, minutes, report: (fact) => facts.push(fact) > 0 });
    const ctx: Partial<LoopContext> = { clock, tracker: tracker as Tracker, outages };
    const of = { ticket: T1, state: { as: "done" } as const, note: "", signal };
    const result = assertTracker(ctx as LoopContext, of);
    return { clock, result, facts, writes: () => writes };
  };
  const down = new Error("down");

  const WAITS = [250, 500, 1_000, 2_000];

  test("is tried again after 250 ms, 500 ms, 1 s, 2 s", async () => {
    const { clock, result, writes } = write(WAITS.map(() => down));
    for (const [i, wait] of WAITS.entries()) {
      while (clock.waiting === 0) await settle();
      clock.advance(wait - 1);
      await settle();
      expect(writes()).toBe(i + 1);
      clock.advance(1);
    }
    expect(await result).toEqual({ ok: true, summary: "tracker says done" });
  });

  test("gives up when the time is over, with the tracker's last word as evidence", async () => {
    const { clock, result, facts, writes } = write([...WAITS.map(() => down), new Error("last"), down], 0.0625);
    for (const wait of WAITS) {
      while (clock.waiting === 0) await settle();
      clock.advance(wait);
    }
    expect(await result).toMatchObject({
      ok: false,
      evidence: { step: "assert", summary: "the tracker could not be set to done: last" },
    });
    expect(writes()).toBe(WAITS.length + 1);
    expect(facts.map(({ type }) => type)).toEqual(["outage-started", ...Array(4).fill("outage-continues"), "outage-ended"]);
    expect(facts.at(-1)).toEqual({ type: "outage-ended", what: "tracker", ms: 3_750, givenUp: "last" });
  });

  test("is not tried again after a stop", async () => {
    const { result, writes } = write([down, down], 15, AbortSignal.abort());
    expect(await result).toMatchObject({ ok: false, evidence: { summary: "the tracker could not be set to done: down" } });
    expect(writes()).toBe(1);
  });
});
