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

const proofs = (stage: Stage) => stage.of("proof-ended").map(({ ok, blamed, commits }) => ({ ok, blamed, commits }));
const textOf = (stage: Stage, path: string) => stage.git("show", `main:${path}`);

describe("the proof of a base", () => {
  test("covers all that has landed with one run, before the run is done", async () => {
    using stage = await proofStage({ "T-1": [honest("T-1")], "T-2": [honest("T-2")], "T-3": [honest("T-3")] });
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(proofs(stage)).toEqual([{ ok: true, blamed: undefined, commits: 3 }]);
    const last = stage.of("merge-landed").at(-1)?.to;
    expect(stage.of("proof-started")[0]).toMatchObject({ sha: last, tickets: expect.arrayContaining([T1, T2, T3]) });
    const [proven, asked] = [stage.of("proof-ended")[0]?.seq ?? 0, stage.of("oracle-asked").findLast(({ final }) => final)?.seq];
    expect(asked).toBeGreaterThan(proven);
  });

  test("blames the change that is at fault, which is reverted, and its ticket goes on with the evidence", async () => {
    using stage = await proofStage({ "T-1": [honest("T-1")], "T-2": [MENDED, honest("T-2")], "T-3": [honest("T-3")] });
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(proofs(stage)[0]).toMatchObject({ ok: false, blamed: T2 });
    expect(proofs(stage).at(-1)).toMatchObject({ ok: true });
    expect(stage.of("revert-landed").map(({ ticket }) => ticket)).toEqual([T2]);
    expect(stage.state.incidents).toMatchObject([{ kind: "reopened", ticket: T2 }]);
    expect(textOf(stage, "add.mjs")).toBe(ADDER["add.mjs"].trimEnd());
    const told = stage.ticket(T2).evidence.at(-1);
    expect(told).toMatchObject({ step: "check", name: "tests" });
    expect(told?.summary).toMatch(
      /^the check tests is not proven with .{7} of T-2: tests of the base fail without .*aa\.test\.mjs/,
    );
    for (const id of [T1, T3]) expect(stage.ticket(id)).toMatchObject({ phase: "done", failures: 0 });
  });

  test("keeps a run from being done while what it blames cannot be reverted", async () => {
    using stage = await proofStage({ "T-1": [MENDED] }, { limits: { workers: 1, attempts: 1 } });
    stage.start();
    await stage.until("proof-started");
    // A person's commit on top of it: its revert conflicts.
    put(stage.user, { "add.mjs": "export const add = (a, b) => (globalThis.mended ? a + b : a - b); // ours\n" });
    stage.git("commit", "-q", "-a", "-m", "ours");
    const { end } = await stage.ended();
    expect(end).toMatchObject({ kind: "not-done", exitCode: 1 });
    expect(end?.reason).toMatch(/not proven/);
  });

  test("is made again by the engine that resumes a run that was lost in it, and by one lost before its revert", async () => {
    using stage = await proofStage({ "T-1": [MENDED, honest("T-1")] });
    await stage.crashAt((event) => event.type === "proof-started");
    await stage.crashAndReopen();
    await stage.crashAt((event) => event.type === "proof-ended", "resume");
    await stage.crashAndReopen();
    await stage.crashAt((event) => event.type === "revert-intended", "resume");
    await stage.crashAndReopen();
    await stage.resume();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(stage.of("revert-landed")).toHaveLength(1);
    expect(textOf(stage, "add.mjs")).toBe(ADDER["add.mjs"].trimEnd());
  });

  test.for(["batch", "each"] as const)("says which new tests pass without the change too (proof: %s)", async (proof) => {
    const subtract = "export const subtract = (a, b) => a - b;\n";
    const head = `${TEST_HEAD}import * as sums from "../add.mjs";\n`;
    const two = 'test("adds once more", () => assert.equal(sums.add(2, 2), 4));\n';
    const change: Files = {
      "add.mjs": `${ADDER["add.mjs"]}${subtract}`,
      "test/more.test.mjs": `${head}test("subtracts", () => assert.equal(sums.subtract(3, 1), 2));\n${two}`,
    };
    using stage = await proofStage({ "T-1": [change], "T-2": [honest("T-2")] }, { proof });
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    const says = "1 of 2 new tests passes without the change too: adds once more";
    if (proof === "batch") expect(stage.of("proof-ended")).toMatchObject([{ ok: true, newTests: says }]);
    else expect(stage.of("step-ended").find(({ ticket, step }) => ticket === T1 && step === 0)?.summary).toContain(says);
  });

  test("is not made where each change was proven before it landed", async () => {
    using stage = await proofStage(
      { "T-1": [honest("T-1")], "T-2": [MENDED] },
      { proof: "each", limits: { workers: 2, attempts: 1 } },
    );
    stage.start();
    await stage.ended();
    expect(proofs(stage)).toEqual([]);
    expect(stage.of("merge-landed").map(({ ticket }) => ticket)).toEqual([T1]);
  });

  test("asks a person for what judges, and trusts it from then on", async () => {
    // Edits a test of the base, because the code does something else now.
    const other: Files = {
      "add.mjs": "export const add = (a, b) => a + b + 1;\n",
      "test/add.test.mjs": ADDER["test/add.test.mjs"].replace(", 3)", ", 4)").replace(", 12)", ", 13)"),
    };
    using stage = await proofStage({ "T-1": [other], "T-2": [honest("T-2")] });
    stage.start();
    const awaited = await stage.until("approval-awaited");
    if (awaited.type !== "approval-awaited") throw new Error("no approval is awaited");
    expect(awaited.zones).toEqual(["test/add.test.mjs"]);
    await stage.until("attempt-ended", (event) => event.type === "attempt-ended" && event.ticket === T1);
    stage.engine.orchestrator.command({ type: "approve", ticket: T1, commit: awaited.commit });
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(textOf(stage, "add.mjs")).toContain("a + b + 1");
    expect(stage.of("revert-started")).toEqual([]);
  });

  test("is not needed for what an upheld blocker leaves to a person: that is proven by itself, because nobody could revert it", async () => {
    const judge = new Adjudicator();
    const finish: StepSpec[] = [NODE_TESTS, { step: "merge" }, { step: "assert" }];
    using stage = await Stage.open(
      {
        tickets: [ticketOf("T-1", { finish })],
        work: (task) => {
          leave(task, "blocker.json", claim());
          put(task.worktree, honest("T-1"));
        },
      },
      (ctx) => ({ ...withTemplate(ctx), ...judge.context }),
    );
    put(stage.user, ADDER);
    stage.git("add", "-A");
    stage.git("commit", "-q", "-m", "base");
    stage.start();
    await stage.ended();
    expect(stage.ticket(T1)).toMatchObject({ phase: "human-gated", mergedSha: stage.git("rev-parse", "main") });
    expect(stage.of("merge-intended")).toMatchObject([{ proof: { approved: [] } }]);
    expect(proofs(stage)).toEqual([]);
  });
});
