import { describe, expect, it } from "vitest";
import { checkBatch } from "../../../src/domain/batch/check.ts";
import { BatchFile } from "../../../src/domain/batch/schema.ts";
import { batchValue } from "./sample.ts";

const here = () => ({ line: 1, column: 1 });

function batchOf(edges: readonly (readonly number[])[]): BatchFile {
  const tickets = edges.map((to, i) => ({ id: `T-${i}`, title: "x", dependsOn: to.map((j) => `T-${j}`) }));
  return BatchFile.parse(batchValue({ tickets }));
}

/** This thread's processor time, the quickest of five: what else the machine does must not count. */
function milliseconds(work: () => unknown): number {
  const once = () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
  return Math.min(once(), once(), once(), once(), once());
}

describe("checkBatch on 10,000 tickets", () => {
  const chain = Array.from({ length: 10_000 }, (_, i) => (i === 0 ? [] : [i - 1]));
  it.each<[string, readonly (readonly number[])[], number]>([
    ["in one chain", chain, 0],
    ["in one cycle", chain.with(0, [9_999]), 1],
    ["in 5,000 cycles", chain.map((_, i) => [i ^ 1]), 5_000],
    ["with five dependencies each", chain.map((_, i) => [1, 2, 3, 4, 5].map((back) => i - back).filter((to) => to >= 0)), 0],
  ])("%s takes less than 100 ms", (_, edges, problems) => {
    const file = batchOf(edges);
    expect(checkBatch(file, here)).toHaveLength(problems);
    expect(milliseconds(() => checkBatch(file, here))).toBeLessThan(100);
  });

  it("with nothing but unknown dependencies takes less than a second", () => {
    const file = batchOf(chain.map((_, i) => [i + 10_000]));
    expect(checkBatch(file, here)).toHaveLength(10_000);
    expect(milliseconds(() => checkBatch(file, here))).toBeLessThan(1_000);
  });
});
