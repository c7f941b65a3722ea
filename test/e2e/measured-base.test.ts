import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { HONEST, Stage } from "./stage.ts";

const packageOf = (script: string) => JSON.stringify({ name: "app", type: "module", scripts: { test: script } });
const PASSES = 'import { test } from "node:test";\ntest("one", () => {});\n';
const FAILS = 'import { test } from "node:test";\ntest("two", () => { throw new Error("red before"); });\n';

const measuredIn = (events: readonly RunEvent[]) => events.find((event) => event.type === "base-measured");
const agentsIn = (events: readonly RunEvent[]) => events.filter(({ type }) => type === "agent-launching").length;

describe("a base whose check cannot run", { timeout: 60_000 }, () => {
  test.each([
    [
      "a program that is not there",
      packageOf("no-such-linter . && node --test"),
      undefined,
      /check tests cannot run: exited with code 127/,
    ],
    [
      "a Python module that is not there",
      packageOf("node --test"),
      [{ step: "check", command: ["python3", "-m", "no_such_runner"] }, { step: "merge" }, { step: "assert" }],
      /check check cannot run: exited with code 1: no module named no_such_runner: install it in prepare/,
    ],
    [
      "a suite that does not end",
      packageOf("node --test"),
      [{ step: "check", command: ["sleep", "600"], minutes: 0.02 }, { step: "merge" }, { step: "assert" }],
      /check check cannot run: ran out of time/,
    ],
  ])("starts no agent, says so in one line, and works once it is mended: %s", async (_, manifest, finish, line) => {
    using stage = new Stage();
    stage.repo("app", { "package.json": manifest, "one.test.mjs": PASSES });
    stage.agent(HONEST);
    const batch = stage.batch(["T-1", "T-2"], { ...(finish && { finish }), limits: { attempts: 1 } });
    const first = await stage.run([batch, "--headless"]);
    expect(first.code).toBe(1);
    expect(first.stdout).toMatch(line);
    expect(first.stdout).toContain("attempts 0");
    expect(first.stdout).toContain("the base of app");
    expect(stage.landed()).toEqual([]);
    if (finish !== undefined) return;
    stage.write("app/package.json", packageOf("node --test"));
    stage.git("app", "commit", "-qam", "mend");
    const second = await stage.run([batch, "--headless"]);
    expect(second.code).toBe(0);
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-2"]);
  });
});

describe("a base whose check is red", { timeout: 60_000 }, () => {
  test("by tests: those that fail already are told and do not count", async () => {
    using stage = new Stage();
    stage.repo("app", { "package.json": packageOf("node --test"), "one.test.mjs": PASSES, "two.test.mjs": FAILS });
    stage.agent(HONEST);
    const { code, events } = await stage.events(stage.batch(["T-1"]));
    expect(code, JSON.stringify(events.slice(-30), undefined, 1)).toBe(0);
    expect(measuredIn(events)?.checks).toMatchObject([{ check: "tests", as: "red", tests: 2, failing: 1 }]);
  });

  test("by exit code: the line says so, and the agent that fails it reads that it was red before", async () => {
    using stage = new Stage();
    stage.repo("app", {
      "check.mjs":
        'import fs from "node:fs";\nif (!fs.existsSync("mended.txt")) { console.error("not mended"); process.exit(1); }\n',
    });
    stage.agent(`if (attempt === 1) fs.writeFileSync("other.txt", "1"); else fs.writeFileSync("mended.txt", "1");`);
    const finish = [
      { step: "check", name: "lint", command: ["node", "check.mjs"], compare: "exit-code" },
      { step: "merge" },
      { step: "assert" },
    ];
    const batch = stage.batch(["T-1"], { finish, limits: { attempts: 2 } });
    expect((await stage.run([batch, "--dry-run"])).stdout).toContain("tests not compared, by exit code only: lint");
    const { code, events } = await stage.events(batch);
    expect(measuredIn(events)?.checks).toMatchObject([{ check: "lint", as: "red" }]);
    const failed = events.find((event) => event.type === "attempt-ended" && event.outcome === "failed");
    expect(failed).toMatchObject({
      evidence: { summary: expect.stringContaining("it failed on the base already, before any agent") },
    });
    expect(code).toBe(0);
  });
});

test("a base that is measured already is not paid for again by the next run", { timeout: 60_000 }, async () => {
  using stage = new Stage();
  stage.repo("app", { "package.json": packageOf("node --test"), "one.test.mjs": PASSES });
  stage.agent(`process.exit(3)`);
  const baseRuns = (events: readonly RunEvent[]) =>
    events.filter((event) => event.type === "suite-ran" && event.purpose === "base").length;
  const { events: first, stderr } = await stage.events(stage.batch(["T-1"], { sandbox: "required", limits: { attempts: 1 } }));
  expect([baseRuns(first), agentsIn(first)], stderr).toEqual([1, 1]);
  const { events: second } = await stage.events(stage.batch(["T-2"], { sandbox: "required", limits: { attempts: 1 } }));
  expect(baseRuns(second)).toBe(0);
  expect(measuredIn(second)?.checks).toEqual([{ check: "tests", as: "passed", tests: 1, failing: 0 }]);
});
