import { describe, expect, test } from "vitest";
import type { RunFact } from "../../../src/domain/run/event.ts";
import { OutageGivenUp, Outages } from "../../../src/loop/concurrency/outages.ts";
import { TrackerBusy } from "../../../src/ports/tracker.ts";
import { FakeClock } from "../fake-clock.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

function stage(minutes = 15) {
  const clock = new FakeClock();
  const facts: RunFact[] = [];
  const outages = new Outages({ clock, minutes, report: (fact) => facts.push(fact) > 0 });
  const types = () => facts.map((fact) => ("what" in fact ? `${fact.what} ${fact.type}` : fact.type));
  return { clock, facts, outages, types };
}

/** A call that fails while `down` says so. */
function call(state: { down: string | undefined }) {
  const times: number[] = [];
  const make = (clock: FakeClock) => () => {
    times.push(clock.now());
    return state.down === undefined ? Promise.resolve("yes") : Promise.reject(new Error(state.down));
  };
  return { times, make };
}

const never = () => new AbortController().signal;

describe("a call that fails", () => {
  test("is repeated with waits that double up to 30 seconds, and a success ends the outage", async () => {
    const { clock, facts, outages } = stage();
    const state: { down: string | undefined } = { down: "ENOENT\u001b[2J" };
    const { times, make } = call(state);
    const begun = clock.now();
    const result = outages.persist("git", make(clock), { signal: never() });
    for (const wait of [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      while (clock.waiting === 0) await settle();
      if (times.length === 9) state.down = undefined;
      clock.advance(wait);
    }
    expect(await result).toBe("yes");
    expect(times.map((at) => at - begun)).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 15_750, 31_750, 61_750, 91_750]);
    const until = begun + 15 * 60_000;
    expect(facts[0]).toEqual({ type: "outage-started", what: "git", why: "ENOENT", nextAt: begun + 250, until });
    expect(facts[1]).toEqual({ type: "outage-continues", what: "git", why: "ENOENT", nextAt: begun + 750, until });
    expect(facts.at(-1)).toEqual({ type: "outage-ended", what: "git", ms: 91_750 });
  });

  test("of the tracker is repeated every 15 seconds at the latest, so that people soon see that it is back", async () => {
    const { clock, outages } = stage();
    const { times, make } = call({ down: "ECONNREFUSED" });
    const stop = new AbortController();
    const failed = expect(outages.persist("tracker", make(clock), { signal: stop.signal })).rejects.toThrow("ECONNREFUSED");
    for (const wait of [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      while (clock.waiting === 0) await settle();
      clock.advance(wait);
    }
    while (clock.waiting === 0) await settle();
    expect(times).toHaveLength(9);
    stop.abort();
    await failed;
  });

  test("is tried at once if a person asks for it, but not before the time that a busy source has told", async () => {
    const { clock, outages } = stage();
    const state: { down: string | undefined } = { down: "gone" };
    const { times, make } = call(state);
    const result = outages.persist("tracker", make(clock), { signal: never() });
    while (clock.waiting === 0) await settle();
    state.down = undefined;
    outages.tryNow();
    expect(await result).toBe("yes");
    expect(times).toEqual([clock.now(), clock.now()]);

    let asked = 0;
    const busy = () => Promise.reject(new TrackerBusy(`refused ${++asked} times`, clock.now() + 60_000));
    const stop = new AbortController();
    const failed = expect(outages.persist("tracker", busy, { signal: stop.signal })).rejects.toThrow("refused");
    while (clock.waiting === 0) await settle();
    outages.tryNow();
    await settle();
    expect(asked).toBe(1);
    stop.abort();
    await failed;
  });

  test("is made for the last time when the time is over, and is then given up with its last reason", async () => {
    const { clock, facts, outages } = stage(0.01);
    const { times, make } = call({ down: "gone" });
    const result = outages.persist("git", make(clock), { signal: never() });
    const failed = expect(result).rejects.toThrow(new OutageGivenUp("gone"));
    for (const wait of [250, 350]) {
      while (clock.waiting === 0) await settle();
      clock.advance(wait);
    }
    await failed;
    expect(times).toHaveLength(3);
    expect(facts.at(-1)).toEqual({ type: "outage-ended", what: "git", ms: 600, givenUp: "gone" });
  });

  test("is made again when a busy source says so, and that wait is no outage of it", async () => {
    const { clock, facts, outages } = stage(1);
    const begun = clock.now();
    const retryAt = begun + 40 * 60_000;
    let calls = 0;
    const busy = () => {
      calls += 1;
      return calls === 1 ? Promise.reject(new TrackerBusy("the budget of requests is used up", retryAt)) : Promise.resolve("yes");
    };
    const result = outages.persist("tracker", busy, { signal: never() });
    while (clock.waiting === 0) await settle();
    clock.advance(40 * 60_000);
    expect(await result).toBe("yes");
    const why = "the budget of requests is used up";
    const until = retryAt + 60_000;
    expect(facts[0]).toEqual({ type: "outage-started", what: "tracker", why, nextAt: retryAt, until, isBusy: true });
    expect(calls).toBe(2);
  });

  test.each([
    ["a minute", 60_000, 15 * 60_000 + 15_000],
    ["40 minutes", 40 * 60_000, (40 + 15) * 60_000],
  ])("is given up with the reason of a source that is busy for %s again and again", async (_, busyMs, until) => {
    const { clock, facts, outages } = stage(15);
    const begun = clock.now();
    const call = () => Promise.reject(new TrackerBusy("no more requests for now", clock.now() + busyMs));
    const stop = new AbortController();
    const result = outages.persist("tracker", call, { signal: stop.signal }).catch((error: unknown) => error);
    for (let waits = 0; waits < 200 && facts.at(-1)?.type !== "outage-ended"; waits += 1) {
      await settle();
      clock.advance(30_000);
    }
    stop.abort();
    expect(await result).toBeInstanceOf(OutageGivenUp);
    expect(facts.at(-1)).toMatchObject({ type: "outage-ended", what: "tracker", givenUp: "no more requests for now" });
    expect(facts.at(-2)).toMatchObject({ type: "outage-continues", isBusy: true, until: begun + until });
  });

  test("has time to settle, however short outages may be: a reading may lag ten seconds behind a write", async () => {
    const { clock, facts, outages } = stage(0.1);
    const begun = clock.now();
    const call = () =>
      clock.now() < begun + 10_000
        ? Promise.reject(new TrackerBusy("a reading does not show the write", clock.now() + 2_000))
        : Promise.resolve("yes");
    const result = outages.persist("tracker", call, { signal: never() });
    for (let waits = 0; waits < 10 && facts.at(-1)?.type !== "outage-ended"; waits += 1) {
      await settle();
      clock.advance(2_000);
    }
    expect(await result).toBe("yes");
  });

  test("waits two hours at most, whatever a busy source says", async () => {
    const { clock, facts, outages } = stage(1);
    const begun = clock.now();
    const stop = new AbortController();
    const call = () => Promise.reject(new TrackerBusy("come back next year", begun + 365 * 86_400_000));
    const result = expect(outages.persist("tracker", call, { signal: stop.signal })).rejects.toThrow("come back next year");
    while (clock.waiting === 0) await settle();
    expect(facts[0]).toMatchObject({ nextAt: begun + 2 * 60 * 60_000 });
    stop.abort();
    await result;
  });

  test("is made once more and not waited for after its source was given up", async () => {
    const { clock, types, outages } = stage(0);
    const { times, make } = call({ down: "gone" });
    for (let i = 0; i < 2; i++) await expect(outages.persist("git", make(clock), { signal: never() })).rejects.toThrow("gone");
    expect(times).toHaveLength(2);
    expect(types()).toEqual(["git outage-started", "git outage-ended"]);
  });

  test("with an error that is no outage throws at once and tells nothing", async () => {
    const { types, outages } = stage();
    const options = { signal: never(), isOutage: () => false };
    await expect(outages.persist("git", () => Promise.reject(new Error("conflict")), options)).rejects.toThrow("conflict");
    expect(types()).toEqual([]);
  });

  test("ends its wait at once at a stop, and its outage with it, which is told as cut off", async () => {
    const { clock, facts, types, outages } = stage();
    const stop = new AbortController();
    const { times, make } = call({ down: "gone" });
    const failed = expect(outages.persist("tracker", make(clock), { signal: stop.signal })).rejects.toThrow("gone");
    while (clock.waiting === 0) await settle();
    stop.abort();
    await failed;
    expect(times).toHaveLength(1);
    expect(types()).toEqual(["tracker outage-started", "tracker outage-ended"]);
    expect(facts.at(-1)).toMatchObject({ cutOff: true });
  });
});

