import { describe, expect, test } from "vitest";
import { listNotices } from "../../../src/domain/notice/notices.ts";
import { mixed } from "../mixed-run.ts";

describe("listNotices", () => {
  test("finds the same keys again in a state that has gone on, and never one twice", () => {
    const sim = mixed();
    const before = listNotices(sim.state);
    sim.report({ type: "engine-suspended", from: 1_000, to: 61_000 });
    sim.report({ type: "run-ended", kind: "not-done", verdict: "not-done", exitCode: 1, reason: "open" });
    const after = listNotices(sim.state);
    const keys = after.map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(before.map(({ key }) => key)));
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(before.map(({ kind }) => kind))).toEqual(new Set(["needs-you", "stalled", "landed"]));
    expect(after[0]).toMatchObject({ kind: "ended", says: expect.stringMatching(/not done: open$/) });
    expect(after.at(-1)).toMatchObject({ kind: "slept", says: expect.stringContaining("did not run from") });
  });
});
