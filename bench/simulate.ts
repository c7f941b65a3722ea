/**
 * Plays a whole run against the pure core: `node bench/simulate.ts TICKETS`. Each event is applied with reduce() and
 * followed by decide(), as the engine does, and the two together are timed. Prints one JSON line (see scheduling.ts).
 */

import type { Judgement, RunFact } from "../src/domain/run/event.ts";
import { reduce } from "../src/domain/run/reduce.ts";
import { repoLandings } from "../src/domain/run/reduce-base.ts";
import { type RunState, ticketById } from "../src/domain/run/state.ts";
import { type Action, decide } from "../src/domain/schedule/decide.ts";
import { Fence } from "../src/domain/values/ids.ts";
import type { Simulated } from "./scheduling.ts";
import { attemptFacts, startFact } from "./simulated-facts.ts";
import { median, quantile, seededRandom } from "./stats.ts";

const WORKERS = 16;
/** One attempt in this many fails at its gates. */
const FAILS_ONE_IN = 20;
/** Simulated milliseconds between two events. */
const TICK_MS = 50;

/** The engine without its effects: applies facts, decides, and plays the results. */
class Simulation {
  readonly costs: number[] = [];
  private readonly random = seededRandom(5);
  /** The pending facts, one list per current attempt. */
  private attempts: RunFact[][] = [];
  private state: RunState | undefined;
  private actions: readonly Action[] = [];
  private now = 0;

  /** Runs to the end and returns the last state. */
  run(tickets: number): RunState {
    this.apply(startFact(tickets, WORKERS), false);
    while (this.state?.stage !== "ended") {
      const facts = this.actions.flatMap((action) => this.answer(action));
      for (const fact of facts) this.apply(fact, true);
      if (facts.length > 0) continue;
      const attempt = this.attempts[Math.floor(this.random() * this.attempts.length)];
      const next = attempt?.shift();
      if (next === undefined) throw new Error("nothing is left to happen and the run has not ended");
      if (attempt?.length === 0) this.attempts = this.attempts.filter((other) => other !== attempt);
      this.apply(next, true);
    }
    return this.state;
  }

  private apply(fact: RunFact, timed: boolean): void {
    this.now += TICK_MS;
    const event = { ...fact, seq: (this.state?.seq ?? 0) + 1, at: this.now };
    const startedAt = performance.now();
    this.state = reduce(this.state, event);
    this.actions = decide(this.state, this.now);
    if (timed) this.costs.push(performance.now() - startedAt);
  }

  /** The facts that the engine would journal for an action. */
  private answer(action: Action): readonly RunFact[] {
    const state = this.state;
    if (state === undefined) return [];
    switch (action.do) {
      case "heal":
      case "keep-heal":
        return [];
      case "start": {
        const fence = Fence.parse(state.lastFence + 1 + this.startsBefore(action));
        const attempt = ticketById(state, action.ticket).history.length + 1;
        this.attempts.push(attemptFacts(action.ticket, fence, this.random() * FAILS_ONE_IN < 1));
        const { ticket, slot, reservedUsd } = action;
        return [{ type: "attempt-claimed", ticket, fence, attempt, slot, reservedUsd }];
      }
      case "tripwire":
        return [{ type: "tripwire-started" }, { type: "tripwire-ended", ok: true, canaries: 0, ms: 0 }];
      case "prove":
        return [
          { type: "proof-started", repo: action.repo, sha: "", tickets: [] },
          {
            type: "proof-ended",
            repo: action.repo,
            sha: repoLandings(state, action.repo)?.last ?? "",
            ok: true,
            summary: "",
            commits: 0,
          },
        ];
      case "live-check":
        return [
          { type: "live-check-started", ticket: action.ticket, why: "due" },
          { type: "live-check-ended", ticket: action.ticket, ok: true, summary: "", detail: "" },
        ];
      case "reverify":
        return [{ type: "reverify-started" }, { type: "reverify-ended", reopened: 0 }];
      case "judge":
        return [
          { type: "oracle-asked", final: action.final },
          { type: "oracle-judged", final: action.final, judgement: judge(state) },
        ];
      case "stall":
        return [{ type: "ticket-stalled", ticket: action.ticket, reason: action.reason }];
      case "end":
        return [{ ...action, type: "run-ended" }];
      case "abort":
      case "write-gate":
      case "leave-to-person":
      case "backoff":
      case "revert":
      case "base-check":
      case "measure-base":
      case "drop-heal":
        throw new Error(`nobody asked for ${action.do} in this run`);
    }
  }

  private startsBefore(action: Action): number {
    return this.actions.filter((other) => other.do === "start").indexOf(action as Extract<Action, { do: "start" }>);
  }
}

function judge(state: RunState): Judgement {
  const done = state.counts.done;
  const open = state.batch.tickets.length - done;
  return { verdict: open === 0 ? "done" : "not-done", counts: { done, gated: 0, open }, open: [], durationMs: 1 };
}

const simulation = new Simulation();
const startedAt = performance.now();
const last = simulation.run(Number(process.argv[2]));
const result: Simulated = {
  events: last.seq,
  done: last.counts.done,
  medianMs: median(simulation.costs),
  p99Ms: quantile(simulation.costs, 0.99),
  totalMs: performance.now() - startedAt,
  peakMb: process.resourceUsage().maxRSS / 1024,
};
console.log(JSON.stringify(result));
