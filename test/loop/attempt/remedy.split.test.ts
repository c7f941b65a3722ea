import { describe, expect, test } from "vitest";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { AgentTask } from "../../../src/ports/agent.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { leave } from "../blocker-stage.ts";
import { acting, both, ended, finish, leaves, lines, loops, outcomes, promptOf, T1 } from "../remedy-stage.ts";
import type { StageOptions } from "../stage.ts";

cleanUp();
const PART = TicketId.parse("T-1-d1");
const limits = { attempts: 4, discoveries: 1 };

/** Files two parts, and changes what it was asked to leave alone. */
const files = (task: AgentTask): undefined => {
  for (const name of ["a", "b"]) leave(task, `discovered/${name}.json`, { title: `Part ${name}`, reason: "it is a part" });
  leaves("thrown-away.txt", "x")(task);
};

const split = (works: readonly NonNullable<StageOptions["work"]>[]) => {
  const work: StageOptions["work"] = (task) =>
    task.ticket === T1 ? (works[task.attempt - 1] ?? both)(task) : leaves("part.txt", "x")(task);
  return acting([], { onFail: "split", limits, tickets: [ticketOf("T-1", { finish })], work });
};

describe("split", () => {
  test("asks the next attempt for the parts, and the ticket waits for them, within the cap", async () => {
    using stage = await split([loops, files, both]);
    expect(await ended(stage)).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "failed", "done"]);
    expect(lines(stage)[0]).toContain("the next attempt is asked for the parts of the ticket as tickets of their own");
    expect(promptOf(stage, 2)).toMatch(/^- SPLIT: MOMENTUM failed in attempt 1 \(/m);
    expect(stage.of("ticket-discovered")).toMatchObject([{ discovered: { id: PART }, blocks: true }]);
    expect(stage.of("discovery-refused")).toHaveLength(1);
    expect(stage.tasks.map(({ ticket }) => ticket)).toEqual([T1, T1, PART, T1]);
    expect(promptOf(stage, 4)).toContain("### the ticket was split: it waits for T-1-d1");
    expect(stage.git("ls-tree", "--name-only", "main")).not.toContain("thrown-away.txt");
  });

  test("costs an attempt if no part is filed", async () => {
    using stage = await split([loops, both, both]);
    expect(await ended(stage)).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "failed", "done"]);
    expect(stage.ticket(T1).failures).toBe(2);
  });

  test("is not asked for again if the engine is lost once a part is filed", async () => {
    using stage = await split([loops, files, both]);
    await stage.crashAt(({ type }) => type === "ticket-discovered");
    expect(stage.ticket(T1).due).toBeUndefined();
    expect(stage.ticket(T1).openDeps).toBe(1);
  });
});
