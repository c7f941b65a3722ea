import { expect } from "vitest";
import { activeTickets, freeSlots, type RunState } from "../../../src/domain/run/state.ts";
import { attemptCap } from "../../../src/domain/schedule/money.ts";
import { whyNot } from "../../../src/domain/schedule/why-not.ts";
import { vecAt } from "../../../src/domain/values/vec.ts";
import { working } from "../play.ts";

/** Checks that the reason given for a ticket is true. Gives the kind of the reason. */
export function checkReason(state: RunState, index: number): string {
  const reason = whyNot(state, index);
  const { phase, attempt, openDeps } = vecAt(state.tickets, index);
  if (phase === "waiting" && attempt === undefined) expect(["active", "settled"]).not.toContain(reason.kind);
  switch (reason.kind) {
    case "depends":
      expect(openDeps).toBeGreaterThan(0);
      break;
    case "resource":
    case "elsewhere":
      expect(state.plan.tickets[index]?.exclusive).toContain(reason.resource);
      if (reason.kind === "resource") expect(state.held[reason.resource]).toBe(reason.by);
      else expect(Object.keys(state.heldElsewhere)).toContain(reason.resource);
      break;
    case "slots":
      expect(reason.slots).toBe(state.workers);
      expect(working(state).length).toBeGreaterThanOrEqual(state.workers);
      break;
    case "finishing":
      expect(reason.tickets).toBe(state.finishing.length);
      expect(working(state).length).toBeLessThan(state.workers);
      expect(activeTickets(state).length).toBeGreaterThanOrEqual(2 * state.workers);
      break;
    case "reserved": {
      const by = state.plan.index[reason.by] as number;
      const deps = (state.plan.tickets[by]?.dependsOn ?? []).map((id) => state.plan.index[id] as number);
      expect(deps.every((dep) => state.finishing.includes(dep) || vecAt(state.tickets, dep).phase === "done")).toBe(true);
      expect(vecAt(state.tickets, by).openDeps).toBeGreaterThan(0);
      expect(state.plan.rank[by] ?? 0).toBeGreaterThan(state.plan.rank[index] ?? 0);
      expect(freeSlots(state).length).toBeGreaterThan(0);
      break;
    }
    case "money":
      expect(attemptCap(state, vecAt(state.tickets, index))).toBe(reason.cap);
      break;
    case "backoff":
      expect(reason.until).toBe((state.backoffDue ?? state.backoff)?.until);
      expect(reason.until).toBeGreaterThan(state.lastEventAt);
      break;
    case "halted":
      expect(reason.by).toBe(state.halted);
      break;
    case "active":
      expect(attempt).toBeDefined();
      break;
    case "settled":
      expect(["done", "human-gated", "stalled"]).toContain(phase);
      break;
    case "filing":
      expect(vecAt(state.tickets, index).unfiled).toBe(true);
      break;
    case "unavailable":
      expect(vecAt(state.tickets, index).tracked?.unavailable).toBeDefined();
      break;
    case "base-broken":
      expect(state.brokenBases).toMatchObject({ app: reason.by });
      break;
    case "unprepared":
      expect(state.unprepared).toMatchObject({ [reason.repo]: reason.by });
      break;
    case "unmeasured":
      expect(state.baseMeasures?.[reason.repo]?.as).not.toBe("measured");
      break;
    case "landed":
      expect(phase).toBe("landed");
      break;
    case "approval":
      expect(vecAt(state.tickets, index).approval).toBeDefined();
      break;
    case "gating":
      expect(state.gating).toContain(index);
      break;
    case "checks-only":
    case "paused":
      expect(reason.kind === "paused" ? state.paused : state.checksOnly).toBe(true);
      break;
    case "healing":
      expect(state.heals.asked ?? state.heals.running ?? state.heals.proving).toBeDefined();
      break;
    case "stopping":
      expect(state.stage).toBe("stopping");
      break;
    case "ready":
      expect(freeSlots(state).length).toBeGreaterThan(0);
  }
  return reason.kind;
}
