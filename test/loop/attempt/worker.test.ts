import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import { HumanStep } from "../../../src/domain/run/command.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { LoopContext } from "../../../src/loop/attempt/context.ts";
import type { Repo } from "../../../src/ports/vcs.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { endless, oneFile, Stage } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");
const T2 = TicketId.parse("T-2");
const one = [ticketOf("T-1")];

/** The repository with some of its ways changed. */
const withRepo =
  (change: (repo: Repo) => Partial<Repo>) =>
  (ctx: LoopContext): Partial<LoopContext> => {
    const repo = ctx.repos.get("app") as Repo;
    return { repos: new Map([["app", { ...repo, ...change(repo) }]]) };
  };

describe("what an agent's end makes of its attempt", () => {
  test.for([
    ["exits non-zero", { exitCode: 3 }, "failed", "the agent exited with code 3"],
    ["is silent", { ending: "silent", exitCode: null }, "silent", "the agent printed nothing for too long and was killed"],
    ["runs out of time", { ending: "out-of-time", exitCode: null }, "out-of-time", "the agent ran out of time and was killed"],
    ["is killed by a signal", { exitCode: null, signal: "SIGSEGV" }, "failed", "the agent was ended by SIGSEGV"],
  ] as const)(
    "an agent that %s: nothing of it lands, its evidence and its change are kept",
    async ([, result, outcome, summary]) => {
      // What Node.js prints below an error says nothing of the reason.
      const tail = "last words\n    at run (file:///agent.mjs:1:7)\n\nNode.js v24.1.0\n";
      using stage = await Stage.open({
        tickets: one,
        limits: { attempts: 1 },
        work: (task) => (oneFile(task), { ...result, tail }),
      });
      stage.start();
      expect((await stage.ended()).end?.exitCode).toBe(1);
      expect(stage.ticket(T1)).toMatchObject({ phase: "stalled", failures: 1, history: [{ outcome, claimed: false }] });
      expect(stage.ticket(T1).history[0]?.summary).toBe(`${summary}; it printed last: "last words"`);
      expect(stage.of("attempt-ended")[0]?.evidence).toMatchObject({ step: "agent", detail: tail.trim() });
      expect(stage.git("log", "--format=%s", "main")).toBe("first");
      expect(readFileSync(join(stage.root, "run/tickets/T-1/attempt-1/change.patch"), "utf8")).toContain("T-1.txt");
      expect(existsSync(join(stage.root, "worktrees/T-1-1"))).toBe(false);
    },
  );

  test("an agent that does not start has not failed: it is tried again, and the run waits for that no longer than for an outage", async () => {
    const result = { ending: "failed-to-start", exitCode: null, message: "ENOENT" } as const;
    using stage = await Stage.open({ tickets: one, limits: { attempts: 1, outageMinutes: 0.03 }, work: () => result });
    stage.start();
    const { end } = await stage.ended();
    expect(end).toMatchObject({
      exitCode: 3,
      reason: expect.stringContaining("a program could not be started: the agent: ENOENT"),
    });
    expect(stage.tasks.length).toBeGreaterThan(1);
    expect(stage.ticket(T1)).toMatchObject({ phase: "waiting", failures: 0, history: [{ outcome: "stopped" }] });
  });

  test("a claim with nothing changed is not upheld", async () => {
    const finish: StepSpec[] = [{ step: "gates" }, { step: "merge" }, { step: "assert" }];
    using stage = await Stage.open({ tickets: [ticketOf("T-1", { finish })], limits: { attempts: 1 }, work: () => undefined });
    stage.start();
    const state = await stage.ended();
    expect(state.claims).toEqual({ made: 1, upheld: 0 });
    expect(stage.ticket(T1).stalledReason).toBe("nothing was changed · 1 attempt failed");
  });

  test("unknown cost is the reserved maximum", async () => {
    const costs: number[] = [];
    using stage = await Stage.open({ tickets: one, reserveUsd: 2, work: (task) => (oneFile(task), { costUsd: null }) }, () => ({
      dayBudget: { take: () => ({ ok: true }), settle: (_, usd) => void costs.push(usd) },
    }));
    stage.start();
    await stage.ended();
    expect(stage.of("agent-ended")[0]?.costUsd).toBe(2);
    expect(costs).toEqual([2]);
  });
});

