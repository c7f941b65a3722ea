import { expect, test } from "vitest";
import type { PlanFact } from "../../../src/domain/run/plan-fact.ts";
import { Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { planLabel, planState } from "../../../src/store/labels/plan-label.ts";
import { attemptStage } from "../../../src/store/labels/progress-label.ts";

const at = { ticket: TicketId.parse("T-1"), fence: Fence.parse(1) };
const textOf = (fact: PlanFact, refusals = 0): string => planLabel(fact, refusals)[1];

test("the feed tells of a plan that it is asked for, written and judged", () => {
  expect(textOf({ type: "plan-asked", ...at })).toBe("plan: its agent is asked for a plan, and changes nothing");
  expect(textOf({ type: "plan-written", ...at, digest: "0123456789", text: "x" })).toBe(
    "plan: written (0123456), it waits for its verdict",
  );
  expect(textOf({ type: "plan-judged", ...at, ok: true, summary: "no findings" })).toBe("plan: approved (no findings)");
  expect(textOf({ type: "plan-judged", ...at, ok: false, summary: "1 finding", findings: "" }, 1)).toBe(
    "plan: refused, 1 of 2: 1 finding",
  );
});

test("the row of a planning attempt says plan, while its agent works and afterwards", () => {
  const attempt = {
    n: 1,
    fence: at.fence,
    slot: 0,
    startedAt: 1,
    reservedUsd: 0,
    lines: 0,
    passed: [],
    isPlanning: true,
  } as const;
  const agent = { launchedAt: 1 };
  expect(attemptStage({ ...attempt, agent }, []).word).toBe("plan");
  expect(attemptStage({ ...attempt, agent: { ...agent, endedAt: 2 } }, []).word).toBe("plan");
  expect(attemptStage({ ...attempt, asked: { question: "plan", reservedUsd: 0 } }, []).word).toBe("plan");
});

test("a ticket says in two words how its plan stands", () => {
  const plan = { attempt: 1, refusals: 0 };
  expect(planState(undefined)).toBeUndefined();
  expect(planState({ ...plan, state: "written" })).toBe("plan unjudged");
  expect(planState({ ...plan, state: "approved" })).toBe("plan approved");
});