describe("several calls", () => {
  test("of one source are one outage, which ends with the last of them", async () => {
    const { clock, types, outages } = stage();
    const [one, two]: { down: string | undefined }[] = [{ down: "a" }, { down: "b" }];
    const calls = [one, two].map((state) => outages.persist("tracker", call(state as never).make(clock), { signal: never() }));
    while (clock.waiting < 2) await settle();
    Object.assign(one as object, { down: undefined });
    clock.advance(250);
    await calls[0];
    expect(types().filter((type) => type.endsWith("ended"))).toEqual([]);
    while (clock.waiting < 1) await settle();
    Object.assign(two as object, { down: undefined });
    clock.advance(500);
    await calls[1];
    expect(types().filter((type) => !type.endsWith("continues"))).toEqual(["tracker outage-started", "tracker outage-ended"]);
  });

  test("that fail alike before the next try are told once, however many they are", async () => {
    const { clock, types, outages } = stage();
    const state: { down: string | undefined } = { down: "ENOSPC" };
    const { make } = call(state);
    const all = [1, 2, 3, 4].map(() => outages.persist("git", make(clock), { signal: never() }));
    while (clock.waiting < 4) await settle();
    expect(types()).toEqual(["git outage-started"]);
    clock.advance(250);
    while (clock.waiting < 4) await settle();
    expect(types()).toEqual(["git outage-started", "git outage-continues"]);
    state.down = undefined;
    clock.advance(500);
    expect(await Promise.all(all)).toEqual(["yes", "yes", "yes", "yes"]);
  });

  test("are all tried at once when one of them shows that the source is back", async () => {
    const { clock, outages } = stage();
    const state: { down: string | undefined } = { down: "gone" };
    const early = outages.persist("tracker", call(state).make(clock), { signal: never() });
    for (const wait of [250, 500, 1_000, 2_000]) {
      while (clock.waiting === 0) await settle();
      clock.advance(wait);
    }
    while (clock.waiting === 0) await settle();
    const late = outages.persist("tracker", call(state).make(clock), { signal: never() });
    while (clock.waiting < 2) await settle();
    state.down = undefined;
    clock.advance(250);
    await late;
    expect(await early).toBe("yes");
  });

  test("one that never succeeds is bounded, although others of its source do", async () => {
    const { clock, facts, outages } = stage(0.02);
    const refused = outages.persist("tracker", () => Promise.reject(new Error("no ticket T-9")), { signal: never() });
    const failed = expect(refused).rejects.toThrow("no ticket T-9");
    for (const wait of [250, 500, 450]) {
      while (clock.waiting === 0) await settle();
      expect(await outages.persist("tracker", () => Promise.resolve(1), { signal: never() })).toBe(1);
      clock.advance(wait);
    }
    await failed;
    expect(facts.at(-1)).toMatchObject({ type: "outage-ended", givenUp: "no ticket T-9" });
  });

  test("of two sources are two outages", async () => {
    const { clock, types, outages } = stage();
    const down = { down: "x" };
    const stop = new AbortController();
    const both = (["tracker", "git"] as const).map((what) =>
      outages.persist(what, call(down).make(clock), { signal: stop.signal }).catch(() => undefined),
    );
    while (clock.waiting < 2) await settle();
    stop.abort();
    await Promise.all(both);
    expect(types().toSorted()).toEqual([
      "git outage-ended",
      "git outage-started",
      "tracker outage-ended",
      "tracker outage-started",
    ]);
  });
});
