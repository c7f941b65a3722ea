import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Stage } from "../../e2e/stage.ts";
import { CORPUS } from "./corpus.ts";
import { leftBy, type Outcome, repoOf, toldOf, work } from "./run.ts";

/** One run of the real program, on a shared machine. */
const TIMEOUT_MS = 2_400_000;

/** The parts of a summary about where its time went, which depend on the machine, and about what was proven before it landed. */
const PARTS = /; (?:measuring the base|proof|preparing|proven) [^;\n]*/g;

describe("an ordinary change lands at the first attempt", () => {
  const stage = new Stage();
  let outcome: Outcome;

  beforeAll(async () => {
    outcome = await work(stage, CORPUS);
  }, TIMEOUT_MS);

  afterAll(() => stage[Symbol.dispose](), TIMEOUT_MS);

  test("there are enough of them, and each is another", () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(64);
    expect(new Set(CORPUS.map(({ id }) => id.toLowerCase())).size).toBe(CORPUS.length);
  });

  test("the oracle says done of all of them, and the sandbox was on", () => {
    expect(outcome.stderr).toBe("");
    expect(outcome.code).toBe(0);
    expect(outcome.report).toMatchObject({ verdict: "done", sandboxed: true, attempts: CORPUS.length, incidents: 0 });
    expect(outcome.report.interventions.total).toBe(0);
    expect(outcome.events.findLast((event) => event.type === "oracle-judged")).toMatchObject({
      final: true,
      judgement: { verdict: "done", counts: { done: CORPUS.length, gated: 0, open: 0 } },
    });
  });

  test.each(CORPUS)("$id: $what", (change) => {
    const told = toldOf(outcome.events, change.id);
    const mine = outcome.events.filter((event) => "ticket" in event && event.ticket === change.id);
    expect(
      mine.filter((event) => event.type === "step-ended" && !event.ok),
      told,
    ).toEqual([]);
    expect(
      mine.filter((event) => event.type === "attempt-ended"),
      told,
    ).toMatchObject([{ outcome: "done" }]);
    expect(
      mine.find((event) => event.type === "attempt-ended"),
      told,
    ).not.toHaveProperty("evidence");
    expect(
      mine.find((event) => event.type === "agent-ended"),
      told,
    ).toMatchObject({ ending: "exited", exitCode: 0 });
    expect(stage.landed(repoOf(change)).filter((id) => id === change.id)).toEqual([change.id]);
    const ticket = outcome.report.tickets.find(({ id }) => id === change.id);
    expect(ticket).toMatchObject({ state: "done", attempts: 1, stalledReason: null });
    const checks = mine.flatMap((event) => (event.type === "step-ended" && event.strength !== undefined ? [event] : []));
    const said = checks.map(({ summary }) => summary?.replace(PARTS, "")).join("\n");
    expect(said).toMatch(change.told ?? /tests, 5 on the base$/);
    expect(change.left?.(leftBy(stage, change)) ?? true, told).toBe(true);
  });
});
