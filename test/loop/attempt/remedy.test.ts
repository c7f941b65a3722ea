import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BehaviourSpec } from "../../../src/domain/batch/behaviour-spec.ts";
import { ReviewerSpec } from "../../../src/domain/batch/reviewer-spec.ts";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import type { AgentEvent } from "../../../src/domain/run/agent-event.ts";
import { keptBranch } from "../../../src/domain/run/kept-work.ts";
import { remedyLine } from "../../../src/domain/run/remedy-fact.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { LoopContext } from "../../../src/loop/attempt/context.ts";
import type { AgentTask } from "../../../src/ports/agent.ts";
import { cleanUp, write } from "../../adapters/vcs/real-repo.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { put } from "../evidence-stage.ts";
import { finding, opened, REVIEW, REVIEWER_PROMPT, says } from "../review-stage.ts";
import { scripted } from "../scripted-model.ts";
import { endless, RUN, type Stage, type StageOptions } from "../stage.ts";

cleanUp();
const T1 = TicketId.parse("T-1");

/** An action whose result is the same each time. */
const again: readonly AgentEvent[] = [
  { what: "tool", text: "npm test", action: { does: "run", command: "npm test" }, call: "1" },
  { what: "result", text: "1 failed", failed: true, call: "1" },
];
const repeat = ({ onEvent }: AgentTask) => {
  for (let i = 0; i < 7; i++) for (const event of again) onEvent?.(event);
};

/** An agent that repeats an action until MOMENTUM has failed, and goes on until it is ended. */
const loops = (task: AgentTask) => {
  write(task.worktree, "lost.txt", "half\n");
  const ended = endless(task);
  repeat(task);
  return ended;
};

/** The check wants "good" in work.txt; the reviewer refuses a change without more.txt. */
const finish: readonly StepSpec[] = [
  { step: "gates" },
  { step: "check", name: "tests", command: ["grep", "-q", "good", "work.txt"] },
  REVIEW,
  { step: "merge" },
  { step: "assert" },
];
const reviewer = `fs.existsSync(checkout + "/more.txt") ? ${says({ findings: [], verdict: "pass" })} : ${says({ findings: [finding({ file: "work.txt", line: 1 })], verdict: "fail" })}`;
const leaves =
  (path: string, text: string) =>
  ({ worktree }: AgentTask): undefined => {
    put(worktree, {
      [path]: `${text}
`,
    });
  };
const good = leaves("work.txt", "good");
const bad = leaves("work.txt", "bad");
const second = leaves("more.txt", "more");
const both = (task: AgentTask): undefined => {
  good(task);
  second(task);
};

/** A stage of one ticket whose attempts do this in turn. */
function acting(
  works: readonly NonNullable<StageOptions["work"]>[],
  { onFail = "step-back", ...stage }: Partial<StageOptions> & { readonly onFail?: unknown } = {},
): Promise<Stage> {
  const behaviour = BehaviourSpec.parse({ onFail });
  const work: StageOptions["work"] = (task) => (works[task.attempt - 1] ?? bad)(task);
  const tickets = [ticketOf("T-1", { finish })];
  return opened({ reviewer, base: { "base.txt": "" }, stage: { tickets, limits: { attempts: 4 }, behaviour, work, ...stage } });
}

/** The context of a later engine, whose reviewer passes everything. */
const withReviewer = ({ batch, templates }: LoopContext): Partial<LoopContext> => ({
  batch: { ...batch, reviewer: ReviewerSpec.parse({ kind: "command", command: ["reviewer"] }) },
  templates: { ...templates, reviewer: REVIEWER_PROMPT },
  reviewer: scripted([]).model,
});

async function ended(stage: Stage, begin: "start" | "resume" = "start") {
  await stage[begin]();
  return (await stage.ended()).end?.exitCode;
}

const promptOf = (stage: Stage, n: number) => readFileSync(stage.tasks[n - 1]?.promptFile ?? "", "utf8");
const outcomes = (stage: Stage) => stage.ticket(T1).history.map(({ outcome }) => outcome);
const lines = (stage: Stage) => stage.of("remediated").map(remedyLine);

