import { describe, expect, test } from "vitest";
import { resolveRoutes } from "../../../src/domain/batch/complexity-spec.ts";
import { lacksPlan, planToJudge } from "../../../src/domain/complexity/planned.ts";
import { planAfterRetry, planDigest } from "../../../src/domain/run/plan-fact.ts";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { rewritten, type TicketState } from "../../../src/domain/run/ticket-state.ts";
import { RunId, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const RUN = RunId.parse("a-run");
const routed = { ...batchOf([ticketOf("T-1", { complexity: "architectural" })]), complexity: resolveRoutes(true) };
const approved = { state: "approved", attempt: 1, refusals: 1, text: "x", digest: "d" } as const;
const written = { ...approved, state: "written" } as const;
const refused = { state: "refused", attempt: 2, refusals: 2, summary: "no" } as const;
const fresh = (): TicketState => stateOf(new Simulation(routed).state, T1);

test("only an approved plan is one, and only for a class that asks for it", () => {
  expect(lacksPlan(routed, fresh())).toBe(true);
  expect(lacksPlan(routed, { ...fresh(), plan: written })).toBe(true);
  expect(lacksPlan(routed, { ...fresh(), plan: refused })).toBe(true);
  expect(lacksPlan(routed, { ...fresh(), plan: approved })).toBe(false);
  expect(lacksPlan(routed, { complexity: { class: "complex", why: "" } })).toBe(false);
  expect(lacksPlan(batchOf([]), fresh())).toBe(false);
});

test("a plan waits for its verdict once it is written", () => {
  expect(planToJudge(routed, { ...fresh(), plan: written })).toEqual({ text: "x", digest: "d" });
  expect(planToJudge(routed, { ...fresh(), plan: approved })).toBeUndefined();
  expect(planToJudge(routed, fresh())).toBeUndefined();
});

describe("a verdict", () => {
  const verdict = { type: "plan-judged", ok: true, summary: "no findings" } as const;
  /** A plan that is written, the one that replaces it if there is one, and a verdict on the words of `digest`. */
  const judged = (digest: string | undefined, replacedBy?: string) => {
    const sim = new Simulation(routed);
    sim.report({ type: "attempt-claimed", ticket: T1, fence: 1 as never, attempt: 1, slot: 0, reservedUsd: 0 });
    const write = (text: string) => sim.report({ type: "plan-written", ...sim.of(T1), text, digest: planDigest(text) });
    write("one");
    if (replacedBy !== undefined) write(replacedBy);
    sim.report({ ...verdict, ...sim.of(T1), ...(digest !== undefined && { digest }) });
    return stateOf(sim.state, T1).plan;
  };

  test("approves the words that were judged", () => {
    expect(judged(planDigest("one"))).toMatchObject({ state: "approved", text: "one", digest: planDigest("one") });
  });

  test("approves no other words, and none without a name", () => {
    expect(judged(planDigest("one"), "two")).toMatchObject({ state: "written", text: "two" });
    expect(judged(planDigest("two"))).toMatchObject({ state: "written", text: "one" });
    expect(judged(undefined)).toMatchObject({ state: "written", text: "one" });
  });
});

test("a person's retry allows two more plans, and keeps an approval", () => {
  expect(planAfterRetry({ plan: refused })).toEqual({});
  expect(planAfterRetry({ plan: approved })).toEqual({ plan: { ...approved, refusals: 0 } });
});

test("a person's new text takes an approval away: the plan was for another one", () => {
  expect(rewritten(RUN, { ...fresh(), plan: approved })).not.toHaveProperty("plan");
  expect(rewritten(RUN, { ...fresh(), plan: written })).not.toHaveProperty("plan");
});
