import { chmodSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { Adjudicator, claim, leave, withTemplate } from "./blocker-stage.ts";
import { ADDER, type Files, NODE_TESTS, put, TEST_HEAD } from "./evidence-stage.ts";
import { honest, MENDED, proofStage } from "./proof-stage.ts";
import { Stage } from "./stage.ts";

cleanUp();
const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];
const FINISH: StepSpec[] = [NODE_TESTS, { step: "merge" }, { step: "assert" }];

/** New tests, which hold nothing and repair code under test, or the assertions of others, while they run. */
const newTest = (line: string, says = "true", name = "is new") =>
  `${TEST_HEAD}${line}\ntest("${name}", () => assert.ok(${says}));\n`;
const MENDS: Files = { "test/aa.test.mjs": newTest("globalThis.mended = true;") };
const MENDS_REWORDED: Files = { "test/aa.test.mjs": newTest("globalThis.mended = true;", 'true, "fine"') };
const DISARMS: Files = { "test/aa.test.mjs": newTest("assert.equal = () => {};\nassert.strictEqual = () => {};") };
/** Code that is wrong unless such a test runs; code that is simply wrong. */
const NEEDS_MENDING: Files = { "add.mjs": MENDED["add.mjs"] ?? "" };
const WRONG: Files = { "add.mjs": "export const add = (a, b) => a - b;\n" };

/** A second module with tests. */
const MUL = "export const mul = (a, b) => a * b;\n";
const MUL_TEST = `${TEST_HEAD}import { mul } from "../mul.mjs";\n\ntest("muls", () => assert.equal(mul(2, 2), 4));\ntest("muls more", () => assert.equal(mul(10, 2), 20));\n`;
const TWO: Files = { ...ADDER, "mul.mjs": MUL, "test/mul.test.mjs": MUL_TEST };

const aStage = (work: Parameters<typeof proofStage>[0], more: Parameters<typeof proofStage>[1] = {}) =>
  proofStage(work, { inOrder: true, ...more });

/** Approves the change that waits, once its attempt is over. */
async function approve(stage: Stage, ticket: TicketId): Promise<void> {
  const awaited = await stage.until("approval-awaited");
  if (awaited.type !== "approval-awaited") throw new Error("no approval is awaited");
  await stage.until("attempt-ended", (event) => event.type === "attempt-ended" && event.ticket === ticket);
  stage.engine.orchestrator.command({ type: "approve", ticket, commit: awaited.commit });
}

/** True if the base's own tests pass with what has landed. */
const isRight = (stage: Stage) => stage.git("show", "main:add.mjs").includes("=> a + b;");

describe("wrong code and the new test that covers it up, from two tickets", () => {
  test.for([
    ["repairs the code", MENDS, NEEDS_MENDING],
    ["disarms others", DISARMS, WRONG],
  ] as const)("does not land where each change is proven before it lands, and the test %s", async ([, first, second]) => {
    using stage = await aStage({ "T-1": [first], "T-2": [second] }, { proof: "each", limits: { workers: 2, attempts: 1 } });
    stage.start();
    await stage.ended();
    expect(isRight(stage)).toBe(true);
    expect(stage.ticket(T2).phase).not.toBe("done");
  });

  test("does not land if it leaves a step to a person, where the base is proven", async () => {
    const judge = new Adjudicator();
    using stage = await Stage.open(
      {
        tickets: [ticketOf("T-1", { finish: FINISH }), ticketOf("T-2", { finish: FINISH, dependsOn: [T1] })],
        limits: { attempts: 1 },
        work: (task) => {
          if (task.ticket === T2) leave(task, "blocker.json", claim());
          put(task.worktree, task.ticket === T2 ? WRONG : DISARMS);
        },
      },
      (ctx) => ({ ...withTemplate(ctx), ...judge.context }),
    );
    put(stage.user, ADDER);
    stage.git("add", "-A");
    stage.git("commit", "-q", "-m", "base");
    stage.start();
    await stage.ended();
    expect(isRight(stage)).toBe(true);
  });

  test.for(["approval", "allow"])("is not covered by the %s of a third one, which rewords that test", async (how) => {
    const allow = { testsRemoved: [], testsSkipped: [], suppressions: false, judge: ["test/**"] };
    const tickets = [T1, T2, T3].map((id, n, all) => {
      return ticketOf(id, {
        finish: FINISH,
        dependsOn: all.slice(Math.max(0, n - 1), n),
        ...(id === T3 && how === "allow" && { allow }),
      });
    });
    const work = { "T-1": [MENDS, honest("T-1")], "T-2": [NEEDS_MENDING, honest("T-2")], "T-3": [MENDS_REWORDED] };
    using stage = await aStage(work, { tickets });
    stage.start();
    await stage.ended();
    expect(stage.of("approval-awaited")).toEqual([]);
    expect(isRight(stage)).toBe(true);
    expect(stage.of("revert-landed").length).toBeGreaterThan(0);
    expect(stage.ticket(T3)).toMatchObject({ phase: "done", failures: 0 });
  });
});

