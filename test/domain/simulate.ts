import type { Batch, Ticket } from "../../src/domain/batch/schema.ts";
import { admitCommand, admitFact } from "../../src/domain/run/admit.ts";
import type { AgentStopKind, AttemptOutcome } from "../../src/domain/run/attempt-fact.ts";
import type { Command } from "../../src/domain/run/command.ts";
import type { RunEvent, RunFact } from "../../src/domain/run/event.ts";
import type { HealOutcome } from "../../src/domain/run/heal-fact.ts";
import type { OutageSource } from "../../src/domain/run/outage-fact.ts";
import { reduce } from "../../src/domain/run/reduce.ts";
import { type RunState, ticketById as stateOf } from "../../src/domain/run/state.ts";
import type { Attempt } from "../../src/domain/run/ticket-state.ts";
import { type Action, decide } from "../../src/domain/schedule/decide.ts";
import { canHealHelp } from "../../src/domain/schedule/heal.ts";
import { unprovenCommits } from "../../src/domain/schedule/proofs.ts";
import { type Fence, RepoId, RunId, TicketId } from "../../src/domain/values/ids.ts";
import { vecItems } from "../../src/domain/values/vec.ts";

/** A ticket with everything at its plainest. */
export function ticketOf(id: string, over: Partial<Ticket> = {}): Ticket {
  const repo = RepoId.parse("app");
  return {
    id: TicketId.parse(id),
    title: id,
    body: "",
    repo,
    dependsOn: [],
    exclusive: [],
    finish: [{ step: "merge" }, { step: "assert" }],
    ...over,
  };
}

/** A batch of these tickets with small limits. */
export function batchOf(tickets: readonly Ticket[], over: Partial<Batch["limits"]> = {}): Batch {
  return {
    name: "test",
    tracker: { kind: "local" },
    repos: { app: { path: "/repo", base: "main", prepare: [] } },
    agent: { kind: "command", command: ["true"] },
    sandbox: "off",
    limits: {
      workers: 3,
      attempts: 2,
      heals: 0,
      discoveries: 0,
      minutesPerAttempt: 1,
      silenceMinutes: 1,
      minutesPerPrepare: 1,
      prepareSilenceMinutes: 1,
      usdPerAttempt: 5,
      usdPerTicket: 15,
      usdPerRun: 50,
      usdPerDay: 150,
      diskGiB: 20,
      outageMinutes: 0,
      sharedFaults: 3,
      countOtherSessions: false,
      ...over,
    },
    protect: [],
    tickets,
  };
}

type Stop = NonNullable<Extract<RunFact, { type: "agent-ended" }>["stop"]>;

/** A run without an engine: facts go through admit and reduce, and every state is shown to `watch`. */
export class Simulation {
  readonly events: RunEvent[] = [];
  state: RunState;
  #clock = 1_000;
  readonly #watch: (state: RunState) => void;

  /** Most tests are about what comes after the proof of the oracle: unless `unproven`, it has passed. */
  constructor(
    batch: Batch,
    watch: (state: RunState) => void = () => undefined,
    durations: Record<string, number> = {},
    unproven?: "unproven",
  ) {
    this.#watch = watch;
    const first: RunEvent = {
      type: "run-started",
      run: RunId.parse("test-run"),
      batch,
      batchPath: "/batch.json",
      oracleSha: "o",
      batchSha: "b",
      sandboxed: false,
      settled: [],
      durations,
      spentTodayUsd: 0,
      version: "test",
      seq: 1,
      at: this.#clock,
    };
    this.events.push(first);
    this.state = reduce(undefined, first);
    watch(this.state);
    if (unproven === undefined) this.prove();
  }

  /** The canaries are judged right. */
  prove(): void {
    this.report({ type: "tripwire-started" });
    this.report({ type: "tripwire-ended", ok: true, canaries: 30, ms: 900 });
  }

