import { expect, onTestFinished, test, vi } from "vitest";
import { plumbing } from "../store/scenes.ts";
import { drawn } from "./mount.tsx";
import { storeOf } from "./stage.ts";

test.each([
  ["every second", 1_000, 10],
  ["with little motion every ten seconds", 10_000, 1],
])("all clocks move %s", async (_, tickMs, ticks) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { store, feed } = storeOf(plumbing());
  let now = 0;
  const drawing = drawn(store, 80, 24, { now: () => now, tickMs });
  await vi.advanceTimersByTimeAsync(100);
  await using _screen = await drawing;
  const moved = vi.spyOn(store, "tick");
  for (let ms = 0; ms < 10_700; ms += 100) {
    now += 100;
    await vi.advanceTimersByTimeAsync(100);
  }
  feed.close();
  vi.useRealTimers();
  expect(moved).toHaveBeenCalledTimes(ticks);
});
