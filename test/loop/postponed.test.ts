import { describe, expect, test } from "vitest";
import { TURNED_AWAY } from "../../src/domain/schedule/breaker.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { opened, REVIEW, REVIEWER_PROMPT, T1 } from "./review-stage.ts";
import { impatient, scripted, stopOf } from "./scripted-model.ts";
import { oneFile, type Stage } from "./stage.ts";

cleanUp();

describe("and says nothing of the work by it", () => {
  const postponed = (stage: Stage) => stage.of("attempt-ended").map(({ outcome, evidence }) => [outcome, evidence?.summary]);

  test("twice in a row it had no room: all wait, the work is kept, and is asked about again without another agent", async () => {
    const { model, tasks } = scripted([stopOf("rate-limited", { retryAfterMs: 6_000 }), stopOf("rate-limited"), {}]);
    const waits: number[] = [];
    using stage = await opened({ model, ctx: impatient(waits) });
    stage.start();
    const held = await stage.until("backoff-started");
    expect(held).toMatchObject({ reason: "the reviewer's API rejected a request (rate-limited): come back" });
    expect(waits).toContain(6_000);
    expect(tasks).toHaveLength(2);
    // What is tried again at once holds nobody up.
    expect(stage.of("reviewer-answered").map((event) => event.stop)).toEqual([
      undefined,
      { kind: "rate-limited", says: "come back" },
    ]);
    // In place of the wait.
    stage.report({ type: "backoff-started", until: 0, reason: "over" });
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.tasks).toHaveLength(1);
    expect(tasks).toHaveLength(3);
    expect(stage.ticket(T1)).toMatchObject({ phase: "done", failures: 0, evidence: [] });
    expect(postponed(stage)).toEqual([
      ["stopped", "postponed, because the reviewer is unavailable: it stopped early (rate-limited): come back"],
      ["done", undefined],
    ]);
    expect(state.claims).toEqual({ made: 1, upheld: 1 });
  });

  test("a wait that is too long for a step is not waited for in it, and is as long as its API says", async () => {
    const { model, tasks } = scripted([stopOf("rate-limited", { retryAfterMs: 3_600_000 }), {}]);
    using stage = await opened({ model });
    stage.start();
    const held = await stage.until("backoff-started");
    const [answer] = stage.of("reviewer-answered");
    expect(held).toMatchObject({ until: (answer?.at ?? 0) + 3_600_000 });
    expect(tasks).toHaveLength(1);
    stage.report({ type: "backoff-started", until: 0, reason: "over" });
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect([stage.tasks.length, tasks.length]).toEqual([1, 2]);
  });

  test.for(["authentication", "permission", "model"] as const)(
    "%s: nothing starts any more, and what is under way is postponed",
    async (kind) => {
      const tickets = ["T-1", "T-2", "T-3"].map((id) => ticketOf(id, { finish: [REVIEW, { step: "merge" }] }));
      const { model, tasks } = scripted([{ exitCode: 1, stop: { kind, says: "the key\u001b[31m is\nrefused" } }]);
      using stage = await opened({
        model,
        stage: {
          tickets,
          limits: { attempts: 3, workers: 1 },
          // The second one is at work when the first one is sent away.
          work: async (task) => {
            if (task.ticket !== T1) await stage.until("reviewer-answered");
            return oneFile(task);
          },
        },
      });
      stage.start();
      const { end, halted } = await stage.ended();
      expect([stage.tasks.length, tasks.length]).toEqual([2, 1]);
      expect(halted).toEqual({ kind, says: "the key is refused", party: "reviewer" });
      expect(end).toMatchObject({ kind: "not-done", exitCode: 1 });
      expect(end?.reason).toContain(`no agent starts any more (the reviewer: ${kind}): the key is refused; `);
      expect(end?.reason).toContain("3 of 3 tickets are open: T-1 not done");
      // What was under way beside it is postponed as well, and asks nobody.
      const said = "postponed, because the reviewer is unavailable: it";
      expect(postponed(stage)).toEqual([
        ["stopped", `${said} stopped early (${kind}): the key is refused`],
        ["stopped", `${said} is not asked any more (${kind}): the key is refused`],
      ]);
      expect(stage.ticket(T1)).toMatchObject({ phase: "waiting", failures: 0, pendingWork: { claimed: true } });
    },
  );

  test("once its key is mended, the next engine goes on from the work", async () => {
    const { model, tasks } = scripted([{ exitCode: 1, stop: { kind: "authentication", says: "refused" } }, {}]);
    using stage = await opened({ model });
    await stage.crashAt((event) => event.type === "attempt-ended");
    await stage.crashAndReopen((ctx) => ({
      templates: { ...ctx.templates, reviewer: REVIEWER_PROMPT },
      reviewer: model,
    }));
    await stage.resume();
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect([stage.tasks.length, tasks.length]).toEqual([1, 2]);
  });

  test("six times in a row it is a failure like any other, and the ticket is given up with its work kept", async () => {
    const { model, tasks } = scripted([stopOf("rate-limited", { retryAfterMs: 61_000 })]);
    using stage = await opened({ model });
    stage.start();
    for (let n = 1; n <= TURNED_AWAY; n++) {
      await stage.until("attempt-ended", () => stage.of("attempt-ended").length === n);
      await stage.until("backoff-started", () => stage.state.backoffDue === undefined);
      stage.report({ type: "backoff-started", until: 0, reason: "over" });
    }
    expect((await stage.ended()).end?.exitCode).toBe(1);
    expect([stage.tasks.length, tasks.length]).toEqual([1, TURNED_AWAY + 1]);
    const { failures, stalledReason, pendingWork } = stage.ticket(T1);
    expect({ failures, stalledReason, kept: pendingWork !== undefined }).toEqual({
      failures: 1,
      kept: true,
      stalledReason:
        "postponed, because the reviewer is unavailable: it stopped early (rate-limited): come back · 1 attempt failed",
    });
  });
});
