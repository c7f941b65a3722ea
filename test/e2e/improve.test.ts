import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aGoal, BYPASS, CASE, FINDING, HONEST_MENDER, improve, MENDED, onMain, starts, status } from "./improve-goal.ts";
import type { Stage } from "./stage.ts";

describe("a finding that holds", () => {
  test("lands with its check and the log that the engine wrote, and later finders get the log", async () => {
    using stage = aGoal({
      findings: [FINDING, { none: true, why: "read all" }],
      goal: { log: "IMPROVEMENTS.md", emptyInARow: 2 },
    });
    const ended = await improve(stage);
    expect(ended.stdout).toMatch(
      /iteration 1: P0 rm -fr is not blocked \(guards\/block\.mjs\): held [0-9a-f]{7}; \$0\.00; today/,
    );
    expect(ended.stdout).toContain("nothing material in 2 proposals in a row. 3 iterations; findings: 1 P0, 0 P1, 0 P2; 1 held");
    expect(ended.code).toBe(0);
    expect(`${onMain(stage, "guards/block.mjs")}\n`).toBe(MENDED);
    expect(`${onMain(stage, "cases/0001.mjs")}\n`).toBe(CASE);
    expect(onMain(stage, "IMPROVEMENTS.md")).toMatch(
      /guards\/block\.mjs:1 rm -fr is not blocked \(Other spelling\) \| P0 \| mended .* \| held \| this one \|/,
    );
    expect(stage.git("app", "ls-tree", "--name-only", "main")).not.toContain("finding.json");
    expect(await status(stage)).toMatchObject({
      iterations: 3,
      held: 1,
      log: [{ result: "held", attempts: 1 }, { result: "nothing" }, {}],
    });
    const prompts = readdirSync(join(stage.home, "runs"), { recursive: true, encoding: "utf8" }).filter(
      (each) => each.includes("guards-2-search") && each.endsWith("prompt.md"),
    );
    expect(readFileSync(join(stage.home, "runs", prompts[0] ?? ""), "utf8")).toContain("rm -fr is not blocked (Other spelling)");
  });

  test("lands nothing in a rehearsal", async () => {
    using stage = aGoal();
    const before = stage.git("app", "rev-parse", "main");
    const { code, stdout } = await improve(stage, "--dry-run");
    expect(stdout).toMatch(/iteration 1: P0 .* held [0-9a-f]{7}.*\nimprove: nothing has landed/);
    expect(code).toBe(0);
    expect(stage.git("app", "rev-parse", "main")).toBe(before);
    expect(await status(stage)).toMatchObject({ iterations: 0 });
  });
});

describe("a finding that does not hold", () => {
  test("is not shown if its check passes on the base, and no mender starts", async () => {
    using stage = aGoal({ check: "process.exit(0);\n", goal: { emptyInARow: 1 } });
    const { code, stdout } = await improve(stage);
    expect(stdout).toMatch(/iteration 1: P0 .* not shown .*exited with code 0/);
    expect(code).toBe(1);
    expect(starts(stage).some((each) => each.endsWith("-mend"))).toBe(false);
  });

  test.each([
    ["weakens the check", `copy(); fs.writeFileSync(path, "process.exit(0);");`, /dropped .*case unchanged/],
    ["leaves the check out", `fs.writeFileSync("guards/block.mjs", mended);`, /dropped .*case unchanged/],
    ["writes the log itself", `${HONEST_MENDER} fs.appendFileSync("LOG.md", "x");`, /dropped .*log unchanged/],
    [
      "changes what is out of scope",
      `${HONEST_MENDER} fs.writeFileSync("smoke.mjs", "");`,
      /dropped gates: outside the contract's safety\.only: smoke\.mjs/,
    ],
    [
      "blocks everything",
      `copy(); fs.writeFileSync("guards/block.mjs", "export const isBlocked = (c) => c !== 'ls /';");`,
      /dropped .*smoke 1/,
    ],
  ])("is dropped if the mender %s", async (_, mender, why) => {
    using stage = aGoal({ mender, goal: { log: "LOG.md" } });
    const before = stage.git("app", "rev-parse", "main");
    const { code, stdout } = await improve(stage, "--once");
    expect(stdout.match(/improve: iteration 1:.*/)?.[0]).toMatch(why);
    expect(code).toBe(1);
    expect(stage.git("app", "rev-parse", "main")).toBe(before);
  });

  test("is dropped if the engine's own run of the attack gets through, whatever the verifier says", async () => {
    using stage = aGoal({ shown: BYPASS, goal: { attempts: 2 } });
    const { code, stdout } = await improve(stage, "--once");
    expect(stdout).toMatch(/improve: iteration 1: P0 .* dropped verifier: the shown attack gets through/);
    expect(code).toBe(1);
    const prompts = readdirSync(join(stage.home, "runs"), { recursive: true, encoding: "utf8" }).filter((each) =>
      /mend\/attempt-2\/prompt\.md$/.test(each),
    );
    expect(readFileSync(join(stage.home, "runs", prompts[0] ?? ""), "utf8")).toContain("rm --recursive --force /");
  });

  test("is dropped if the verifier shows no attack", async () => {
    using stage = aGoal({ shown: undefined });
    stage.write("verifier.mjs", readFileSync(stage.path("verifier.mjs"), "utf8").replace(/,"shown":"(?:[^"\\]|\\.)*"/, ""));
    const { stdout } = await improve(stage, "--once");
    expect(stdout).toContain("dropped verifier: no verdict: the reviewer has shown no attack to run");
  });
});

