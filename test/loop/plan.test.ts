import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type ComplexitySpec, resolveRoutes } from "../../src/domain/batch/complexity-spec.ts";
import { computeLedger } from "../../src/domain/results/ledger.ts";
import { computeReport } from "../../src/domain/results/report.ts";
import type { AgentTask } from "../../src/ports/agent.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { ADVERSARY_PROMPT, finding, opened, PASSES, REVIEW, REVIEWER_PROMPT, type Reviewed, says, T1 } from "./review-stage.ts";
import type { Stage } from "./stage.ts";

cleanUp();

const promptOf = (name: string): string => readFileSync(resolve(import.meta.dirname, `../../prompts/${name}.md`), "utf8");
const PLANNED: ComplexitySpec = { simple: { plan: true }, complex: {}, architectural: {} };
const PLAN = "Change sum.js: add() returns a + b.\nRisk: callers that pass text.\nTest: sum.test.js.";
const REFUSES = says({ findings: [finding({ title: "no test named" })], verdict: "fail" });
/** Refuses plans, and passes changes. */
const REFUSES_PLANS = `question === "plan" ? ${REFUSES} : ${PASSES}`;

interface Planned extends Reviewed {
  readonly spec?: never;
  readonly complexity?: ComplexitySpec;
  readonly attempts?: number;
  /** What a planning agent leaves, by its turn from 1. */
  readonly plans?: readonly (string | undefined)[];
  /** Lines of the change, by working attempt. */
  readonly lines?: number;
}

/** A stage whose agent plans if it is asked to, and works if not. */
async function planned({ complexity = PLANNED, attempts = 3, plans = [PLAN], lines = 3, ...over }: Planned = {}) {
  const prompts: { readonly isPlan: boolean; readonly text: string }[] = [];
  const work = (task: AgentTask): undefined => {
    const text = readFileSync(task.promptFile, "utf8");
    const isPlan = text.includes("# A plan for ticket");
    prompts.push({ isPlan, text });
    if (!isPlan) {
      writeFileSync(join(task.worktree, "sum.js"), "line\n".repeat(lines));
      return;
    }
    const plan = plans[prompts.filter((one) => one.isPlan).length - 1] ?? plans.at(-1);
    mkdirSync(task.outbox, { recursive: true });
    if (plan !== undefined) writeFileSync(join(task.outbox, "plan.md"), plan);
    // What it does beside its plan counts for nothing, committed or not.
    writeFileSync(join(task.worktree, "early.js"), "early\n");
    execFileSync("git", ["add", "-A"], { cwd: task.worktree });
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "early"], { cwd: task.worktree });
    writeFileSync(join(task.worktree, "later.js"), "later\n");
  };
  const tickets = [ticketOf("T-1", { title: "Add numbers", body: "add(1, 2) is 3", finish: [REVIEW, { step: "merge" }] })];
  const routes = resolveRoutes(complexity);
  const stage = await opened({
    ...over,
    stage: { tickets, limits: { attempts }, work, ...(routes && { complexity: routes }) },
    ctx: ({ templates }) => ({
      templates: {
        ...templates,
        ...{ reviewer: REVIEWER_PROMPT, adversary: ADVERSARY_PROMPT, planner: promptOf("planner"), plan: promptOf("plan") },
      },
    }),
  });
  return { stage, prompts };
}

async function run(stage: Stage) {
  stage.start();
  await stage.ended();
  const outcomes = stage.of("attempt-ended").map(({ outcome }) => outcome);
  return { outcomes, phase: stage.ticket(T1).phase, questions: stage.of("reviewer-asked").map(({ question }) => question) };
}