describe("an attempt that a person ends", () => {
  const begun = async () => {
    const stage = await Stage.open({
      tickets: one,
      limits: { attempts: 2 },
      work: (task) => (stage.tasks.length === 1 ? endless(task) : oneFile(task)),
    });
    onTestFinished(() => stage[Symbol.dispose]());
    stage.start();
    await stage.until("agent-started");
    return stage;
  };

  test("killed: it counts, and the next attempt is told", async () => {
    const stage = await begun();
    stage.engine.orchestrator.command({ type: "kill", ticket: T1 });
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(stage.of("agent-ended")[0]?.ending).toBe("killed-by-person");
    expect(stage.ticket(T1)).toMatchObject({
      failures: 1,
      history: [{ outcome: "killed", summary: "a person killed this worker" }, { outcome: "done" }],
    });
  });

  test("gated: it does not count, the tracker holds the exact step, and the oracle takes it as settled", async () => {
    const stage = await begun();
    stage.engine.orchestrator.command({ type: "gate", ticket: T1, step: HumanStep.parse("press the button") });
    expect((await stage.ended()).end).toMatchObject({ exitCode: 0, reason: "0 done, 1 left to a person" });
    expect(stage.ticket(T1)).toMatchObject({ failures: 0, humanStep: "press the button", history: [{ outcome: "gated" }] });
    expect((await stage.tracker().snapshot())[0]?.state).toEqual({ as: "human-gated", step: "press the button" });
  });

  test("stopped: it does not count, and the run is told apart from done", async () => {
    const stage = await begun();
    stage.engine.orchestrator.stop("SIGTERM");
    expect((await stage.ended()).end).toMatchObject({ kind: "interrupted", exitCode: 130 });
    expect(stage.ticket(T1)).toMatchObject({ phase: "waiting", failures: 0, history: [{ outcome: "stopped" }] });
  });

  test("a ticket that waits for its turn to merge is killed at once, not when the one before has landed", async () => {
    let free = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      free = resolve;
    });
    using stage = await Stage.open(
      { tickets: [ticketOf("T-1"), ticketOf("T-2")], limits: { attempts: 1 } },
      withRepo((repo) => ({
        land: async (options) => {
          await held;
          return repo.land(options);
        },
      })),
    );
    stage.start();
    await stage.until("merge-intended");
    const merging = stage.of("merge-intended")[0]?.ticket;
    const other = merging === T1 ? T2 : T1;
    await stage.until("change-captured", (e) => e.type === "change-captured" && e.ticket === other);
    await new Promise((resolve) => setImmediate(resolve));
    stage.engine.orchestrator.command({ type: "kill", ticket: other });
    await stage.until("attempt-ended", (e) => e.type === "attempt-ended" && e.ticket === other);
    expect(stage.of("merge-landed")).toEqual([]);
    free();
    await stage.ended();
    expect(stage.ticket(other).history).toMatchObject([{ outcome: "killed" }]);
    expect(stage.of("merge-landed").map((e) => e.ticket)).toEqual([merging]);
  });
});

