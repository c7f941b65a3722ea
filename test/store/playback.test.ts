import { describe, expect, test } from "vitest";
import { IDLE_MS, movePlayback, type Playback, SPEEDS } from "../../src/store/playback.ts";

const START: Playback = { from: 1_000_000, to: 1_600_000, at: 1_000_000, playing: true, speed: 10, skipsIdle: true };
/** Something happens each second. */
const busy = (time: number): number | undefined => (time < START.to ? time + 1_000 : undefined);
const move = (playback: Playback, action: Parameters<typeof movePlayback>[1]) => movePlayback(playback, action, busy);

describe("a replay", () => {
  test("goes on by its speed, and stops by itself at the end", () => {
    const after = move(START, { type: "pass", ms: 50 });
    expect(after).toEqual({ ...START, at: START.from + 500 });
    const end = move({ ...START, at: START.to - 100 }, { type: "pass", ms: 50 });
    expect(end).toMatchObject({ at: START.to, playing: false });
    expect(move(end, { type: "pass", ms: 50 })).toBe(end);
  });

  test("is at the same place after the same moves, however time is cut", () => {
    const at = (steps: readonly number[]) => steps.reduce((p, ms) => move(p, { type: "pass", ms }), START).at;
    expect(at([50, 50, 50, 50])).toBe(at([200]));
    expect(at([13, 87, 99, 1])).toBe(at([200]));
  });

  test("stops and goes on; at the end it begins again", () => {
    const stopped = move(START, { type: "toggle" });
    expect(stopped.playing).toBe(false);
    expect(move(stopped, { type: "pass", ms: 1_000 }).at).toBe(START.at);
    expect(move(stopped, { type: "toggle" })).toEqual(START);
    expect(move({ ...stopped, at: START.to }, { type: "toggle" })).toMatchObject({ at: START.from, playing: true });
  });

  test("walks over its speeds, also from one that is none of them", () => {
    const up = [1, ...SPEEDS].map(
      (_, i) =>
        Array(i)
          .fill("faster")
          .reduce((p) => move(p, { type: "faster" }), { ...START, speed: 1 }).speed,
    );
    expect(up).toEqual([...SPEEDS, 1_000]);
    expect(move({ ...START, speed: 7 }, { type: "slower" }).speed).toBe(5);
    expect(move({ ...START, speed: 7 }, { type: "faster" }).speed).toBe(10);
    expect(move({ ...START, speed: 1 }, { type: "slower" }).speed).toBe(1);
  });

  test("goes anywhere within the run, and no further", () => {
    expect(move(START, { type: "by", ms: 10_000 }).at).toBe(START.from + 10_000);
    expect(move(START, { type: "by", ms: -10_000 }).at).toBe(START.from);
    expect(move(START, { type: "by", ms: 999_999_999 }).at).toBe(START.to);
    expect(move(START, { type: "to-share", share: 0.3 }).at).toBe(START.from + 180_000);
    expect(move(START, { type: "to-share", share: 1 }).at).toBe(START.to);
  });

  test("passes over stretches in which nothing happened, but for their last second, unless it is told not to", () => {
    const next = (ms: number) => () => START.at + ms;
    const pass = { type: "pass", ms: 50 } as const;
    expect(movePlayback(START, pass, next(IDLE_MS + 1)).at).toBe(START.at + IDLE_MS + 1 - 1_000);
    expect(movePlayback(START, pass, next(IDLE_MS)).at).toBe(START.at + 500);
    const all = move(START, { type: "idle" });
    expect(movePlayback(all, pass, next(IDLE_MS + 1)).at).toBe(START.at + 500);
    expect(movePlayback({ ...START, playing: false }, pass, next(IDLE_MS + 1)).at).toBe(START.at);
  });
});
