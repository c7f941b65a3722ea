import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { failures, type Report, slowest, tally, toRunAgain, verdictOf, withProject } from "../../scripts/test.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { ROOT } from "./scratch-tree.ts";

const file = (status: string, ...tests: readonly string[]): Report["testResults"][number] => ({
  name: resolve("test/a.test.ts"),
  status,
  message: "no such module",
  startTime: 0,
  endTime: 0,
  assertionResults: tests.map((result, i) => ({
    fullName: `test ${i}`,
    status: result,
    failureMessages: result === "failed" ? [`wrong ${i}\nat b.ts:1`] : [],
  })),
});

const report = (...testResults: Report["testResults"]): Report => ({ numPassedTests: 1, testResults });

describe("the tally of a test run", () => {
  it("counts failed tests once, with or without their file", () => {
    expect(tally(report(file("failed", "passed", "failed", "failed"), file("passed", "passed")))).toEqual({
      failed: 2,
      notRun: [],
    });
  });

  it("counts a file that broke before its tests", () => {
    expect(tally(report(file("failed"), file("failed", "passed"))).failed).toBe(2);
  });

  it.each(["skipped", "pending", "todo", "disabled"])("names a test that is %s", (status) => {
    expect(tally(report(file("passed", "passed", status)))).toEqual({ failed: 0, notRun: ["test 1"] });
  });
});

it("the slowest files of a test run are named with their seconds, the slowest first", () => {
  const lasting = (endTime: number) => ({ ...file("passed"), endTime });
  expect(slowest(report(lasting(1_000), lasting(61_000)))).toEqual(["   61 s  test/a.test.ts", "    1 s  test/a.test.ts"]);
  expect(slowest(report(...Array.from({ length: 20 }, () => lasting(1))))).toHaveLength(12);
});

describe("the failures of a test run", () => {
  it("are told with their file, their name and why", () => {
    expect(failures(report(file("passed", "passed"), file("failed", "passed", "failed")))).toBe(
      "test/a.test.ts: test 1\n    wrong 1\n    at b.ts:1\n",
    );
  });

  it("tell of a file that broke before its tests", () => {
    expect(failures(report(file("failed")))).toBe("test/a.test.ts\n    no such module\n");
  });

  it("are empty where nothing failed", () => {
    expect(failures(report(file("passed", "passed")))).toBe("");
  });
});

describe("what failed beside all the others", () => {
  const failing = (tests: number) => file("failed", ...Array.from({ length: tests }, () => "failed"));

  it("is run again where it is little", () => {
    expect(toRunAgain(report(failing(5), file("passed", "passed")))).toEqual(["test/a.test.ts"]);
    expect(toRunAgain(report(file("failed")))).toEqual(["test/a.test.ts"]);
    expect(toRunAgain(report(failing(3), failing(3)))).toEqual([]);
    expect(toRunAgain(report(file("passed", "passed")))).toEqual([]);
  });

  it("is run again where vitest lost the process of a file, but not beside an error that no file is to blame for", () => {
    const lost = "[vitest-pool]: Worker forks emitted error. (Worker exited unexpectedly with signal SIGSEGV)";
    const slow = "[vitest-pool]: Failed to start forks worker for test files a.test.ts. (Timeout waiting for worker to respond)";
    expect(toRunAgain(report(file("failed")), [lost, slow])).toEqual(["test/a.test.ts"]);
    expect(toRunAgain(report(file("failed")), [lost, "stray"])).toEqual([]);
    expect(verdictOf(report(failing(1)), undefined, ["stray"]).told).toContain("error outside of every test: stray\n");
  });

  it("is not run again where chance found it", () => {
    expect(toRunAgain(report({ ...failing(1), name: resolve("test/a.property.test.ts") }))).toEqual([]);
    const why = ["Error: Property failed after 43 tests\n{ seed: 1 }"];
    const example = { fullName: "test 1", status: "failed", failureMessages: why };
    expect(toRunAgain(report(failing(1), { ...failing(1), assertionResults: [example] }))).toEqual([]);
  });

  it("and holds alone has passed, and is told", () => {
    const { numbers, told, failed } = verdictOf(report(failing(1)), report(file("passed", "passed")));
    expect([numbers, failed]).toEqual(["2 passed, 0 failed", 0]);
    expect(told).toContain("unsteady");
    expect(told).toContain("test/a.test.ts: test 0");
  });

  it("and fails alone has failed", () => {
    const again = verdictOf(report(failing(2)), report(file("failed", "passed", "failed")));
    expect([again.numbers, again.failed]).toEqual(["2 passed, 1 failed", 1]);
    expect(again.told).toMatch(/run again alone:\ntest\/a\.test\.ts: test 1/);
  });

  it("and was not run again has failed", () => {
    expect(verdictOf(report(failing(2)), undefined)).toMatchObject({ numbers: "1 passed, 2 failed", failed: 2 });
  });
});

describe("errors that no test is to blame for", () => {
  const folder = scratchFolder();

  it.each([
    ["void Promise.reject(new Error('stray', { cause: new Error('why') }));", ["stray (why)"]],
    ["process.kill(process.pid, 'SIGKILL');", [expect.stringMatching(/^\[vitest-pool\].*Worker exited unexpectedly/)]],
    ["", []],
  ])("are listed: %j", (body, listed) => {
    const later = "await new Promise((go) => setImmediate(go));";
    writeFileSync(join(folder(), "a.test.js"), `test("passes", async () => { ${body} ${later} });`);
    const file = join(folder(), "unhandled");
    const told = `--reporter=${join(ROOT, "scripts/unhandled-reporter.ts")}`;
    const argv = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--globals", "--root", folder(), told];
    spawnSync(process.execPath, argv, { cwd: folder(), env: { PATH: process.env["PATH"], UNHANDLED_FILE: file } });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(listed);
  });
});

describe("the tests that are run", () => {
  it("are the quick ones, the long ones with --long, and the named files of either kind", () => {
    expect(withProject(["--reporter=dot"])).toEqual(["--project=quick", "--reporter=dot"]);
    expect(withProject(["--long", "--bail=1"])).toEqual(["--project=long", "--bail=1"]);
    expect(withProject(["test/e2e/money.test.ts"])).toEqual(["test/e2e/money.test.ts"]);
  });
});
