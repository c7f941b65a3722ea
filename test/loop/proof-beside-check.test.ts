import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { RepoId, TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ADDER, type Files, NODE_TESTS } from "./evidence-stage.ts";
import { honest, MENDED, proofStage } from "./proof-stage.ts";
import type { Stage } from "./stage.ts";

cleanUp();
const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];
const folder = mkdtempSync(join(tmpdir(), "loopdash-beside-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MINUTE = 60_000;
/** Edits a test of the base, which the base's version of it passes too. */
const REWORDED: Files = { "test/add.test.mjs": ADDER["test/add.test.mjs"].replace("12)", "12, 'twelve')") };

/** Waits until an even number of runs has started, for half a minute at most: each run has one beside it. */
const inPairs = (marks: string) =>
  `n=0; while [ $(($(grep -c start '${marks}') % 2)) = 1 ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done`;

/** Each check is expected to take a minute; its runs write when they start and end. `first` runs before its tests. */
async function aStage(
  name: string,
  work: Parameters<typeof proofStage>[0],
  { first = ":", over = () => ({}), ...more }: Parameters<typeof proofStage>[1] & { readonly first?: string } = {},
): Promise<{ stage: Stage; turns: () => string; [Symbol.dispose]: () => void }> {
  const marks = join(folder, name);
  const script = `echo start >> '${marks}'; ${first}; ${NODE_TESTS.command.join(" ")}; code=$?; echo end >> '${marks}'; exit $code`;
  const finish: StepSpec[] = [{ ...NODE_TESTS, command: ["sh", "-c", script] }, { step: "merge" }, { step: "assert" }];
  let context: LoopContext | undefined;
  const stage = await proofStage(work, {
    inOrder: true,
    finish,
    ...more,
    onWork: async (task) => {
      const suite = { repo: RepoId.parse("app"), check: "tests", purpose: "check" as const, ms: MINUTE, tickets: [] };
      context?.report({ type: "suite-ran", ...suite });
      await more.onWork?.(task);
    },
    over: (ctx) => {
      context = ctx;
      return over(ctx);
    },
  });
  const turns = () => readFileSync(marks, "utf8").trim().split("\n").join(" ");
  return { stage, turns, [Symbol.dispose]: () => stage[Symbol.dispose]() };
}

const suites = (stage: Stage) => stage.of("suite-ran").flatMap(({ ms, purpose }) => (ms === MINUTE ? [] : [purpose]));

describe("a change after which nothing is to land", () => {
  test("is proven beside its check, with all that landed before", async () => {
    using opened = await aStage(
      "last",
      { "T-1": [honest("T-1")], "T-2": [honest("T-2")] },
      { first: inPairs(join(folder, "last")) },
    );
    const { stage, turns } = opened;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(suites(stage).toSorted()).toEqual(["base", "check", "check", "proof"]);
    expect(turns()).toBe("start start end end start start end end");
    expect(stage.of("proof-started")).toEqual([]);
    expect(stage.of("merge-intended").map(({ ticket, proof }) => ({ ticket, proof }))).toEqual([
      { ticket: T1, proof: undefined },
      { ticket: T2, proof: { approved: [] } },
    ]);
    expect(stage.of("step-ended").find(({ ticket, step }) => ticket === T2 && step === 0)?.summary).toMatch(/proven with \d/);
  });

  test("is proven after its check if no slot is free", async () => {
    const limits = { workers: 1, attempts: 2 };
    using opened = await aStage("busy", { "T-1": [honest("T-1")], "T-2": [honest("T-2")] }, { limits });
    const { stage } = opened;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(stage.of("proof-ended")).toMatchObject([{ ok: true, commits: 2 }]);
  });

  test("fails by its check alone, and its proof is ended", async () => {
    const wrong: Files = { "add.mjs": "export const add = (a, b) => a - b;\n" };
    using opened = await aStage("wrong", { "T-1": [honest("T-1")], "T-2": [wrong, honest("T-2")] });
    const { stage } = opened;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(stage.ticket(T2).evidence).toMatchObject([{ step: "check", name: "tests", summary: expect.stringMatching(/test/) }]);
    expect(stage.of("revert-started")).toEqual([]);
  });

  test("does not stand still if a slot is taken away while its check waits for a retry", async () => {
    const flag = join(folder, "tried");
    // The first check of T-2 fails by a transient.
    const first = `if [ -f T-2.mjs ] && mkdir '${flag}' 2>/dev/null; then echo 'the net is down'; exit 7; fi`;
    const transients = [{ name: "net", pattern: "the net is down", steps: ["check" as const], waitSeconds: 1 }];
    using opened = await aStage(
      "fewer",
      { "T-1": [honest("T-1")], "T-2": [honest("T-2")] },
      { first, over: ({ batch }) => ({ batch: { ...batch, transients } }) },
    );
    const { stage } = opened;
    stage.start();
    await stage.until("step-retried");
    stage.engine.orchestrator.command({ type: "workers", workers: 1 });
    await stage.until("workers-set");
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
  });

  test("does not pay for what landed before: the proof of the base finds that", async () => {
    using opened = await aStage("before", { "T-1": [MENDED, honest("T-1")], "T-2": [honest("T-2")] });
    const { stage } = opened;
    stage.start();
    expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
    expect(stage.of("proof-ended")[0]).toMatchObject({ ok: false, blamed: T1 });
    expect(stage.of("revert-landed").map(({ ticket }) => ticket)).toEqual([T1]);
    expect(stage.ticket(T2)).toMatchObject({ phase: "done", failures: 0, evidence: [] });
  });
});

test("a change that must be proven alone does not pay for what landed before, and its results are not said to be proven", async () => {
  const shared: number[] = [];
  const over = ({ manifests, state }: LoopContext) => {
    const prove = manifests.prove.bind(manifests);
    manifests.prove = (key) => {
      shared.push(state().seq);
      return prove(key);
    };
    return {};
  };
  using opened = await aStage("alone", { "T-1": [MENDED, honest("T-1")], "T-2": [REWORDED] }, { over });
  const { stage } = opened;
  stage.start();
  expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
  expect(stage.of("approval-awaited")).toEqual([]);
  const failed = stage.of("proof-ended")[0];
  expect(failed).toMatchObject({ ok: false, blamed: T1 });
  expect(stage.ticket(T2)).toMatchObject({ phase: "done", failures: 0, evidence: [] });
  expect(shared.length).toBeGreaterThan(0);
  expect(shared.filter((seq) => seq < (failed?.seq ?? 0))).toEqual([]);
});

test("a change that has failed its check is checked alone the next time: it costs no other its train", async () => {
  const wrong: Files = { "add.mjs": "export const add = (a, b) => a - b;\n" };
  const ready = Promise.withResolvers<void>();
  using opened = await aStage(
    "again",
    { "T-1": [wrong, honest("T-1")], "T-2": [honest("T-2")] },
    {
      inOrder: false,
      // The first attempt at T-2 takes until the second one at T-1 is under way: both are ready together.
      onWork: ({ ticket, attempt }) => {
        if (ticket === T1 && attempt === 2) ready.resolve();
        return ticket === T2 ? ready.promise : undefined;
      },
    },
  );
  const { stage } = opened;
  stage.start();
  expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
  const checks = stage.of("suite-ran").filter(({ purpose, ms }) => purpose === "check" && ms !== MINUTE);
  expect(checks.length).toBeGreaterThan(2);
  expect(checks.filter(({ tickets }) => tickets.length > 1)).toEqual([]);
});
