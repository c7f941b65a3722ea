import { formatProblems } from "../../../src/domain/batch/problem.ts";
import { type BatchSurroundings, readBatch } from "../../../src/domain/batch/read.ts";

/** The parts of a small batch that can run, as JSON text; `part` replaces or adds one. */
export function batchText(part: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify(batchValue(part));
}

export function batchValue(part: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    name: "plumbing",
    repos: { app: { path: "../app" } },
    agent: { kind: "command", command: ["node", "agent.mjs"] },
    tickets: [{ id: "T-1", title: "one" }],
    ...part,
  };
}

/** What a person is told of a batch; empty where it can run. */
export function told(text: string, batchSurroundings: BatchSurroundings = { folder: "/work/batches" }): string {
  const reading = readBatch(text, batchSurroundings);
  return reading.ok ? "" : formatProblems("batch.json", reading.problems);
}

/** The same without places, for texts of which only the words matter. */
export function words(part: Readonly<Record<string, unknown>>): readonly string[] {
  return told(batchText(part))
    .split("\n")
    .map((line) => line.replace(/^batch\.json:\d+:\d+ {2}/, ""));
}