describe("step-back", () => {
  test("ends the agent and begins afresh from the base while no attempt has passed its checks", async () => {
    using stage = await acting([loops, both]);
    expect(await ended(stage)).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "done"]);
    expect(lines(stage)).toEqual([
      '[REMEDIATED] gate=MOMENTUM action=step-back was="had the same result 7 times, with no change in between: npm test" did="ended attempt 1" now="the next attempt starts from the base: no attempt has passed its checks" bound="remediation 1 of 3, attempts left: 3"',
    ]);
    expect(promptOf(stage, 2).split("\n").slice(1, 3)).toEqual([
      '- STEP BACK: MOMENTUM failed in attempt 1 ("had the same result 7 times, with no change in between: npm test"). Your worktree starts from the base. Question the approach of attempt 1 before you change anything.',
      expect.stringMatching(/^- LEARNT: attempt 1 failed at "agent behaviour": /),
    ]);
    expect(stage.git("ls-tree", "--name-only", "main").split("\n")).not.toContain("lost.txt");
    expect(stage.ticket(T1).due).toBeUndefined();
  });

  test("begins from the change of an earlier attempt whose checks passed, on the base's tip", async () => {
    using stage = await acting([
      good,
      (task) => {
        write(stage.user, "other.txt", "by another\n");
        stage.git("add", "-A");
        stage.git("commit", "-q", "-m", "other work");
        return loops(task);
      },
      (task) => {
        expect(readFileSync(`${task.worktree}/work.txt`, "utf8")).toBe("good\n");
        expect(readFileSync(`${task.worktree}/other.txt`, "utf8")).toBe("by another\n");
        return second(task);
      },
    ]);
    expect(await ended(stage)).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "failed", "done"]);
    const kept = keptBranch(RUN, T1, 1);
    expect(stage.of("work-kept")[0]).toMatchObject({ branch: kept, checkedFrom: expect.any(String) });
    expect(stage.of("remediated")).toMatchObject([
      { action: "step-back", from: { attempt: 1, tip: stage.git("rev-parse", kept) } },
    ]);
    const [, , third] = stage.of("worktree-ready");
    expect(stage.git("rev-parse", `${third?.startsAt}^`)).toBe(third?.baseSha);
    expect(stage.git("show", "main:work.txt")).toBe("good");
    expect(stage.git("show", "main:more.txt")).toBe("more");
    expect(promptOf(stage, 3)).toMatch(/^- STEP BACK: .*Your worktree holds the change of attempt 1, whose checks passed\./m);
    expect(promptOf(stage, 3)).toContain("Your worktree starts from the change of attempt 1");
    // Nobody but the engine has moved a branch.
    expect(stage.of("branch-commits-observed")).toEqual([]);
  });

  test("begins from the base if that change no longer merges, and says so", async () => {
    using stage = await acting([
      good,
      (task) => {
        write(stage.user, "work.txt", "another's\n");
        stage.git("add", "-A");
        stage.git("commit", "-q", "-m", "other work");
        return loops(task);
      },
      both,
    ]);
    expect(await ended(stage)).toBe(0);
    expect(promptOf(stage, 3)).toContain("Your worktree starts from the base. Question");
    expect(stage.of("worktree-ready")[2]?.startsAt).toBeUndefined();
  });

  test("uses up an attempt each time, and none is added", async () => {
    using stage = await acting([loops, loops, bad], { limits: { attempts: 3 } });
    expect(await ended(stage)).toBe(1);
    expect(outcomes(stage)).toEqual(["failed", "failed", "failed"]);
    expect(lines(stage).map((line) => /bound="(.*)"/.exec(line)?.[1])).toEqual([
      "remediation 1 of 3, attempts left: 2",
      "remediation 2 of 3, attempts left: 1",
    ]);
  });
});

describe("gate", () => {
  test("leaves the ticket to a person with the gate's words as the step, and keeps the work", async () => {
    using stage = await acting([loops], { onFail: { momentum: "gate" } });
    expect(await ended(stage)).toBe(0);
    expect(stage.ticket(T1)).toMatchObject({
      phase: "human-gated",
      humanStep: "decide how this goes on: MOMENTUM failed (had the same result 7 times, with no change in between: npm test)",
    });
    expect(outcomes(stage)).toEqual(["gated"]);
    expect(stage.ticket(T1).history[0]?.kept).toMatchObject({ branch: keptBranch(RUN, T1, 1), files: 1 });
    expect(stage.ticket(T1).mergedSha).toBeUndefined();
  });

  test("comes after what is impossible, and says so", async () => {
    using stage = await acting([loops], { onFail: ["step-back", "gate"], limits: { attempts: 1 } });
    expect(await ended(stage)).toBe(0);
    expect(lines(stage)[0]).toContain('action=gate was="had the same');
    expect(lines(stage)[0]).toContain('did="ended attempt 1; skipped step-back: no attempt is left"');
  });
});