describe("trouble around the agent", () => {
  test("a git failure is an attempt's failure with its reason, not the engine's", async () => {
    using stage = await Stage.open(
      { tickets: one, limits: { attempts: 1 } },
      withRepo(() => ({ capture: () => Promise.reject(new Error("index.lock\nexists")) })),
    );
    stage.start();
    expect((await stage.ended()).end?.exitCode).toBe(1);
    expect(stage.of("attempt-ended")[0]).toMatchObject({
      outcome: "failed",
      evidence: { step: "worktree", summary: "index.lock exists" },
    });
  });

  test("a prepare command that fails: no agent is started", async () => {
    using stage = await Stage.open({
      tickets: one,
      limits: { attempts: 1 },
      prepare: [["true"], ["sh", "-c", "echo no network; exit 4"]],
    });
    stage.start();
    await stage.ended();
    expect(stage.tasks).toEqual([]);
    const evidence = {
      step: "prepare",
      summary: "sh -c echo no network; exit 4 exited with code 4: no network",
      detail: "no network",
    };
    expect(stage.of("attempt-ended")[0]).toMatchObject({ outcome: "stopped", evidence });
  });

  test("what a ticket took that cannot be recorded, and a worktree that cannot be removed, take nothing from done", async () => {
    const warned: string[] = [];
    const warn = (warning: Error): void => void warned.push(warning.message);
    process.on("warning", warn);
    onTestFinished(() => void process.off("warning", warn));
    const refuse = () => {
      throw new Error("database is locked");
    };
    using stage = await Stage.open({ tickets: one }, (ctx) => ({
      recordDuration: refuse,
      ...withRepo(() => ({ removeWorktree: () => Promise.reject(new Error("busy")) }))(ctx),
    }));
    stage.start();
    expect((await stage.ended()).end?.exitCode).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warned).toEqual([expect.stringContaining("database is locked"), expect.stringContaining("busy")]);
  });

  test("a check is judged in a pristine checkout without what lies unversioned in the worktree, and the checkout is gone afterwards", async () => {
    const finish: StepSpec[] = [{ step: "check", name: "unit", command: ["sh", "-c", "pwd; ls -A; exit 1"] }, { step: "merge" }];
    using stage = await Stage.open({
      tickets: [ticketOf("T-1", { finish })],
      limits: { attempts: 1 },
      work: (task) => {
        writeFileSync(join(task.worktree, "cheat.log"), "");
        return oneFile(task);
      },
    });
    stage.start();
    await stage.ended();
    const [cwd = "", ...names] = stage.of("attempt-ended")[0]?.evidence?.detail.split("\n") ?? [];
    expect(names).toEqual([".git", ".gitignore", "T-1.txt", "a.txt", "b.txt"]);
    expect(cwd).toContain(join(stage.root, "run/judge"));
    expect(existsSync(cwd)).toBe(false);
  });

  test("an outbox is there for the agent, and its own for each attempt", async () => {
    const boxes: string[] = [];
    using stage = await Stage.open({
      tickets: one,
      work: (task) => {
        boxes.push(task.outbox);
        mkdirSync(join(task.outbox, "discovered"));
        return task.attempt === 1 ? { exitCode: 1 } : oneFile(task);
      },
    });
    stage.start();
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(new Set(boxes).size).toBe(2);
  });
});

describe("the order of the finish line", () => {
  test("gates before any command of the change runs; verify on what has landed; the tracker last", async () => {
    const finish: StepSpec[] = [
      { step: "gates" },
      { step: "check", name: "unit", command: ["true"] },
      { step: "merge" },
      { step: "verify", name: "live", command: ["true"] },
      { step: "assert" },
    ];
    using stage = await Stage.open({ tickets: [ticketOf("T-1", { finish })] });
    stage.start();
    await stage.ended();
    expect(stage.of("step-started").map((e) => [e.step, e.kind, e.name])).toEqual([
      [0, "gates", "gates"],
      [1, "check", "unit"],
      [2, "merge", "merge"],
      [3, "verify", "live"],
      [4, "assert", "assert"],
    ]);
    const judged = stage.of("step-ended").map((e) => e.judged);
    expect(judged[1]).toBe(stage.of("merge-landed")[0]?.to);
    expect(judged.slice(1, 4)).toEqual([judged[1], judged[1], judged[1]]);
  });

  test("a protected path stops it before the check runs", async () => {
    const finish: StepSpec[] = [{ step: "gates" }, { step: "check", name: "unit", command: ["true"] }, { step: "merge" }];
    using stage = await Stage.open({ tickets: [ticketOf("T-1", { finish })], limits: { attempts: 1 }, protect: ["*.txt"] });
    stage.start();
    await stage.ended();
    expect(stage.of("step-started").map((e) => e.kind)).toEqual(["gates"]);
    expect(stage.ticket(T1).stalledReason).toContain("protected path touched: T-1.txt (added)");
  });
});
