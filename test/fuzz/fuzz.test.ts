import { describe, expect, test } from "vitest";
import { campaign, replayCommand } from "./campaign.ts";
import { outboxes } from "./outboxes.ts";
import { repairs } from "./repairs.ts";
import { reports } from "./reports.ts";
import type { Target } from "./target.ts";
import { worktrees } from "./worktrees.ts";

/** The long campaign has more inputs and a seed of its own (.ci/run). */
const SEED = 1;

describe.each<[Target, number]>([
  [worktrees, 20],
  [reports, 100],
  [outboxes, 60],
  [repairs, 100],
])("hostile $name", (target, inputs) => {
  test(`${inputs} of them do no harm`, { timeout: 300_000 }, async () => {
    const { tried, failures, outcomes } = await campaign({ target, seed: SEED, inputs });
    const told = failures.map(
      ({ index, input, problem }) => `${replayCommand(target.name, SEED, index)}\n  ${input}: ${problem}`,
    );
    expect(told.join("\n")).toBe("");
    expect(tried).toBe(inputs);
    // Inputs that are all refused at the door would prove little.
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining([...target.outcomes]));
  });
});

test("the same seed gives the same inputs", async () => {
  const run = async () => {
    const seen: string[] = [];
    await campaign({ target: reports, seed: 7, inputs: 20, onInput: ({ input, outcome }) => seen.push(`${input}: ${outcome}`) });
    return seen;
  };
  expect(await run()).toEqual(await run());
});
