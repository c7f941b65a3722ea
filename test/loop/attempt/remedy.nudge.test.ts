import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BehaviourSpec } from "../../../src/domain/batch/behaviour-spec.ts";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import { countRemediations } from "../../../src/domain/results/ledger.ts";
import type { AgentTask } from "../../../src/ports/agent.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { acting, bad, both, ended, lines, loops, outcomes, repeat } from "../remedy-stage.ts";
import { endless, type Stage, type StageOptions } from "../stage.ts";

cleanUp();
const CLAUDE: Partial<StageOptions> = {
  programs: { agent: { kind: "claude", prices: [], fallback: [] } as unknown as Batch["agent"] },
};
/** Longer than one write of a file takes, and shorter than the test. */
const PATIENCE = { timeout: 10_000 };

/** The report of a guard that has judged every command of an agent. */
const judged = (task: AgentTask): void => {
  mkdirSync(join(task.session, "guard"), { recursive: true });
  writeFileSync(
    join(task.session, "guard-report.jsonl"),
    '{"event":"session-start"}\n{"event":"before-tool","tool":"Bash","verdict":"allow"}\n'.repeat(9),
  );
};

/** An agent that repeats an action until MOMENTUM has failed, waits for the line that it is told, and then does its work. */
const toldThen =
  (act: (task: AgentTask) => undefined, told: string[]) =>
  async (task: AgentTask): Promise<undefined> => {
    judged(task);
    repeat(task);
    await expect.poll(() => readFileSync(task.guard?.nudge ?? "", "utf8"), PATIENCE).toContain("\n");
    told.push(readFileSync(task.guard?.nudge ?? "", "utf8"));
    act(task);
  };
const counts = (stage: Stage) => countRemediations(stage.engine.orchestrator.state);

describe("a nudge", () => {
  test("tells the agent at work one line of the engine's own, and lets the attempt go on", async () => {
    const told: string[] = [];
    using stage = await acting([toldThen(both, told)], { ...CLAUDE, onFail: ["nudge", "gate"] });
    expect(await ended(stage)).toBe(0);
    expect(told).toEqual([
      "loopdash: MOMENTUM has failed: 7 actions in a row brought nothing new. Try another way, or file what stops you as a blocker.\n",
    ]);
    expect(outcomes(stage)).toEqual(["done"]);
    expect(lines(stage)).toEqual([
      "in circles: had the same result 7 times, with no change in between: npm test; left a line for the agent of attempt 1; the attempt goes on, and its agent is told at its next use of a tool; remediation 1 of 3, attempts left: 3",
    ]);
    expect(counts(stage)).toEqual({ made: 1, helped: 1, byAction: { nudge: { made: 1, helped: 1 } } });
  });

  test("that did not help is followed by the next action once the attempt has failed", async () => {
    using stage = await acting([toldThen(bad, []), both], { ...CLAUDE, onFail: ["nudge", "step-back"] });
    expect(await ended(stage)).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "done"]);
    expect(stage.of("remediated").map(({ action, did }) => [action, did])).toEqual([
      ["nudge", "left a line for the agent of attempt 1"],
      ["step-back", "attempt 1 had failed"],
    ]);
    expect(counts(stage).byAction).toEqual({ nudge: { made: 1, helped: 0 }, "step-back": { made: 1, helped: 1 } });
  });

  /** An agent that loops until it is told, and goes on as before until it is ended. */
  const toldInVain = (goesOn: (task: AgentTask) => void) => async (task: AgentTask) => {
    const over = endless(task);
    judged(task);
    repeat(task);
    await expect.poll(() => readFileSync(task.guard?.nudge ?? "", "utf8"), PATIENCE).toContain("\n");
    goesOn(task);
    return over;
  };
  const another = ({ onEvent }: AgentTask) => {
    for (let i = 0; i < 7; i++) {
      onEvent?.({ what: "tool", text: "make", action: { does: "run", command: "make" }, call: "2" });
      onEvent?.({ what: "result", text: "2 failed", failed: true, call: "2" });
    }
  };
  const reads = ({ onEvent }: AgentTask) => {
    for (let i = 0; i < 60; i++) {
      const path = `file-${i}.txt`;
      onEvent?.({ what: "tool", text: path, action: { does: "read", paths: [path] }, call: "3" });
      onEvent?.({ what: "result", text: path, failed: false, call: "3" });
    }
  };
  test.each([
    ["the same command", repeat],
    ["another command", another],
    ["reading alone", reads],
  ])("that does not help is followed by the next action in the same attempt: %s", async (_, goesOn) => {
    using stage = await acting([toldInVain(goesOn), both], { ...CLAUDE, onFail: ["nudge", "step-back"] });
    expect(await ended(stage)).toBe(0);
    expect(outcomes(stage)).toEqual(["failed", "done"]);
    expect(stage.of("remediated").map(({ action, did }) => [action, did])).toEqual([
      ["nudge", "left a line for the agent of attempt 1"],
      ["step-back", "ended attempt 1"],
    ]);
  });

  test("is bounded by the remediations of the ticket", async () => {
    const again = (task: AgentTask): undefined => (judged(task), repeat(task), bad(task));
    const behaviour = BehaviourSpec.parse({ onFail: "nudge", remediations: 1 });
    using stage = await acting([toldThen(bad, []), again, both], { ...CLAUDE, behaviour });
    expect(await ended(stage)).toBe(0);
    expect(stage.of("remediated").map(({ action }) => action)).toEqual(["nudge"]);
    expect(outcomes(stage)).toEqual(["failed", "failed", "done"]);
  });

  test.each<[string, Partial<StageOptions>, string]>([
    ["of a program that cannot tell its agent", {}, "a program of kind command has no hook"],
    [
      "of a batch without a guard",
      { programs: { ...CLAUDE.programs, guard: false } as NonNullable<StageOptions["programs"]> },
      "the batch has no guard",
    ],
  ])("is skipped, and that is said: an agent %s", async (_, over, why) => {
    using stage = await acting([loops, both], { ...over, onFail: ["nudge", "step-back"] });
    expect(await ended(stage)).toBe(0);
    expect(stage.of("remediated")).toMatchObject([{ action: "step-back" }]);
    expect(lines(stage)[0]).toContain(`ended attempt 1; skipped nudge: ${why}`);
    expect(stage.tasks[0]?.guard?.nudge).toBeUndefined();
  });
});
