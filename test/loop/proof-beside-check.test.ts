import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { RepoId, TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { AgentTask } from "../../src/ports/agent.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { ADDER, type Files, NODE_TESTS, put, TEST_HEAD } from "./evidence-stage.ts";
import { Stage, type StageOptions } from "./stage.ts";

cleanUp();
const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];
const folder = mkdtempSync(join(tmpdir(), "loopdash-beside-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Wrong code, with a new test that mends it while the tests run: only the tests of the base tell them apart. */
const MENDED: Files = {
  "add.mjs": "export const add = (a, b) => (globalThis.mended ? a + b : a - b);\n",
  "test/aa.test.mjs": `${TEST_HEAD}globalThis.mended = true;\ntest("is new", () => assert.ok(true));\n`,
};
const honest = (ticket: string): Files => ({ [`${ticket}.mjs`]: `export const name = "${ticket}";\n` });
/** Edits a test of the base, which the base's version of it passes too. */
const REWORDED: Files = { "test/add.test.mjs": ADDER["test/add.test.mjs"].replace("12)", "12, 'twelve')") };

/** Waits until an even number of runs has started, for half a minute at most: each run has one beside it. */
const inPairs = (marks: string) =>
  `n=0; while [ $(($(grep -c start '${marks}') % 2)) = 1 ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done`;

/** One ticket after the other. Each of their checks is expected to take a minute; its runs write when they start and end. */
async function aStage(
  name: string,
  work: Readonly<Record<string, readonly Files[]>>,
  more: Partial<StageOptions> = {},
): Promise<{ stage: Stage; turns: () => string; [Symbol.dispose]: () => void }> {
  const marks = join(folder, name);
  const note = (word: string) => `${JSON.stringify(word)} >> '${marks}'`;
  const [node, ...rest] = NODE_TESTS.command;
  const tests = [node, ...rest].join(" ");
  const command = [
    "sh",
    "-c",
    `echo ${note("start")}; ${name === "last" ? inPairs(marks) : ":"}; ${tests}; code=$?; echo ${note("end")}; exit $code`,
  ] as const;
  const finish: StepSpec[] = [{ ...NODE_TESTS, command: [...command] }, { step: "merge" }, { step: "assert" }];
  let context: LoopContext | undefined;
  const tickets = Object.keys(work).map((id, n, all) =>
    ticketOf(id, { finish, dependsOn: all.slice(Math.max(0, n - 1), n).map((other) => TicketId.parse(other)) }),
  );
  const stage = await Stage.open(
    {
      tickets,
      limits: { workers: 2, attempts: 2 },
      work: ({ ticket, attempt, worktree }: AgentTask) => {
        const suite = { repo: RepoId.parse("app"), check: "tests", purpose: "check" as const, ms: 60_000, tickets: [] };
        context?.report({ type: "suite-ran", ...suite });
        const files = work[ticket] ?? [];
        put(worktree, files[Math.min(attempt, files.length) - 1] ?? {});
      },
      ...more,
    },
    (ctx) => (context = ctx),
  );
  put(stage.user, ADDER);
  stage.git("add", "-A");
  stage.git("commit", "-q", "-m", "base");
  const turns = () => readFileSync(marks, "utf8").trim().split("\n").join(" ");
  return { stage, turns, [Symbol.dispose]: () => stage[Symbol.dispose]() };
}

const suites = (stage: Stage) => stage.of("suite-ran").flatMap(({ ms, purpose }) => (ms === 60_000 ? [] : [purpose]));

describe("a change after which nothing is to land", () => {
  test("is proven beside its check, with all that landed before", async () => {
    using opened = await aStage("last", { "T-1": [honest("T-1")], "T-2": [honest("T-2")] });
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

test("a change that must be proven alone does not pay for what landed before", async () => {
  using opened = await aStage("alone", { "T-1": [MENDED, honest("T-1")], "T-2": [REWORDED] });
  const { stage } = opened;
  stage.start();
  expect((await stage.ended()).end).toMatchObject({ kind: "oracle-done", exitCode: 0 });
  expect(stage.of("approval-awaited")).toEqual([]);
  expect(stage.of("proof-ended")[0]).toMatchObject({ ok: false, blamed: T1 });
  expect(stage.ticket(T2)).toMatchObject({ phase: "done", failures: 0, evidence: [] });
});
