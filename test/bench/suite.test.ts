import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../bench/children.ts";
import { runSuiteBatch } from "../../bench/suite/batch.ts";
import { measureSuite, runSerialQueue, runSideBySide } from "../../bench/suite/floors.ts";

const SUITE_SECONDS = 0.3;
const SIX = [0, 0, 0, 0, 0, 0];

describe("the suite of the benchmark", () => {
  it("takes at least as long as it is told to wait", async () => {
    await using scratch = await scratchFolder("suite-test");
    expect(await measureSuite(scratch.path, SUITE_SECONDS)).toBeGreaterThanOrEqual(SUITE_SECONDS * 1_000);
  });

  // Each floor throws unless main has the change of every ticket but the faulty one.
  it.each([
    ["sources only", {}],
    ["a test with each change", { addsTests: true }],
    ["a faulty change", { faulty: 2 }],
  ] as const)("runs once per ticket in both floors: %s", async (_, change) => {
    await using scratch = await scratchFolder("suite-test");
    const request = { plan: { seconds: SIX, ...change }, workers: 3, suiteSeconds: SUITE_SECONDS };
    const serial = await runSerialQueue(scratch.path, { ...request, name: "serial" });
    const beside = await runSideBySide(scratch.path, { ...request, name: "beside" });
    expect([serial.runs, beside.runs]).toEqual([6, 6]);
    expect(serial.ms).toBeGreaterThanOrEqual(6 * SUITE_SECONDS * 1_000);
    expect(beside.ms).toBeGreaterThanOrEqual(2 * SUITE_SECONDS * 1_000);
  });

  it("counts every run of a sandboxed batch, one of whose changes breaks a test", async () => {
    await using scratch = await scratchFolder("suite-test");
    const plan = { seconds: [0, 0], faulty: 1 };
    const outcome = await runSuiteBatch(scratch.path, { name: "batch", plan, workers: 2, suiteSeconds: SUITE_SECONDS });
    // The base, and each change at least once.
    expect(outcome.runs).toBeGreaterThanOrEqual(3);
    expect(outcome.ms).toBeGreaterThan(outcome.silenceMs);
    expect(outcome.silenceMs).toBeGreaterThan(0);
  });
});
