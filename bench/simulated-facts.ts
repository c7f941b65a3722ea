import { BatchFile } from "../src/domain/batch/schema.ts";
import type { RunFact } from "../src/domain/run/event.ts";
import { type Fence, RepoId, RunId, type TicketId } from "../src/domain/values/ids.ts";
import { randomGraph } from "./graph.ts";

const SHA = "0".repeat(40);

/** The first fact of a simulated run over a random graph of `tickets` tickets. */
export function startFact(tickets: number, workers: number): RunFact {
  const graph = randomGraph({ count: tickets, reach: 400, from: 1, to: 600, seed: 11 });
  const { oracle: _, ...file } = BatchFile.parse({
    name: "simulated",
    repos: { main: { path: "/nowhere" } },
    agent: { kind: "command", command: ["true"] },
    limits: { workers, attempts: 20 },
    tickets: graph.map(({ id, dependsOn }) => ({ id, title: `Ticket ${id}`, repo: "main", dependsOn })),
  });
  const repo = RepoId.parse("main");
  const finish = [{ step: "gates" }, { step: "merge" }, { step: "assert" }] as const;
  const whole = file.tickets.map(({ contract: _, ...ticket }) => ({ ...ticket, title: ticket.title ?? ticket.id, repo, finish }));
  return {
    type: "run-started",
    run: RunId.parse("simulated-20260101-abcdef"),
    batch: { ...file, complexity: undefined, tickets: whole },
    batchPath: "/nowhere/batch.json",
    oracleSha: SHA,
    batchSha: SHA,
    sandboxed: false,
    settled: [],
    durations: Object.fromEntries(graph.map(({ id, seconds }) => [id, seconds * 1_000])),
    spentTodayUsd: 0,
    version: "0.0.0",
  };
}

/** Everything that an attempt reports after its claim, in order. */
export function attemptFacts(ticket: TicketId, fence: Fence, fails: boolean): RunFact[] {
  const of = { ticket, fence };
  const judged = { tip: SHA, files: 2, additions: 10, deletions: 1 };
  const facts: RunFact[] = [
    { type: "worktree-ready", ...of, path: `/w/${ticket}`, branch: `loopdash/run/${ticket}`, baseSha: SHA },
    { type: "agent-launching", ...of },
    { type: "agent-started", ...of, pid: 1, startTime: "1" },
    ...Array.from({ length: 4 }, (_, i): RunFact => ({ type: "activity", ...of, text: `line ${i} of what it says`, lines: 3 })),
    { type: "agent-ended", ...of, ending: "exited", exitCode: 0, signal: null, costUsd: 0 },
    { type: "change-captured", ...of, ...judged },
    { type: "step-started", ...of, step: 0, kind: "gates", name: "gates" },
  ];
  if (fails) {
    const evidence = { step: "gates", name: "gates", summary: "protected path touched", detail: "x".repeat(500) } as const;
    return [
      ...facts,
      { type: "step-ended", ...of, step: 0, ok: false, summary: evidence.summary },
      { type: "attempt-ended", ...of, outcome: "failed", evidence },
    ];
  }
  return [...facts, ...landingFacts(of)];
}

function landingFacts(options: { ticket: TicketId; fence: Fence }): RunFact[] {
  const repo = RepoId.parse("main");
  return [
    { type: "step-ended", ...options, step: 0, ok: true, summary: "2 files" },
    { type: "step-started", ...options, step: 1, kind: "merge", name: "merge" },
    { type: "merge-intended", ...options, repo, from: SHA, to: SHA },
    { type: "merge-landed", ...options, repo, from: SHA, to: SHA },
    { type: "step-ended", ...options, step: 1, ok: true, summary: "landed" },
    { type: "step-started", ...options, step: 2, kind: "assert", name: "assert" },
    { type: "step-ended", ...options, step: 2, ok: true, summary: "Done" },
    { type: "attempt-ended", ...options, outcome: "done" },
  ];
}
