import type { Batch, Limits, Ticket } from "../../src/domain/batch/schema.ts";
import { Limits as LimitsSchema } from "../../src/domain/batch/schema.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { AttemptOutcome, Question } from "../../src/domain/run/attempt-fact.ts";
import type { RunEvent, RunFact } from "../../src/domain/run/event.ts";
import { reduce } from "../../src/domain/run/reduce.ts";
import { type RunState, ticketById } from "../../src/domain/run/state.ts";
import { Fence, RepoId, RunId, TicketId } from "../../src/domain/values/ids.ts";
import { vecItems } from "../../src/domain/values/vec.ts";

export const START = Date.UTC(2026, 4, 4, 12, 0, 0);

export const FINISH: readonly StepSpec[] = [
  { step: "gates" },
  { step: "check", name: "tests", command: ["true"] },
  { step: "merge" },
  { step: "verify", name: "live", command: ["true"] },
  { step: "assert" },
];

export interface TicketOf {
  readonly id: string;
  readonly title?: string;
  readonly repo?: string;
  readonly dependsOn?: readonly string[];
  readonly exclusive?: readonly string[];
}

/** A batch as a run freezes it. */
export function batchOf(options: {
  readonly tickets: readonly TicketOf[];
  readonly name?: string;
  readonly repos?: readonly string[];
  readonly limits?: Partial<Limits>;
  readonly finish?: readonly StepSpec[];
  readonly reviewer?: Batch["reviewer"];
  /** The forge of every repository. */
  readonly forge?: Batch["repos"][string]["forge"];
}): Batch {
  const repos = options.repos ?? ["app"];
  return {
    name: options.name ?? "plumbing",
    tracker: { kind: "local" },
    repos: Object.fromEntries(
      repos.map((r) => [r, { path: `/repos/${r}`, base: "main", prepare: [], ...(options.forge && { forge: options.forge }) }]),
    ),
    agent: { kind: "command", command: ["agent"], usdPerAttempt: 0.5 },
    sandbox: "required",
    limits: LimitsSchema.parse({ heals: 2, ...options.limits }),
    protect: [],
    ...(options.reviewer === undefined ? {} : { reviewer: options.reviewer }),
    tickets: options.tickets.map(
      (t): Ticket => ({
        id: TicketId.parse(t.id),
        title: t.title ?? `title of ${t.id}`,
        body: "",
        repo: RepoId.parse(t.repo ?? repos[0]),
        dependsOn: (t.dependsOn ?? []).map((d) => TicketId.parse(d)),
        exclusive: t.exclusive ?? [],
        finish: options.finish ?? FINISH,
      }),
    ),
  };
}

type Omitted<T, K extends string> = T extends unknown ? Omit<T, K> : never;
/** A fact of an attempt without the ticket and fence, which the builder knows. */
type AttemptFact = Omitted<Extract<RunFact, { fence: unknown }>, "ticket" | "fence">;

/** Plays a run by the real reducer: every state a test sees is one that a journal can make. */
export class RunBuilder {
  readonly events: RunEvent[] = [];
  now: number = START;
  #state: RunState | undefined;

  constructor(
    batch: Batch,
    { sandboxed, repoUrls }: { readonly sandboxed?: boolean; readonly repoUrls?: Readonly<Record<string, string>> } = {},
  ) {
    this.play({
      type: "run-started",
      run: RunId.parse("plumbing-20260504-k3f9"),
      batch,
      batchPath: "/work/batch.json",
      oracleSha: "0".repeat(64),
      batchSha: "1".repeat(64),
      sandboxed: sandboxed ?? true,
      settled: [],
      durations: {},
      spentTodayUsd: 0,
      ...(repoUrls !== undefined && { repoUrls }),
      version: "0.1.0",
    });
  }