  /** Reports a fact as the engine would; says whether it was admitted as it is. */
  report(fact: RunFact): boolean {
    const admitted = admitFact(this.state, fact);
    if (admitted === undefined) return false;
    this.#clock += 10;
    const event = { ...admitted, seq: this.state.seq + 1, at: this.#clock } as RunEvent;
    this.events.push(event);
    this.state = reduce(this.state, event);
    this.#watch(this.state);
    return admitted === fact;
  }

  /** Asks what to do, and announces all of it. Gives the actions. */
  decide(): readonly Action[] {
    this.#clock += 10;
    const actions = decide(this.state, this.#clock);
    for (const action of actions) this.#announce(action);
    return actions;
  }

  /** The time for an outage is over. */
  giveUp(what: OutageSource, why: string): void {
    const at = { nextAt: this.#clock, until: this.#clock };
    this.report({ type: "outage-started", what, why, ...at });
    this.report({ type: "outage-ended", what, ms: 900_000, givenUp: why });
  }

  /** Takes a command of a person, as the engine does. */
  command(command: Command): void {
    for (const fact of admitCommand(this.state, command)) this.report(fact);
  }

  /** The time that the next event is later than. Milliseconds. */
  get now(): number {
    return this.#clock;
  }

  /** Lets time go by. */
  pass(ms: number): void {
    this.#clock += ms;
  }

  /** What the facts of a ticket's attempt have in common. */
  of(ticket: TicketId): { readonly ticket: TicketId; readonly fence: Fence } {
    return { ticket, fence: this.#attempt(ticket).fence };
  }

  /** Ends the agent of a ticket that runs: from here on the finish line has its attempt. */
  endAgent(ticket: TicketId, exitCode = 0, stop?: Stop): void {
    const of = this.of(ticket);
    const costUsd = this.#attempt(ticket).reservedUsd;
    this.report({ type: "agent-launching", ...of });
    const why = stop === undefined ? {} : { stop };
    this.report({ type: "agent-ended", ...of, ending: "exited", exitCode, signal: null, costUsd, ...why });
  }

  /** Ends the agent of a ticket by a stop, and with it the attempt. */
  stopAgent(ticket: TicketId, kind: AgentStopKind, retryAfterMs?: number): void {
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    this.endAgent(ticket, 1, { kind, says: "it says so", ...wait });
    const evidence = { step: "agent", name: "agent", summary: `the agent stopped early (${kind})`, detail: "" } as const;
    this.report({ type: "attempt-ended", ...this.of(ticket), outcome: "failed", evidence });
  }

  /** Ends the attempt of a ticket that runs, the short way; its agent first, where it has not ended. */
  endAttempt(ticket: TicketId, outcome: AttemptOutcome): void {
    const of = this.of(ticket);
    if (this.#attempt(ticket).slotLeftAt === undefined) this.endAgent(ticket);
    const repo = RepoId.parse("app");
    if (outcome === "done") this.report({ type: "merge-landed", ...of, repo, from: "a", to: `sha-${of.fence}` });
    const evidence = { step: "check", name: "tests", summary: "broken", detail: "" } as const;
    this.report({ type: "attempt-ended", ...of, outcome, ...(outcome === "done" ? {} : { evidence }) });
  }

  #attempt(ticket: TicketId): Attempt {
    const { attempt } = stateOf(this.state, ticket);
    if (attempt === undefined) throw new Error(`${ticket} does not run`);
    return attempt;
  }

  /** The heal that runs, if one does, ends for a part of what was set aside. Its diagnosis is about all that failed. */
  endHeal(outcome: HealOutcome, part: number): void {
    const { running } = this.state.heals;
    if (running === undefined) return;
    const prediction = [...vecItems(this.state.tickets)].filter(canHealHelp).map(({ id }) => id);
    const answer = { kind: outcome === "wall" ? "wall" : "gap", rootCause: "so", change: "so", prediction } as const;
    const end = { n: running.n, outcome, why: "so it went", changed: [], costUsd: running.reservedUsd * part };
    this.report({ type: "heal-ended", ...end, answer });
  }

  /** Every heal whose record was begun is recorded. */
  recordHeals(): void {
    for (const { n, keep } of this.state.heals.past)
      if (keep?.as === "keeping") this.report({ type: "heal-kept", n, as: "kept", why: "kept" });
  }

  #announce(action: Action): void {
    switch (action.do) {
      case "start": {
        const { ticket, slot, reservedUsd } = action;
        const fence = (this.state.lastFence + 1) as Fence;
        this.report({ type: "attempt-claimed", ticket, fence, attempt: 1, slot, reservedUsd });
        return;
      }
      case "backoff":
        this.report({ type: "backoff-started", until: action.until, reason: action.reason });
        return;
      case "stall":
        this.report({ type: "ticket-stalled", ticket: action.ticket, reason: action.reason, by: "attempts" });
        return;
      case "leave-to-person":
        this.report({ type: "gate-requested", ticket: action.ticket, step: action.step, by: "zone" });
        return;
      case "write-gate":
        this.report({ type: "gate-writing", ticket: action.ticket });
        this.report({ type: "ticket-gated", ticket: action.ticket, step: action.step });
        return;
      case "tripwire":
        this.report({ type: "tripwire-started" });
        return;
      case "live-check":
        this.report({ type: "live-check-started", ticket: action.ticket, why: "due" });
        return;
      case "base-check":
        this.report({ type: "base-check-started", repo: action.repo });
        return;
      case "measure-base":
        this.report({ type: "base-measure-started", repo: action.repo });
        return;
      case "prove": {
        const commits = unprovenCommits(this.state, action.repo);
        const tickets = [...new Set(commits.map(({ ticket }) => ticket))];
        this.report({ type: "proof-started", repo: action.repo, sha: commits.at(-1)?.sha ?? "", tickets });
        return;
      }
      case "revert":
        this.report({ type: "revert-started", ticket: action.ticket });
        return;
      case "reverify":
        this.report({ type: "reverify-started" });
        return;
      case "heal": {
        const { n, reason, reservedUsd, repo } = action;
        this.report({ type: "heal-started", n, token: (this.state.lastFence + 1) as Fence, reason, reservedUsd, repo });
        return;
      }
      case "keep-heal":
        this.report({ type: "heal-keeping", n: action.n, keep: action.keep });
        return;
      case "drop-heal":
        this.report({ type: "heal-dropped", why: action.why });
        return;
      case "judge":
        this.report({ type: "oracle-asked", final: action.final });
        return;
      case "end":
        this.report({
          type: "run-ended",
          kind: action.kind,
          verdict: action.verdict,
          exitCode: action.exitCode,
          reason: action.reason,
        });
        return;
      case "abort":
    }
  }
}

/** What an honest oracle would say of this state. */
export function honestJudgement(state: RunState) {
  const tickets = [...vecItems(state.tickets)];
  const done = tickets.filter((t) => t.phase === "done").length;
  const gated = tickets.filter((t) => t.phase === "human-gated").length;
  const open = tickets.filter((t) => t.phase !== "done" && t.phase !== "human-gated").map((t) => t.id);
  return {
    verdict: open.length === 0 ? ("done" as const) : ("not-done" as const),
    counts: { done, gated, open: open.length },
    open,
    durationMs: 1,
  };
}
