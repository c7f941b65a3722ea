import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { AgentTask } from "../../src/ports/agent.ts";
import { ticketOf } from "../domain/simulate.ts";
import { ADDER, type Files, NODE_TESTS, put, TEST_HEAD } from "./evidence-stage.ts";
import { Stage, type StageOptions } from "./stage.ts";

/** Wrong code, with a new test that mends it while the tests run: only the tests of the base tell them apart. */
export const MENDED: Files = {
  "add.mjs": "export const add = (a, b) => (globalThis.mended ? a + b : a - b);\n",
  "test/aa.test.mjs": `${TEST_HEAD}globalThis.mended = true;\ntest("is new", () => assert.ok(true));\n`,
};
export const honest = (ticket: string): Files => ({ [`${ticket}.mjs`]: `export const name = "${ticket}";\n` });

interface ProofStageOptions extends Partial<StageOptions> {
  readonly base?: Files;
  readonly finish?: readonly StepSpec[];
  /** One ticket after the other; otherwise all at once. */
  readonly inOrder?: boolean;
  /** Called before an agent writes. */
  readonly onWork?: (task: AgentTask) => Promise<void> | void;
  readonly over?: (ctx: LoopContext) => Partial<LoopContext>;
}

/** A run over ADDER. What each ticket's agent writes, by attempt; the last one again and again. */
export async function proofStage(
  work: Readonly<Record<string, readonly Files[]>>,
  {
    base = ADDER,
    finish = [NODE_TESTS, { step: "merge" }, { step: "assert" }],
    inOrder = false,
    onWork,
    over,
    ...more
  }: ProofStageOptions = {},
): Promise<Stage> {
  const ids = Object.keys(work).map((id) => TicketId.parse(id));
  const before = (n: number) => (inOrder ? ids.slice(Math.max(0, n - 1), n) : []);
  const stage = await Stage.open(
    {
      tickets: ids.map((id, n) => ticketOf(id, { finish: [...finish], dependsOn: before(n) })),
      limits: { workers: inOrder ? 2 : 3, attempts: 2 },
      work: async (task: AgentTask) => {
        await onWork?.(task);
        const files = work[task.ticket] ?? [];
        put(task.worktree, files[Math.min(task.attempt, files.length) - 1] ?? {});
      },
      ...more,
    },
    over,
  );
  put(stage.user, base);
  stage.git("add", "-A");
  stage.git("commit", "-q", "-m", "base");
  return stage;
}
