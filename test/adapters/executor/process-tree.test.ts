import { describe, expect, it } from "vitest";
import type { ProcessStat } from "../../../src/adapters/executor/process-id.ts";
import { findProcessTree, type ProcessMarks } from "../../../src/adapters/executor/process-tree.ts";

function row(pid: number, processStat: Partial<ProcessStat> = {}): ProcessStat {
  return { pid, ppid: 1, group: pid, session: pid, startTime: `${pid}0`, kernelThread: false, dead: false, ...processStat };
}

function kin(rows: readonly ProcessStat[], marks: Partial<ProcessMarks>): number[] {
  const found = findProcessTree(rows, { mains: [], seen: new Map(), isMarked: () => false, ...marks });
  return found.map(({ pid }) => pid).sort((a, b) => a - b);
}

describe("who belongs to a run", () => {
  const main = { pid: 10, startTime: "100" };

  it("its session and group, also when the main is gone, and their descendants however they moved", () => {
    const rows = [row(11, { session: 10 }), row(12, { group: 10 }), row(13, { ppid: 12 }), row(14, { ppid: 13 }), row(20)];
    expect(kin(rows, { mains: [main] })).toEqual([11, 12, 13, 14]);
    expect(kin([row(10), ...rows], { mains: [main] })).toEqual([10, 11, 12, 13, 14]);
  });

  it("nobody of a session whose number was given to another process", () => {
    const reused = row(10, { startTime: "999" });
    expect(kin([reused, row(11, { session: 10, ppid: 10 })], { mains: [main] })).toEqual([]);
  });

  it("who was seen before, if it still is that process", () => {
    const rows = [row(30), row(31), row(32, { ppid: 30 })];
    const seen = new Map([
      [30, "300"],
      [31, "9"],
    ]);
    expect(kin(rows, { seen })).toEqual([30, 32]);
  });

  it("never the engine nor pid 1, nor what else the engine started", () => {
    const rows = [row(1, { ppid: 0 }), row(process.pid), row(41, { ppid: process.pid }), row(42)];
    expect(kin(rows, { isMarked: ({ pid }) => pid === 1 || pid === process.pid })).toEqual([]);
  });
});