describe("an agent that has stopped", () => {
  test("is judged first: no signal keeps its change from landing", async () => {
    using stage = await acting([(task) => (repeat(task), both(task))]);
    expect(await ended(stage)).toBe(0);
    expect(stage.ticket(T1).history[0]?.signals?.momentum.level).toBe("fail");
    expect(stage.of("remediated")).toEqual([]);
  });

  test("and whose attempt fails has its failed gates acted upon, by what it changed", async () => {
    const ci = (task: AgentTask): undefined => {
      put(task.worktree, { "ci/build.yml": "x\n" });
      both(task);
    };
    using stage = await acting([ci, both], { onFail: { relevance: ["step-back", "gate"] }, protect: ["ci/**"] });
    expect(await ended(stage)).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "done"]);
    expect(lines(stage)).toEqual([
      '[REMEDIATED] gate=RELEVANCE action=step-back was="edits 1 protected path: ci/build.yml" did="attempt 1 had failed" now="the next attempt starts from the base: no attempt has passed its checks" bound="remediation 1 of 3, attempts left: 3"',
    ]);
    const types = stage.types();
    expect(types.indexOf("remediated")).toBe(types.indexOf("attempt-ended") - 1);
  });
});

describe("a lost engine", () => {
  test("between the fact and the act: the new one acts once, and the attempt counts", async () => {
    using stage = await acting([good, loops, second]);
    await stage.crashAt(({ type }) => type === "remediated");
    await stage.crashAndReopen(withReviewer, "lose");
    expect(await ended(stage, "resume")).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "lost", "done"]);
    expect(stage.of("remediated")).toHaveLength(1);
    expect(stage.of("worktree-ready").at(-1)?.startsAt).toBeDefined();
    expect(stage.tasks).toHaveLength(3);
    expect(stage.ticket(T1).failures).toBe(2);
  });

  test("while the next attempt works: the one after that steps back, too", async () => {
    using stage = await acting([good, loops, endless, second]);
    stage.start();
    await stage.until("agent-started", (event) => "ticket" in event && stage.tasks.length === 3);
    await stage.crashAndReopen(withReviewer);
    expect(await ended(stage, "resume")).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "failed", "lost", "done"]);
    expect(stage.of("remediated")).toHaveLength(1);
    expect(
      stage
        .of("worktree-ready")
        .slice(2)
        .map(({ startsAt }) => startsAt !== undefined),
    ).toEqual([true, true]);
  });

  test("before a gate is written: it is left to the person once", async () => {
    using stage = await acting([loops], { onFail: "gate" });
    await stage.crashAt(({ type }) => type === "remediated");
    await stage.crashAndReopen(withReviewer, "lose");
    expect(await ended(stage, "resume")).toBe(0);
    expect(stage.ticket(T1).phase).toBe("human-gated");
    expect(stage.of("ticket-gated")).toHaveLength(1);
    expect(stage.tasks).toHaveLength(1);
  });
});

describe("an agent that fails its gates on purpose", () => {
  const usd = 2;
  const costs = { limits: { attempts: 3, usdPerAttempt: usd, usdPerTicket: 5 }, reserveUsd: usd };
  const run = async (works: readonly NonNullable<StageOptions["work"]>[], onFail: unknown) => {
    using stage = await acting(works, { ...costs, onFail });
    await ended(stage);
    const { costUsd, phase } = stage.ticket(T1);
    return { agents: stage.tasks.length, costUsd, phase };
  };
  /** It says so and is ended; a cost that nobody knows is what was set aside. */
  const evil: NonNullable<StageOptions["work"]> = async (task) => ({ ...(await loops(task)), costUsd: usd });
  const failing: NonNullable<StageOptions["work"]> = (task) => (bad(task), { costUsd: usd });

  test.for([["step-back"], [["step-back", "step-back"]], [{ momentum: "step-back" }]])(
    "gets no more attempts or money than one that fails its checks (%j)",
    async ([onFail]) => {
      const honest = await run([failing, failing, failing, failing], "none");
      const lying = await run([evil, evil, failing, failing], onFail);
      expect(lying.agents).toBeLessThanOrEqual(honest.agents);
      expect(lying.costUsd).toBeLessThanOrEqual(honest.costUsd);
      expect(lying.phase).toBe("stalled");
    },
  );
});