describe("an approved plan", () => {
  test("stands in the prompt of the attempt after it, and what its agent changed is thrown away", async () => {
    const { stage, prompts } = await planned({ attempts: 1 });
    using _ = stage;
    expect(await run(stage)).toEqual({ outcomes: ["planned", "done"], phase: "done", questions: ["plan", "review"] });
    expect(prompts.map(({ isPlan }) => isPlan)).toEqual([true, false]);
    expect(prompts[0]?.text).not.toContain("### The plan");
    expect(prompts[1]?.text).toContain(`### The plan\n`);
    expect(prompts[1]?.text).toContain(PLAN);
    expect(stage.git("ls-tree", "-r", "--name-only", "main")).not.toContain("early.js");
    expect(stage.git("ls-tree", "-r", "--name-only", "main")).not.toContain("later.js");
    expect(stage.git("branch", "--list", "loopdash/*").trim()).toBe("");
    expect(stage.of("branch-commits-observed")).toEqual([]);
  });

  test("is a fact, and no claim to be done", async () => {
    const { stage } = await planned();
    using _ = stage;
    await run(stage);
    const [written] = stage.of("plan-written");
    expect(written).toMatchObject({ text: PLAN, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(stage.of("plan-judged")).toMatchObject([{ ok: true, summary: "no findings", digest: written?.digest }]);
    expect(stage.of("plan-judged")[0]).not.toHaveProperty("findings", expect.anything());
    expect(stage.state.claims).toMatchObject({ made: 1, upheld: 1 });
    const report = computeReport(stage.state);
    expect(report.tickets[0]?.plan).toEqual({ state: "approved", attempt: 1, refusals: 0, digest: written?.digest });
  });

  test("is not asked for again after the work has failed", async () => {
    const { stage, prompts } = await planned({
      reviewer: `question === "review" && asked === 2 ? ${REFUSES} : ${PASSES}`,
    });
    using _ = stage;
    expect((await run(stage)).outcomes).toEqual(["planned", "failed", "done"]);
    expect(prompts.map(({ isPlan }) => isPlan)).toEqual([true, false, false]);
    expect(prompts[2]?.text).toContain(PLAN);
  });

  test("holds no more of its text than fits, and no character that is unsafe for a terminal", async () => {
    const { stage } = await planned({ plans: [`\u001b[31mred\u001b[0m\n${"x".repeat(400)}\n`.repeat(60)] });
    using _ = stage;
    await run(stage);
    const text = stage.of("plan-written")[0]?.text ?? "";
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(text).not.toContain("\u001b");
    expect(text).toMatch(/characters cut …\]$/);
  });
});

describe("a refused plan", () => {
  test("is asked for once more with the findings, and after two refusals the ticket stalls with them", async () => {
    const { stage, prompts } = await planned({ reviewer: REFUSES_PLANS, attempts: 5 });
    using _ = stage;
    const { outcomes, phase, questions } = await run(stage);
    expect({ outcomes, phase, questions }).toEqual({
      outcomes: ["failed", "failed"],
      phase: "stalled",
      questions: ["plan", "plan"],
    });
    expect(prompts[1]).toMatchObject({ isPlan: true, text: expect.stringContaining("no test named") });
    expect(stage.of("plan-judged")[0]).toMatchObject({ ok: false, findings: expect.stringContaining("no test named") });
    expect(stage.ticket(T1)).toMatchObject({
      failures: 2,
      stalledReason: expect.stringMatching(/^plan: 2 plans were refused; the last: no test named.* \(high/),
    });
  });

  test("may be followed by one that is approved", async () => {
    const { stage } = await planned({ reviewer: `asked === 1 ? ${REFUSES} : ${PASSES}`, attempts: 2 });
    using _ = stage;
    expect((await run(stage)).outcomes).toEqual(["failed", "planned", "done"]);
  });

  test("by an agent that left no plan.md is one, and no reviewer is asked", async () => {
    const { stage } = await planned({ plans: [undefined, " \n"], attempts: 5 });
    using _ = stage;
    expect(await run(stage)).toEqual({ outcomes: ["failed", "failed"], phase: "stalled", questions: [] });
    expect(stage.of("plan-judged")[0]).toMatchObject({ ok: false, summary: "its agent left no plan in plan.md" });
    expect(stage.of("plan-judged")[0]).not.toHaveProperty("digest", expect.anything());
  });
});

describe("a ticket whose class rises to one that is planned first", () => {
  const RISES: ComplexitySpec = { complex: { plan: true }, architectural: { plan: true } };

  test("has its change kept out, which counts as no failure, and is planned then, once", async () => {
    const { stage, prompts } = await planned({ complexity: RISES, lines: 200, attempts: 1 });
    using _ = stage;
    const { outcomes, phase, questions } = await run(stage);
    expect({ outcomes, phase }).toEqual({ outcomes: ["failed", "planned", "done"], phase: "done" });
    expect(questions).toEqual(["plan", "review"]);
    expect(prompts.map(({ isPlan }) => isPlan)).toEqual([false, true, false]);
    expect(stage.of("attempt-ended")[0]).toMatchObject({
      unplanned: true,
      evidence: { step: "plan", summary: expect.stringContaining("the ticket is complex (200 lines in 1 file)") },
    });
    expect(stage.ticket(T1).failures).toBe(0);
    // Nobody has judged the change that was kept out.
    expect(computeLedger(stage.state).claims).toEqual({ made: 2, upheld: 1, gap: 0 });
  });

  test("is kept out as well by an engine that was lost right after the class rose", async () => {
    const { stage, prompts } = await planned({ complexity: RISES, lines: 200 });
    using _ = stage;
    await stage.crashAt(({ type }) => type === "complexity-changed", "start");
    await reopened(stage);
    expect(stage.ticket(T1).phase).toBe("done");
    expect(prompts.map(({ isPlan }) => isPlan)).toEqual([false, true, false]);
    expect(stage.of("merge-landed")).toHaveLength(1);
    expect(stage.types().indexOf("merge-landed")).toBeGreaterThan(stage.types().indexOf("plan-judged"));
  });
});

/** A second engine on the run, which goes on to its end. */
async function reopened(stage: Stage): Promise<void> {
  const { reviewer, templates } = stage.engine.ctx;
  await stage.crashAndReopen(() => ({ templates, ...(reviewer && { reviewer }) }), "lose");
  await stage.resume();
  await stage.ended();
}

describe("an engine that is lost", () => {
  test("between a plan and its verdict: the next one asks the reviewer, and no agent", async () => {
    const { stage, prompts } = await planned();
    using _ = stage;
    await stage.crashAt(({ type }) => type === "plan-written");
    await reopened(stage);
    expect(stage.of("attempt-ended").map(({ outcome }) => outcome)).toEqual(["lost", "planned", "done"]);
    expect(prompts.map(({ isPlan }) => isPlan)).toEqual([true, false]);
    expect(stage.ticket(T1)).toMatchObject({ phase: "done", failures: 0, plan: { state: "approved" } });
  });

  test("right after a refusal: it counts all the same", async () => {
    const { stage } = await planned({ reviewer: REFUSES_PLANS, attempts: 5 });
    using _ = stage;
    await stage.crashAt(({ type }) => type === "plan-judged");
    await reopened(stage);
    expect(stage.ticket(T1)).toMatchObject({ phase: "stalled", failures: 2 });
    expect(stage.of("plan-judged")).toHaveLength(2);
  });

  test("while its agent plans: a plan is asked for again, and nothing of the first is kept", async () => {
    const { stage, prompts } = await planned();
    using _ = stage;
    await stage.crashAt(({ type }) => type === "agent-ended");
    await reopened(stage);
    expect(stage.ticket(T1)).toMatchObject({ phase: "done", failures: 0 });
    expect(prompts.map(({ isPlan }) => isPlan)).toEqual([true, true, false]);
    expect(stage.of("work-kept")).toEqual([]);
    expect(stage.of("branch-commits-observed")).toEqual([]);
  });
});
