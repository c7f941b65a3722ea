import { describe, expect, test } from "vitest";
import { AgentSpec } from "../../src/domain/batch/agent-spec.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { oneFile, Stage } from "./stage.ts";

cleanUp();

const agent = AgentSpec.parse({ kind: "claude", apiKeyEnv: "FIRST", fallback: [{ apiKeyEnv: "SECOND" }] });
const STOP = { kind: "rate-limited", says: "slow down", retryAfterMs: 3_600_000 } as const;

describe("an agent with a second account", () => {
  test("uses it while the first is rate limited: nothing waits, and the journal tells of the switch", async () => {
    using stage = await Stage.open({
      agent,
      tickets: [ticketOf("T-1"), ticketOf("T-2")],
      limits: { workers: 1 },
      work: (task) => (task.account === 1 ? oneFile(task) : { exitCode: 1, stop: STOP }),
    });
    stage.start();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.of("backoff-started")).toEqual([]);
    expect(stage.of("account-switched")).toMatchObject([{ party: "agent", from: 0, to: 1, name: "the key in SECOND" }]);
    expect(stage.tasks.map(({ account = 0 }) => account)).toEqual([0, 1, 1]);
    expect(stage.of("agent-ended").map(({ account = 0 }) => account)).toEqual([0, 1, 1]);
  });

  test("waits once both are rate limited", async () => {
    using stage = await Stage.open({
      agent,
      tickets: [ticketOf("T-1")],
      limits: { workers: 1 },
      work: (task) => (stage.tasks.length > 2 ? oneFile(task) : { exitCode: 1, stop: STOP }),
    });
    stage.start();
    await stage.until("backoff-started");
    expect(stage.tasks.map(({ account = 0 }) => account)).toEqual([0, 1]);
    // In place of the wait.
    stage.report({ type: "backoff-started", until: 0, reason: "over" });
    expect((await stage.ended()).end?.exitCode).toBe(0);
  });
});