  get state(): RunState {
    if (this.#state === undefined) throw new Error("the run has not started");
    return this.#state;
  }

  /** Lets time pass, in seconds. */
  wait(seconds: number): this {
    this.now += seconds * 1000;
    return this;
  }

  play(fact: RunFact): RunEvent {
    const event: RunEvent = { ...fact, seq: (this.#state?.seq ?? 0) + 1, at: this.now };
    this.#state = reduce(this.#state, event);
    this.events.push(event);
    return event;
  }

  /** Starts a try in the first free slot. */
  claim(id: string): this {
    const ticket = TicketId.parse(id);
    const slot = this.state.slots.indexOf(null);
    const fence = Fence.parse(this.state.lastFence + 1);
    const attempt = ticketById(this.state, ticket).history.length + 1;
    this.play({ type: "attempt-claimed", ticket, fence, attempt, slot, reservedUsd: 0.5 });
    return this;
  }

  /** Something happens within the try that runs. */
  of(id: string, ...facts: readonly AttemptFact[]): this {
    const ticket = TicketId.parse(id);
    for (const fact of facts) {
      const fence = ticketById(this.state, ticket).attempt?.fence;
      if (fence === undefined) throw new Error(`nobody works on ${id}`);
      this.play({ ...fact, ticket, fence } as RunFact);
    }
    return this;
  }

  /** A try whose agent runs; `says` is its last line. */
  working(id: string, says?: string): this {
    this.claim(id).of(
      id,
      { type: "worktree-ready", path: "/w", branch: `loopdash/r/${id}`, baseSha: "a".repeat(40) },
      { type: "agent-launching" },
      { type: "agent-started", pid: 100, startTime: "1" },
    );
    return says === undefined ? this : this.of(id, { type: "activity", text: says, lines: 3 });
  }

  /** The agent stops with a claim, and its change is taken up. */
  claims(id: string): this {
    return this.of(
      id,
      { type: "agent-ended", ending: "exited", exitCode: 0, signal: null, costUsd: 0.34 },
      { type: "change-captured", tip: "c".repeat(40), files: 4, additions: 61, deletions: 12 },
    );
  }

  /** Comes to a step of the finish line, those before it passed. */
  step(id: string, step: number): this {
    const finish = this.state.plan.tickets.find((ticket) => ticket.id === id)?.finish ?? [];
    for (let i = ticketById(this.state, TicketId.parse(id)).attempt?.passed.length ?? 0; i <= step; i++) {
      const spec = finish[i];
      if (spec === undefined) throw new Error(`no step ${i}`);
      const name = "name" in spec ? spec.name : spec.step;
      this.of(id, { type: "step-started", step: i, kind: spec.step, name });
      if (i < step)
        this.wait(1).of(id, {
          type: "step-ended",
          step: i,
          ok: true,
          summary: spec.step === "gates" ? "4 files, +61 −12" : "passed",
        });
    }
    return this;
  }

  /** A whole try that ships. */
  ships(id: string, seconds = 60, sha = "5c1e0aa"): this {
    if (ticketById(this.state, TicketId.parse(id)).attempt === undefined) this.working(id, "working");
    return this.wait(seconds).claims(id).step(id, 2).lands(id, sha);
  }

  /** The reviewer is asked. */
  asks(id: string, question: Question): this {
    return this.of(id, { type: "reviewer-asked", question, reservedUsd: 0.4 });
  }

  /** It has answered, and a step that asked has passed. */
  answers(
    id: string,
    question: Question,
    options: { readonly says: string; readonly valid?: boolean; readonly canary?: "seen" | "missed" },
  ): this {
    const { says, valid = true, canary } = options;
    const told = canary === undefined ? {} : { canary };
    this.of(id, { type: "reviewer-answered", question, costUsd: 0.12, valid, says, ...told });
    const index = ticketById(this.state, TicketId.parse(id)).attempt?.step?.index;
    return index === undefined ? this : this.of(id, { type: "step-ended", step: index, ok: true, summary: says });
  }

  /** An agent stops at a wall, and the reviewer upholds it. */
  wall(id: string, claim: string, step: string): this {
    this.working(id, "asking around")
      .wait(60)
      .of(id, { type: "agent-ended", ending: "exited", exitCode: 0, signal: null, costUsd: 0.2 });
    this.of(id, { type: "blocker-claimed", claim, humanStep: step }).asks(id, "adjudicate").wait(9);
    this.answers(id, "adjudicate", { says: "upheld" });
    return this.of(id, { type: "blocker-ruled", upheld: true, reason: claim, step });
  }

  /** The merge lands and the rest passes. */
  lands(id: string, sha = "5c1e0aa", step = 2, outcome: AttemptOutcome = "done"): this {
    const to = sha.padEnd(40, "0");
    this.of(
      id,
      { type: "merge-intended", repo: RepoId.parse("app"), from: "b".repeat(40), to },
      { type: "merge-landed", repo: RepoId.parse("app"), from: "b".repeat(40), to },
      { type: "step-ended", step, ok: true, summary: "merged" },
      { type: "attempt-ended", outcome },
    );
    return this;
  }

  /** A whole try that fails its check. */
  fails(id: string, summary = "2 of 214 tests fail"): this {
    if (ticketById(this.state, TicketId.parse(id)).attempt === undefined) this.working(id, "working");
    return this.wait(40)
      .claims(id)
      .step(id, 1)
      .of(
        id,
        { type: "step-ended", step: 1, ok: false, summary },
        { type: "attempt-ended", outcome: "failed", evidence: { step: "check", name: "tests", summary, detail: "" } },
      );
  }

  /** A worker finds a ticket, and the tracker takes it where it is `filed`. */
  finds(id: string, found: TicketOf, filed = true): this {
    const ticket = this.state.plan.tickets.find((other) => other.id === id);
    if (ticket === undefined) throw new Error(`no ticket ${id}`);
    const discovered: Ticket = {
      ...ticket,
      id: TicketId.parse(found.id),
      title: found.title ?? `title of ${found.id}`,
      dependsOn: [],
      exclusive: [],
      foundBy: ticket.id,
    };
    this.of(id, { type: "ticket-discovered", discovered, reason: "it fails without", blocks: false });
    if (filed) this.play({ type: "discovery-filed", ticket: discovered.id });
    return this;
  }

  /** The tracker tells of a page of each ticket. */
  tracked(urlOf: (id: string) => string): this {
    const words = { revision: "r", titleSha: "t", bodySha: "b" };
    this.play({ type: "tracker-read", tickets: this.state.plan.tickets.map(({ id }) => ({ id, ...words, url: urlOf(id) })) });
    return this;
  }

  gates(id: string, step: string): this {
    const ticket = TicketId.parse(id);
    this.play({ type: "gate-requested", ticket, step });
    this.play({ type: "ticket-gated", ticket, step });
    return this;
  }

  judged(
    verdict: "done" | "not-done" | "unjudged",
    counts: { done: number; gated: number; open: number },
    problem?: string,
  ): this {
    this.play({ type: "oracle-asked", final: false });
    const unsettled = [...vecItems(this.state.tickets)].filter((t) => t.phase !== "done" && t.phase !== "human-gated");
    const open = verdict === "not-done" ? unsettled.map((t) => t.id).slice(0, 50) : [];
    const judgement = { verdict, counts, open, durationMs: 120, ...(problem === undefined ? {} : { problem }) };
    this.play({ type: "oracle-judged", final: false, judgement });
    return this;
  }
}
