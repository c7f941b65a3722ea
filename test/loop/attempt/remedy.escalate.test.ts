import { describe, expect, test } from "vitest";
import { AgentSpec } from "../../../src/domain/batch/party.ts";
import type { AgentTask } from "../../../src/ports/agent.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { acting, bad, both, ended, finish, leaves, lines, loops, promptOf, repeat, T1 } from "../remedy-stage.ts";
import type { Stage, StageOptions } from "../stage.ts";

cleanUp();

describe("escalate", () => {
  const fallback = [{ apiKeyEnv: "SECOND" }, { model: "better", apiKeyEnv: "THIRD" }];
  const agent = AgentSpec.parse({ kind: "claude", model: "good", apiKeyEnv: "FIRST", fallback });
  const other = (task: AgentTask): undefined => {
    both(task);
    leaves("other.txt", "x")(task);
  };
  const accounts = (stage: Stage) => stage.tasks.map(({ account = 0 }) => account);

  test("gives the next attempts of the ticket another model, and no other ticket's", async () => {
    const tickets = [ticketOf("T-1", { finish }), ticketOf("T-2", { finish, dependsOn: [T1] })];
    const work: StageOptions["work"] = (task) =>
      task.ticket === T1 ? ([loops, bad][task.attempt - 1] ?? both)(task) : other(task);
    const programs = { agent };
    using stage = await acting([], { onFail: "escalate", programs, tickets, work, limits: { attempts: 4, workers: 1 } });
    expect(await ended(stage)).toBe(0);
    // Another key for the same model is no escalation.
    expect(accounts(stage)).toEqual([0, 2, 2, 0]);
    expect(stage.of("account-switched")).toEqual([]);
    expect(lines(stage)[0]).toContain("ended attempt 1; the next attempts use better, the key in THIRD");
    expect(promptOf(stage, 2)).toMatch(/^- ESCALATED: MOMENTUM failed in attempt 1 \(/m);
  });

  test("goes on to the next action once no other model is left, and says so", async () => {
    const programs = { agent };
    using stage = await acting([loops, loops], { onFail: ["escalate", "escalate", "gate"], programs });
    expect(await ended(stage)).toBe(1);
    expect(accounts(stage)).toEqual([0, 2]);
    expect(lines(stage)[1]).toContain("ended attempt 2; skipped escalate: fallback has no other model");
    expect(stage.ticket(T1).phase).toBe("stalled");
  });

  test("is none for an agent without another model", async () => {
    using stage = await acting([(task) => (repeat(task), bad(task)), both], { onFail: "escalate" });
    expect(await ended(stage)).toBe(0);
    expect(stage.of("remediated")).toEqual([]);
  });
});
