import { describe, expect, test } from "vitest";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { AgentResult } from "../../src/ports/agent.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { oneFile, Stage } from "./stage.ts";

cleanUp();

const T1 = TicketId.parse("T-1");
const AWAY: Partial<AgentResult> = {
  exitCode: 1,
  stop: { kind: "unreachable", says: "the model's API cannot be reached (ECONNREFUSED)" },
};

describe("a model's API that cannot be reached", () => {
  test("for a while: no attempt is spent, and the run goes on", async () => {
    using stage = await Stage.open({
      tickets: [ticketOf("T-1")],
      limits: { workers: 1, attempts: 1, outageMinutes: 15 },
      work: (task) => (stage.tasks.length > 1 ? oneFile(task) : AWAY),
    });
    stage.start();
    const held = await stage.until("backoff-started");
    expect(held).toMatchObject({
      reason: expect.stringMatching(/^an agent cannot reach its model's API .*gives up after 15 minutes$/),
    });
    expect(stage.state.outages?.model).toMatchObject({ why: "the model's API cannot be reached (ECONNREFUSED)" });
    // In place of the wait.
    stage.report({ type: "backoff-started", until: 0, reason: "over" });
    const state = await stage.ended();
    expect(state.end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(stage.ticket(T1)).toMatchObject({ failures: 0, history: [{ outcome: "failed" }, { outcome: "done" }] });
    expect(state.outages).not.toHaveProperty("model");
  });

  test("for good: the run ends unjudged (3) with the reason, and the same command continues it", async () => {
    let isAway = true;
    using stage = await Stage.open({
      tickets: [ticketOf("T-1")],
      limits: { workers: 1, attempts: 1, outageMinutes: 0 },
      work: (task) => (isAway ? AWAY : oneFile(task)),
    });
    stage.start();
    const { end } = await stage.ended();
    expect(end).toMatchObject({ kind: "unjudged", verdict: "unjudged", exitCode: 3 });
    expect(end?.reason).toMatch(
      /^the model's API was away: the model's API cannot be reached \(ECONNREFUSED\) \(given up after /,
    );
    expect(stage.ticket(T1)).toMatchObject({ phase: "waiting", failures: 0, evidence: [] });
    await stage.crashAndReopen();
    isAway = false;
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
  });
});
