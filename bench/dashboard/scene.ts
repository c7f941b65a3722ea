import { BatchFile } from "../../src/domain/batch/schema.ts";
import type { RunEvent, RunFact } from "../../src/domain/run/event.ts";
import { reduce } from "../../src/domain/run/reduce.ts";
import type { RunState } from "../../src/domain/run/state.ts";
import type { ServerMessage } from "../../src/domain/run/wire.ts";
import { Fence, RepoId, RunId, TicketId } from "../../src/domain/values/ids.ts";

const SHA = "0".repeat(40);
const FINISH = [
  { step: "gates" },
  { step: "check", name: "tests", command: ["true"] },
  { step: "merge" },
  { step: "assert" },
] as const;

/** The size of a scene. */
export interface SceneOf {
  readonly tickets: number;
  /** Number of working agents. */
  readonly workers: number;
  readonly batchPath: string;
}

/** All journalled facts until all agents of a large batch are working, in order. */
export function sceneFacts(sceneOf: SceneOf): readonly RunFact[] {
  const ids = Array.from({ length: sceneOf.tickets }, (_, i) => TicketId.parse(`CORE-${i + 1}`));
  return [startFact(sceneOf, ids), ...ids.slice(0, sceneOf.workers).flatMap(workingFacts)];
}

function startFact(sceneOf: SceneOf, ids: readonly TicketId[]): RunFact {
  const repo = RepoId.parse("app");
  const { oracle: _, ...file } = BatchFile.parse({
    name: "crowd",
    repos: { app: { path: "/nowhere" } },
    agent: { kind: "command", command: ["true"] },
    limits: { workers: sceneOf.workers, attempts: 3 },
    tickets: ids.map((id, i) => ({ id, title: `change number ${i + 1} of the long list`, repo })),
  });
  const tickets = file.tickets.map(({ contract: _, ...ticket }) => ({
    ...ticket,
    title: ticket.title ?? ticket.id,
    repo,
    finish: FINISH,
  }));
  return {
    type: "run-started",
    run: RunId.parse("crowd-20260101-abcd"),
    batch: { ...file, complexity: undefined, tickets },
    batchPath: sceneOf.batchPath,
    oracleSha: SHA,
    batchSha: SHA,
    sandboxed: true,
    settled: [],
    durations: {},
    spentTodayUsd: 0,
    version: "0.0.0",
  };
}

function workingFacts(ticket: TicketId, slot: number): readonly RunFact[] {
  const of = { ticket, fence: Fence.parse(slot + 1) };
  return [
    { type: "attempt-claimed", ...of, attempt: 1, slot, reservedUsd: 0.1 },
    { type: "worktree-ready", ...of, path: `/w/${ticket}`, branch: `loopdash/run/${ticket}`, baseSha: SHA },
    { type: "agent-launching", ...of },
    { type: "agent-started", ...of, pid: 1, startTime: "1" },
  ];
}

const WORDS = "reads the code of queue worker, runs 214 tests, edits src/billing/invoice.ts and looks at what fails".split(" ");

/** The `n`-th line of an agent's output: with a realistic length and difference from the previous one. */
export function agentLine(worker: number, n: number): string {
  const from = (worker * 7 + n * 3) % WORDS.length;
  return `${n} ${[...WORDS.slice(from), ...WORDS.slice(0, from)].slice(0, 8).join(" ")}`;
}

/** The output of agent `slot`, as the engine reports it. */
export function activityFact(slot: number, text: string, lines: number): RunFact {
  return { type: "activity", ticket: TicketId.parse(`CORE-${slot + 1}`), fence: Fence.parse(slot + 1), text, lines };
}

/** The state of a run that grows by facts, as in an engine. */
export class Mirror {
  #state: RunState | undefined;

  get state(): RunState {
    if (this.#state === undefined) throw new Error("the run has not started");
    return this.#state;
  }

  get seq(): number {
    return this.#state?.seq ?? 0;
  }

  take(event: RunEvent): RunEvent {
    this.#state = reduce(this.#state, event);
    return event;
  }

  /** The next event of the run. `at` is wall-clock milliseconds. */
  play(fact: RunFact, at: number): RunEvent {
    return this.take({ ...fact, seq: this.seq + 1, at });
  }

  snapshot(): Extract<ServerMessage, { kind: "snapshot" }> {
    return { kind: "snapshot", state: this.state, recent: [] };
  }
}
