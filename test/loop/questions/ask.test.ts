import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LoopContext } from "../../../src/loop/attempt/context.ts";
import type { Reviewer, ReviewerAnswer } from "../../../src/ports/reviewer.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { isAlive, until } from "../../e2e/actors.ts";
import { ended, opened, REVIEWER_PROMPT, type Reviewed, reviewed, T1 } from "../review-stage.ts";
import { impatient, scripted, stopOf } from "../scripted-model.ts";

cleanUp();

const ask = (answers: readonly Partial<ReviewerAnswer>[], usd = 0, options: Reviewed = {}) => {
  const { model, tasks } = scripted(answers, usd);
  return reviewed({ ...options, model }).then((result) => ({ ...result, tasks }));
};

describe("the money of a question", () => {
  test("is set aside before it is put, and is what it did cost afterwards", async () => {
    const { landed, asked, state, tasks } = await ask([{ costUsd: 0.4 }], 2);
    expect(landed).toBe(true);
    expect(tasks).toHaveLength(1);
    expect(asked).toMatchObject([{ question: "review", reservedUsd: 2 }]);
    expect(state).toMatchObject({ spentUsd: 0.4, reservedUsd: 0, reviewer: { usd: 0.4 } });
  });

  test("that nobody knows is all that was set aside, also of one that died", async () => {
    const { landed, state } = await ask([{ costUsd: null, exitCode: 1 }], 2);
    expect(landed).toBe(false);
    expect(state.spentUsd).toBe(2);
  });

  test.for([["usdPerTicket"], ["usdPerRun"], ["usdPerDay"]] as const)("that %s has no room for is not spent", async ([cap]) => {
    const { landed, asked, tasks, summary } = await ask([], 2, { stage: { limits: { attempts: 1, [cap]: 1.99 } } });
    expect(landed).toBe(false);
    expect(tasks).toEqual([]);
    expect(asked).toEqual([]);
    expect(summary).toBe(`no review: the reviewer may cost 2 dollars, and limits.${cap} has no room for that any more`);
  });

  test("is taken from the day's, under its own name, and given back", async () => {
    const book: unknown[] = [];
    const dayBudget: LoopContext["dayBudget"] = {
      take: (fence, usd, question) => (book.push(["take", fence, usd, question]), { ok: true }),
      settle: (fence, usd, question) => void book.push(["settle", fence, usd, question]),
    };
    const { landed } = await ask([{ costUsd: 0.5 }], 2, { ctx: () => ({ dayBudget }) });
    expect(landed).toBe(true);
    const own = book.filter((entry) => Array.isArray(entry) && entry[3] !== undefined);
    expect(own).toEqual([
      ["take", 1, 2, "review"],
      ["settle", 1, 0.5, "review"],
    ]);
  });

  test("that other runs have spent today is not there: it is said, and nothing is asked", async () => {
    const dayBudget: LoopContext["dayBudget"] = {
      take: (_, __, question) => (question === undefined ? { ok: true } : { ok: false, othersUsd: 149 }),
      settle: () => undefined,
    };
    const { model, tasks } = scripted([], 2);
    using stage = await opened({ model, ctx: () => ({ dayBudget }) });
    const { landed, summary, asked } = await ended(stage);
    expect(landed).toBe(false);
    expect(tasks).toEqual([]);
    expect(asked).toEqual([]);
    expect(summary).toContain("others have left no room for that in limits.usdPerDay");
    expect(stage.of("others-spent-today")).toMatchObject([{ usd: 149 }]);
  });

  test("of a question that could not be put, for there is no checkout, is not spent", async () => {
    const { model, tasks } = scripted([], 2);
    using stage = await opened({ model });
    const repo = stage.engine.ctx.repos.get("app");
    Object.assign(repo ?? {}, { checkout: () => Promise.reject(new Error("disk\nfull")) });
    const { landed, answers, state } = await ended(stage);
    expect(landed).toBe(false);
    expect(tasks).toEqual([]);
    expect(answers).toMatchObject([{ valid: false, costUsd: 0, says: "disk full" }]);
    expect(state).toMatchObject({ spentUsd: 0, reservedUsd: 0 });
  });
});

describe("an answer of one that stopped early", () => {
  test.for(["rate-limited", "overloaded"] as const)("for it was %s: it is asked once more, and paid for twice", async (kind) => {
    const waits: number[] = [];
    const { model, tasks } = scripted([{ ...stopOf(kind), costUsd: 0.1 }, { costUsd: 0.2 }], 1);
    using stage = await opened({ model, ctx: impatient(waits) });
    const { landed, answers, state } = await ended(stage);
    expect(landed).toBe(true);
    expect(tasks).toHaveLength(2);
    expect(tasks[0]?.checkout).not.toBe(tasks[1]?.checkout);
    expect(waits).toContain(10_000);
    expect(answers).toMatchObject([{ valid: false, says: `it stopped early (${kind}): come back` }, { valid: true }]);
    expect(state.spentUsd).toBeCloseTo(0.3);
  });

  test.for([
    ["for another reason", stopOf("budget")],
    ["though it says that it exited well", { stop: { kind: "unfinished", says: "no result" } }],
  ] as const)("%s is none, and it is asked no more than the time for an outage allows", async ([, answer]) => {
    const { landed, tasks, answers, evidence } = await ask([answer]);
    expect(landed).toBe(false);
    expect(tasks).toHaveLength(1);
    expect(answers).toMatchObject([{ valid: false, stop: { kind: answer.stop?.kind } }]);
    expect(evidence?.summary).toMatch(/^postponed, because the reviewer is unavailable: it stopped early/);
  });
});

describe("an attempt that is cancelled while the reviewer thinks", () => {
  test("ends as cancelled, with the program gone, its money booked and its folders removed", async () => {
    using stage = await opened({
      reviewer: `fs.writeFileSync("pid", String(process.pid)); console.log("thinking"); setInterval(() => {}, 1000);`,
      usd: 3,
    });
    stage.start();
    await stage.until("reviewer-asked");
    const judge = join(stage.root, "run/judge");
    const pidFile = () =>
      readdirSync(judge)
        .map((name) => join(judge, name, "pid"))
        .find((file) => existsSync(file));
    await until(() => pidFile() !== undefined, "the reviewer's process");
    const pid = Number(readFileSync(pidFile() ?? "", "utf8"));
    stage.engine.orchestrator.command({ type: "kill", ticket: T1 });
    const state = await stage.ended();
    expect(stage.of("attempt-ended")).toMatchObject([{ outcome: "killed" }]);
    expect(stage.of("reviewer-answered")).toMatchObject([{ valid: false, costUsd: 3 }]);
    expect(state.spentUsd).toBe(3);
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(judge)).toEqual([]);
  });

  test("and whose engine dies: the question counts as spent, and is put again", async () => {
    using stage = await opened({ usd: 3 });
    const { reviewer } = stage.engine.ctx;
    await stage.crashAt(({ type }) => type === "reviewer-asked");
    await stage.crashAndReopen((ctx) => ({
      batch: { ...ctx.batch },
      templates: { ...ctx.templates, reviewer: REVIEWER_PROMPT },
      reviewer: reviewer as Reviewer,
    }));
    await stage.resume();
    const state = await stage.ended();
    expect(stage.ticket(T1).phase).toBe("done");
    expect(state).toMatchObject({ spentUsd: 6, reservedUsd: 0, reviewer: { asked: 2, valid: 1 } });
  });
});
