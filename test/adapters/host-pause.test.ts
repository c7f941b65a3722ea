import { describe, expect, it } from "vitest";
import { outsidePause } from "../../src/adapters/host-pause.ts";
import { TrackerBusy } from "../../src/ports/tracker.ts";

/** A host that counts requests, and a clock that a test sets. */
function aHost(name: string) {
  const host = { now: 1_000, sent: 0, answer: (): Promise<string> => Promise.resolve("ok") };
  const ask = (to = name) =>
    outsidePause(
      to,
      () => host.now,
      () => {
        host.sent += 1;
        return host.answer();
      },
    ).catch((error: unknown) => error);
  const refuse = (until: number) => {
    host.answer = () => Promise.reject(new TrackerBusy("too many", until));
  };
  return { host, ask, refuse };
}

describe("a host that has asked for a pause", () => {
  it("is asked nothing before it is over, whoever asks, and others are asked", async () => {
    const { host, ask, refuse } = aHost("paused.example");
    refuse(61_000);
    await ask();
    host.now = 60_999;
    for (const again of [await ask(), await ask()]) expect(again).toMatchObject({ message: "too many", retryAt: 61_000 });
    expect(host.sent).toBe(1);
    host.answer = () => Promise.resolve("ok");
    expect(await ask("other.example")).toBe("ok");
  });

  it("is asked by one caller after it, and by the others once that one is answered", async () => {
    const { host, ask, refuse } = aHost("probed.example");
    refuse(2_000);
    await ask();
    host.now = 2_000;
    const { promise, resolve } = Promise.withResolvers<string>();
    host.answer = () => promise;
    const all = Promise.all([ask(), ask(), ask()]);
    await Promise.resolve();
    expect(host.sent).toBe(2);
    resolve("ok");
    expect(await all).toEqual(["ok", "ok", "ok"]);
    expect(host.sent).toBe(4);
  });

  it("that is still busy then asks for another pause, of all of them", async () => {
    const { host, ask, refuse } = aHost("again.example");
    refuse(2_000);
    await ask();
    host.now = 2_000;
    refuse(9_000);
    const all = await Promise.all([ask(), ask(), ask()]);
    expect(all.map((each) => (each as TrackerBusy).retryAt)).toEqual([9_000, 9_000, 9_000]);
    expect(host.sent).toBe(2);
  });

  it("keeps the later of two times, and is asked after two hours whatever it has said", async () => {
    const { host, ask, refuse } = aHost("late.example");
    host.answer = () => Promise.reject(new TrackerBusy("too many", 9_000));
    const long = ask();
    host.answer = () => Promise.reject(new TrackerBusy("too many", 5_000));
    await Promise.all([long, ask()]);
    expect(await ask()).toMatchObject({ retryAt: 9_000 });
    host.now = 9_000;
    refuse(Number.MAX_SAFE_INTEGER);
    await ask();
    expect(await ask()).toMatchObject({ retryAt: 9_000 + 7_200_000 });
  });
});