describe("the end of a loop", () => {
  test("comes with as many proposals in a row that the log has already", async () => {
    using stage = aGoal({
      findings: [FINDING, { ...FINDING, kind: "other  SPELLING", line: 9, title: "again" }],
      goal: { emptyInARow: 2 },
    });
    const { code, stdout } = await improve(stage);
    expect(stdout).toMatch(/iteration 2: P0 again \(guards\/block\.mjs\): repeated as iteration 1/);
    expect(stdout).toContain("3 iterations; findings: 1 P0");
    expect(code).toBe(0);
  });

  test("comes before an iteration that the day's budget has no room for", async () => {
    const budget = { usdPerDay: 5, usdPerIteration: 3 };
    using stage = aGoal({ goal: { budget, agents: undefined } });
    const { agents } = costly(stage);
    rewriteGoal(stage, { agents });
    const { code, stdout } = await improve(stage);
    expect(stdout).toMatch(/iteration 1: .*held.*\$2\.10; today \$2\.10 of \$5\.00/);
    expect(stdout).toContain("$2.10 of $5.00 are spent today: no room for an iteration");
    expect(code).toBe(1);
  });

  test("comes if the goal file is changed while it runs", async () => {
    using stage = aGoal({ goal: { minutesBetween: 0.05 } });
    const started = stage.start(["improve", "goal.md"]);
    await started.until(/iteration 1: /);
    rewriteGoal(stage, { scope: ["guards/*"] });
    const { code, stdout } = await started.ended;
    expect(stdout).toContain("the goal file was changed while the loop ran");
    expect(code).toBe(4);
  });

  test("comes after the iteration at a first Ctrl-C, and what a person told is taken by the next and counted", async () => {
    using stage = aGoal({ findings: [{ none: true, why: "read all" }] });
    const started = stage.start(["improve", "goal.md"]);
    await started.until(/guards-1-search/);
    started.child.kill("SIGINT");
    const { code, stdout } = await started.ended;
    expect(stdout).toMatch(/ends after this iteration[\s\S]*iteration 1: nothing/);
    expect(code).toBe(130);
    expect((await improve(stage, "--tell", "Look at quotes")).code).toBe(0);
    await improve(stage, "--once");
    expect(await status(stage)).toMatchObject({
      iterations: 2,
      interventions: 1,
      log: [{ told: [] }, { told: ["Look at quotes"] }],
    });
  });
});

test("kill -9 in the middle of any stage: the same command goes on, and no agent's work is paid twice", async () => {
  using stage = aGoal();
  const { agents } = costly(stage);
  rewriteGoal(stage, { agents, budget: { usdPerDay: 100, usdPerIteration: 10 } });
  for (const at of [/guards-1-design.*agent/i, /guards-1-mend.*(?:smoke|adversary|verifier)/i]) {
    const started = stage.start(["improve", "goal.md", "--once"]);
    await started.until(at);
    started.child.kill("SIGKILL");
    await started.ended;
  }
  const { code, stdout } = await improve(stage, "--once");
  expect(stdout).toMatch(/iteration 1: P0 .* held/);
  expect(code).toBe(0);
  expect(starts(stage).filter((each) => each.endsWith("search"))).toHaveLength(1);
  expect(starts(stage).filter((each) => each.endsWith("mend"))).toHaveLength(1);
  expect(stage.git("app", "rev-list", "--count", "main")).toBe("2");
});

test("a goal that cannot be worked is one error with its place, and starts nothing", async () => {
  using stage = aGoal({ goal: { scope: ["guards/**", "cases/**"] } });
  const refusals: string[] = [];
  for (const change of [
    {},
    { scope: ["guards/**"], minutesBetwen: 3 },
    { minutesBetwen: undefined, budget: { usdPerDay: -1 } },
  ]) {
    rewriteGoal(stage, change);
    const { code, stderr } = await improve(stage);
    expect(code).toBe(2);
    refusals.push(stderr);
  }
  expect(refusals).toEqual([
    expect.stringMatching(/line \d+: regression\.path must lie outside of scope/),
    expect.stringMatching(/line \d+: .*unknown key "minutesBetwen".*minutesBetween/),
    expect.stringMatching(/line \d+: budget\.usdPerDay/),
  ]);
  expect(existsSync(stage.home)).toBe(false);
});

/** The agents of the goal, at a price. */
function costly(stage: Stage) {
  const node = process.execPath;
  const at = (role: string) => ({ kind: "command", command: [node, "agent.mjs", role], usdPerAttempt: 0.7 });
  return {
    agents: {
      ...{ finder: at("finder"), designer: at("designer"), mender: at("mender") },
      verifier: { kind: "command", command: [node, stage.path("verifier.mjs")] },
    },
  };
}

function rewriteGoal(stage: Stage, change: Record<string, unknown>): void {
  const [, front = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(readFileSync(stage.path("goal.md"), "utf8")) ?? [];
  stage.write("goal.md", `---\n${JSON.stringify({ ...JSON.parse(front), ...change }, undefined, 2)}\n---\n${body}`);
}