describe("a change that changes what judges, above one that is to blame", () => {
  test("keeps its approval, and the run ends done once the other was taken back", async () => {
    const doubled: Files = {
      "mul.mjs": "export const mul = (a, b) => a * b * 2;\n",
      "test/mul.test.mjs": MUL_TEST.replace(", 4)", ", 8)").replace(", 20)", ", 40)"),
    };
    using stage = await aStage({ "T-1": [MENDED, honest("T-1")], "T-2": [doubled] }, { base: TWO });
    stage.start();
    await approve(stage, T2);
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(stage.of("revert-landed").map(({ ticket }) => ticket)).toEqual([T1]);
    expect(stage.of("approval-awaited")).toHaveLength(1);
    expect(isRight(stage)).toBe(true);
    expect(stage.git("show", "main:mul.mjs")).toContain("a * b * 2");
  });
});

describe("the search for the change to blame", () => {
  test("finds a second one, though trees with the first one fail too", async () => {
    const mul: Files = {
      "mul.mjs": "export const mul = (a, b) => (globalThis.other ? a * b : a - b);\n",
      "test/ab.test.mjs": newTest("globalThis.other = true;", "true", "is other"),
    };
    const work = { "T-1": [mul, honest("T-1")], "T-2": [honest("T-2")], "T-3": [MENDED, honest("T-3")] };
    using stage = await aStage(work, { base: TWO });
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(stage.of("revert-landed").map(({ ticket }) => ticket)).toEqual([T1, T3]);
    expect([isRight(stage), stage.git("show", "main:mul.mjs")]).toEqual([true, MUL.trimEnd()]);
  });
});

test("a new test that disarms the others in its process needs approval, though it covers nothing up yet", async () => {
  using stage = await aStage({ "T-1": [DISARMS, honest("T-1")] });
  stage.start();
  expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
  expect(stage.of("proof-ended")[0]).toMatchObject({ ok: false, blamed: T1 });
  expect(stage.git("ls-tree", "--name-only", "-r", "main")).not.toContain("aa.test.mjs");
});

test.for([
  ["backticks", 'x=`./run.sh` || exit 1; echo "$x"'],
  ["a dollar", 'x=$(./run.sh) || exit 1; echo "$x"'],
] as const)("a script whose output a variable gets by %s is of the definition of the check", async ([, run]) => {
  const finish: StepSpec[] = [{ step: "check", name: "tests", command: ["sh", "-c", run] }, { step: "merge" }];
  const script = `#!/bin/sh\n${process.execPath} --test --test-isolation=none test/*.mjs\n`;
  using stage = await Stage.open({
    tickets: [ticketOf("T-1", { finish })],
    limits: { workers: 1, attempts: 1 },
    work: ({ worktree }) => {
      put(worktree, { "run.sh": "#!/bin/sh\necho fine\n" });
      chmodSync(`${worktree}/run.sh`, 0o755);
    },
  });
  put(stage.user, { ...ADDER, "run.sh": script });
  chmodSync(`${stage.user}/run.sh`, 0o755);
  stage.git("add", "-A");
  stage.git("commit", "-q", "-m", "base");
  stage.start();
  expect(await stage.until("approval-awaited")).toMatchObject({ zones: ["run.sh"] });
  stage.engine.orchestrator.command({ type: "stop" });
  await stage.ended();
});

test("a change that deletes tests waits for approval where the exit code alone is known", async () => {
  const finish: StepSpec[] = [{ step: "check", name: "tests", command: [process.execPath, "--test"] }, { step: "merge" }];
  using stage = await aStage({ "T-1": [{ "test/mul.test.mjs": null }] }, { base: TWO, tickets: [ticketOf("T-1", { finish })] });
  stage.start();
  expect(await stage.until("approval-awaited")).toMatchObject({ zones: ["test/mul.test.mjs"] });
  stage.engine.orchestrator.command({ type: "stop" });
  await stage.ended();
});
