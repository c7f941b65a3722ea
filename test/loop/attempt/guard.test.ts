import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import type { AgentEvent } from "../../../src/domain/run/agent-event.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { AgentTask, GuardTask } from "../../../src/ports/agent.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { Stage, type StageOptions } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const CLAUDE = { agent: { kind: "claude", prices: [], fallback: [] } as unknown as Batch["agent"] };

const guardOf = ({ guard }: AgentTask): GuardTask => {
  if (guard === undefined) throw new Error("no guard");
  return guard;
};
const report = (task: AgentTask, ...lines: object[]) =>
  appendFileSync(guardOf(task).report, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const begin = (task: AgentTask) => {
  mkdirSync(task.session, { recursive: true });
  writeFileSync(guardOf(task).report, '{"event":"session-start"}\n');
};
const judged = (over: object = {}) => ({ event: "before-tool", tool: "Bash", verdict: "allow", ...over });
const reset = judged({ verdict: "block", rule: "git-reset", subject: "git reset --hard" });
const runs = (task: AgentTask, call: string) => {
  const events: readonly AgentEvent[] = [
    { what: "tool", text: "Bash: ls", call, action: { does: "run", command: "ls" } },
    { what: "result", text: "", failed: false, call },
  ];
  for (const event of events) task.onEvent?.(event);
};
const change = ({ worktree, ticket }: AgentTask): undefined => writeFileSync(join(worktree, `${ticket}.txt`), "x\n") as undefined;

/** A finished run. The agent is a function, which nothing confines: `confined` is what the engine thinks. */
async function ended(
  work: (task: AgentTask, stage: () => Stage) => ReturnType<StageOptions["work"] & {}>,
  { confined = false, ...over }: Partial<StageOptions> & { readonly confined?: boolean } = {},
): Promise<Stage> {
  const stage: Stage = await Stage.open(
    { tickets: [ticketOf("T-1")], programs: CLAUDE, ...over, work: (task) => work(task, () => stage) },
    () => ({ confined }),
  );
  stage.start();
  await stage.ended();
  return stage;
}

describe("what a guard reports", () => {
  test("is told with the table's alternative, counted, and feeds RECALL", async () => {
    using stage = await ended((task) => {
      begin(task);
      report(task, ...Array(4).fill({ ...reset, alternative: "rm -rf /" }));
      return change(task);
    });
    const blocked = stage.of("guard-blocked");
    expect(blocked.reduce((sum, { times = 1 }) => sum + times, 0)).toBe(4);
    expect(blocked[0]).toMatchObject({ rule: "git-reset", command: "git reset --hard" });
    expect(blocked[0]?.alternative).toBe("git stash push --include-untracked");
    const ledger = computeLedger(stage.engine.orchestrator.state);
    expect(ledger.guard).toEqual({ blocked: 4, byRule: { "git-reset": 4 }, dead: 0, stopsTold: 0 });
    const [past] = stage.ticket(T1).history;
    expect(past).toMatchObject({ outcome: "done", guard: { blocked: 4 }, signals: { recall: { level: "warn" } } });
  });

  test("is bounded, whatever is in it", async () => {
    using stage = await ended((task) => {
      begin(task);
      report(task, ...Array(2_000).fill(reset), ...Array(50).fill({ event: "stop", unmet: "x", n: 1, of: 2 }));
      appendFileSync(guardOf(task).report, "x\nnull\n");
      return change(task);
    });
    expect(stage.of("guard-blocked").length).toBeLessThan(10);
    expect(stage.of("stop-guard-told")).toHaveLength(10);
    expect(stage.ticket(T1).history[0]?.outcome).toBe("done");
  });

  test("decides nothing: a report full of praise does not land a change that fails its check", async () => {
    const finish = [{ step: "check", name: "tests", command: ["false"] }, { step: "merge" }, { step: "assert" }] as const;
    using stage = await ended(
      (task) => {
        begin(task);
        report(task, ...Array(20).fill(judged()));
        return change(task);
      },
      { tickets: [ticketOf("T-1", { finish })], limits: { attempts: 1 } },
    );
    expect(stage.ticket(T1).history[0]?.outcome).toBe("failed");
  });

  test("is not followed if the batch has no guard", async () => {
    let given: GuardTask | undefined;
    using stage = await Stage.open(
      {
        tickets: [ticketOf("T-1")],
        work: (task) => {
          given = task.guard;
          return change(task);
        },
      },
      (ctx) => ({ batch: { ...ctx.batch, guard: false } }),
    );
    stage.start();
    await stage.ended();
    expect(given).toBeUndefined();
  });
});

describe("a dead guard without a sandbox", () => {
  test("ends the attempt as a fault of the harness, and the ticket, before the agent goes on", async () => {
    using stage = await ended(async (task) => {
      begin(task);
      guardOf(task).onDead("its hook did not block a test command: exit 127");
      expect(task.signal.aborted).toBe(true);
      return { ending: "aborted", exitCode: null };
    });
    expect(stage.of("guard-dead")).toMatchObject([{ why: "its hook did not block a test command: exit 127" }]);
    const ticket = stage.ticket(T1);
    expect(ticket.phase).toBe("stalled");
    expect(ticket.history).toHaveLength(1);
    expect(ticket.stalledReason).toMatch(/infrastructure: the guard is dead/);
  });

  test("is noticed by commands that nobody judged", async () => {
    using stage = await ended((task) => {
      begin(task);
      report(task, judged());
      runs(task, "1");
      runs(task, "2");
      return change(task);
    });
    expect(stage.of("guard-dead")).toMatchObject([{ why: "1 shell command ran without being judged" }]);
  });

  test("is noticed by a deleted report", async () => {
    using stage = await ended(async (task, now) => {
      begin(task);
      report(task, reset);
      await vi.waitFor(() => expect(now().of("guard-blocked")).toHaveLength(1));
      rmSync(guardOf(task).report);
      return change(task);
    });
    expect(stage.of("guard-dead")).toMatchObject([{ why: "its report cannot be read: it was deleted" }]);
  });
});

describe("the number of tellings of the stop guard", () => {
  const toldFile = (task: AgentTask): string => guardOf(task).stop?.toldFile ?? "none";
  const stop = { event: "stop", unmet: "nothing changed", n: 1, of: 2 };

  test("is kept in the guard's folder, which the agent cannot write", async () => {
    using stage = await ended(
      async (task) => {
        begin(task);
        mkdirSync(guardOf(task).folder, { recursive: true });
        expect(toldFile(task).startsWith(`${guardOf(task).folder}/`)).toBe(true);
        report(task, stop);
        await vi.waitFor(() => expect(readFileSync(toldFile(task), "utf8")).toBe("1\n"));
        report(task, stop, stop, stop);
        await vi.waitFor(() => expect(readFileSync(toldFile(task), "utf8")).toBe("2\n"));
        return change(task);
      },
      { confined: true },
    );
    expect(stage.of("stop-guard-told")).toHaveLength(4);
  });

  test.each([
    ["a vendor's program", CLAUDE],
    ["a program of a person's own", {}],
  ])("is at its end if %s empties the report, and the feed says so", async (_, programs) => {
    using stage = await ended(
      async (task, now) => {
        begin(task);
        mkdirSync(guardOf(task).folder, { recursive: true });
        report(task, stop);
        await vi.waitFor(() => expect(now().of("stop-guard-told")).toHaveLength(1));
        truncateSync(guardOf(task).report);
        await vi.waitFor(() => expect(readFileSync(toldFile(task), "utf8")).toBe("2\n"));
        return change(task);
      },
      { confined: true, programs },
    );
    expect(stage.of("guard-dead")).toMatchObject([{ why: expect.stringMatching(/^its report cannot be read: it was cut/) }]);
    expect(stage.ticket(T1).history[0]?.outcome).toBe("done");
  });
});

test("in a sandbox, a dead guard is told once, and the attempt goes on", async () => {
  using stage = await ended(
    (task) => {
      runs(task, "1");
      guardOf(task).onDead("its hook did not block a test command: exit 127");
      return change(task);
    },
    { confined: true },
  );
  expect(stage.of("guard-dead")).toHaveLength(1);
  expect(stage.ticket(T1).history).toMatchObject([{ outcome: "done", guard: { dead: expect.stringMatching(/exit 127/) } }]);
});
