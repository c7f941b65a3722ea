import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TransientSpec } from "../../src/domain/batch/transient-spec.ts";
import { parseTransients } from "../../src/domain/schedule/transients-file.ts";
import { cleanUp, git, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { CHECK, judged, opened, tap } from "./evidence-stage.ts";
import { fixedHarness } from "./fixed-harness.ts";
import { Stage } from "./stage.ts";
import { BUSY, busyFor, check, lineOf, run, runsOf, sh, verify, withTransients } from "./transient-stage.ts";

cleanUp();

describe.for([
  ["check", check, { step: 0, name: "unit" }],
  ["verify", verify, { step: 1, name: "live" }],
] as const)("a %s", ([, step, place]) => {
  test("that fails by a transient is run once more, after a fact that says so, and counted where it passes", async () => {
    const file = join(tempDir(), "runs");
    const { done, transients, retried, stage } = await run(step(busyFor(1, file)));
    expect({ done, transients }).toEqual({ done: true, transients: { retried: 1, passed: 1 } });
    expect(retried).toEqual([{ ...place, transient: "oven-busy", waitMs: 0 }]);
    const [started, told, ended] = ["step-started", "step-retried", "step-ended"].map((type) =>
      stage.events.findIndex((event) => event.type === type && "step" in event && event.step === place.step),
    );
    expect([started, told, ended]).toEqual([started, told, ended].toSorted((a = 0, b = 0) => a - b));
  });

  test("is run once more, not twice: the second result is final", async () => {
    const file = join(tempDir(), "runs");
    const { done, transients, retried, evidence } = await run(step(busyFor(9, file)));
    expect({ done, transients, runs: runsOf(file) }).toEqual({
      done: false,
      transients: { retried: 1, passed: 0 },
      // The last look at what landed has a retry of its own.
      runs: place.name === "live" ? 4 : 2,
    });
    expect(retried).toHaveLength(1);
    expect(evidence).toMatchObject({ name: place.name, detail: "the oven is busy" });
  });

  test("that fails in other words, hangs or is killed is not run again", async () => {
    for (const command of [
      busyFor(1, join(tempDir(), "runs"), "503"),
      sh("echo the oven is busy; kill -9 $$"),
      ["no-such-program-the-oven-is-busy"] as const,
    ])
      expect(await run(step(command))).toMatchObject({ done: false, retried: [] });
  });

  test("is run again only where the class names such steps", async () => {
    const other: TransientSpec = { ...BUSY, steps: place.name === "unit" ? ["prepare", "verify"] : ["prepare", "check"] };
    const file = join(tempDir(), "runs");
    expect(await run(step(busyFor(1, file)), {}, () => withTransients(other))).toMatchObject({ done: false, retried: [] });
    expect(runsOf(file)).toBe(place.name === "live" ? 2 : 1);
  });

  test("has one retry for its prepare commands and itself together", async () => {
    const [prepares, runs] = ["prepares", "runs"].map((name) => join(tempDir(), name)) as [string, string];
    // The first prepare is the worktree's: it passes.
    const prepare = sh('echo x >> "$0"; [ "$(wc -l < "$0")" -ne 2 ] || { echo the oven is busy; exit 1; }', prepares);
    expect(await run(step(["true"]), { prepare: [prepare] })).toMatchObject({
      done: true,
      transients: { retried: 1, passed: 1 },
    });
    writeFileSync(prepares, "");
    const { done, transients, retried } = await run(step(busyFor(1, runs)), { prepare: [prepare] });
    expect({ done, transients, retried }).toEqual({
      done: false,
      transients: { retried: 1, passed: 0 },
      retried: [{ ...place, transient: "oven-busy", waitMs: 0 }],
    });
    expect(runsOf(runs)).toBe(place.name === "live" ? 2 : 1);
  });

  test("starts afresh when it is run once more", async () => {
    const file = join(tempDir(), "seen");
    const script =
      'ls made.txt "$1" >> "$0" 2>/dev/null; touch made.txt "$1/x"; echo =ran= >> "$0"; [ "$(grep -c =ran= "$0")" -gt 1 ] || { echo the oven is busy; exit 1; }';
    expect(await run(step(sh(script, file, "{artifacts}")))).toMatchObject({ done: true, transients: { retried: 1, passed: 1 } });
    expect(readFileSync(file, "utf8")).not.toMatch(/made|^x$/m);
  });
});

test("a batch's own classes come before the harness's", async () => {
  const file = join(tempDir(), "runs");
  const own = { ...BUSY, name: "own" };
  const tickets = [ticketOf("T-1", { finish: lineOf(check(busyFor(1, file))) })];
  using stage = await Stage.open({ tickets, limits: { attempts: 1 } }, ({ batch }) => ({
    batch: { ...batch, transients: [own] },
    ...withTransients(),
  }));
  stage.start();
  await stage.ended();
  expect(stage.of("step-retried")).toMatchObject([{ transient: "own" }]);
});

describe("what an agent prints to be tried again", () => {
  test.each([
    "Error: Error acquiring the state lock",
    "fatal: Unable to create '/work/app/.git/index.lock': File exists",
    "sh: 1: ./tool: Text file busy",
    "npm error code ECONNRESET",
    "curl: (22) The requested URL returned error: 503",
    "E: Could not get lock /var/lib/dpkg/lock-frontend",
    "read ECONNRESET; HTTP 429 Too Many Requests; No space left on device; Permission denied (publickey).",
  ])("earns a check nothing by loopdash's own classes, and ends nothing but the attempt: %s", async (words) => {
    const shipped = parseTransients(readFileSync(join(import.meta.dirname, "../../prompts/transients.json"), "utf8"));
    const harness = fixedHarness({ classes: shipped.ok ? shipped.classes : [] });
    const file = join(tempDir(), "runs");
    const { done, retried, evidence, stage } = await run(check(busyFor(1, file, words)), {}, () => ({ harness }));
    expect({ done, retried, runs: runsOf(file) }).toEqual({ done: false, retried: [], runs: 1 });
    expect(evidence).toMatchObject({ step: "check", name: "unit" });
    expect(evidence?.cause).toBeUndefined();
    expect(stage.of("backoff-started")).toEqual([]);
  });

  test("earns nothing where no class takes it, and one try where one does", async () => {
    const shipped = parseTransients(readFileSync(join(import.meta.dirname, "../../prompts/transients.json"), "utf8"));
    const harness = fixedHarness({ classes: shipped.ok ? shipped.classes : [] });
    const plain = join(tempDir(), "plain");
    expect(await run(check(busyFor(9, plain, "expected 503 to be 200: ECONNRESET")), {}, () => ({ harness }))).toMatchObject({
      done: false,
      retried: [],
    });
    const lying = join(tempDir(), "lying");
    const last = { ...BUSY, name: "text-file-busy", pattern: ": Text file busy$" };
    const words = "sh: 1: ./tool: Text file busy";
    expect(await run(check(busyFor(9, lying, words)), {}, () => withTransients(last))).toMatchObject({
      done: false,
      retried: [{ transient: "text-file-busy" }],
    });
    expect([runsOf(plain), runsOf(lying)]).toEqual([1, 2]);
  });
});

describe("results of tests", () => {
  /** Prints the words of a transient, and reports the file `tests`. Counts its runs on the candidate. */
  const command = (file: string, fails: string) =>
    sh(
      `[ ! -e work.txt ] || echo x >> "$1"; echo the oven is busy; ${fails}; cat tests > "$0"; exit $(cat code 2>/dev/null || echo 0)`,
      "{artifacts}/r.tap",
      file,
    );
  const outcome = async (change: Record<string, string>, fails = ":") => {
    const file = join(tempDir(), "runs");
    using stage = await opened({ check: { ...CHECK, command: command(file, fails) }, change, ctx: () => withTransients() });
    const { landed } = await judged(stage);
    return { landed, runs: runsOf(file), retried: stage.of("step-retried").length };
  };

  test("that show a failing test make it no transient, whatever is printed", async () => {
    expect(await outcome({ tests: tap("a b c!"), code: "1" })).toEqual({ landed: false, runs: 1, retried: 0 });
  });

  test("that are missing do not: the report was not come to", async () => {
    const once = '[ ! -e work.txt ] || [ "$(wc -l < "$1")" -gt 1 ] || exit 1';
    expect(await outcome({ tests: tap("a b c") }, once)).toEqual({ landed: true, runs: 2, retried: 1 });
  });

  test("in which nothing failed are not looked at again where the command succeeded", async () => {
    expect(await outcome({ tests: tap("a b") })).toEqual({ landed: false, runs: 1, retried: 0 });
  });

  test("of the base and of the candidate have one retry together", async () => {
    const file = join(tempDir(), "base");
    const fails = `[ -e work.txt ] || { echo x >> '${file}'; [ "$(wc -l < '${file}')" -gt 1 ] || exit 1; }`;
    expect(await outcome({ tests: tap("a b c") }, fails)).toEqual({ landed: true, runs: 1, retried: 1 });
    const both = await outcome({ tests: tap("a b c") }, `${fails.replaceAll(file, `${file}-2`)}; [ ! -e work.txt ] || exit 1`);
    expect(both).toMatchObject({ landed: false, retried: 1 });
    // They run beside each other: whichever fails first has it.
    expect([1, 2]).toContain(both.runs);
  });
});

describe("a step that is judged again because its base moved", () => {
  test("has no second retry", async () => {
    const file = join(tempDir(), "runs");
    // Busy in the first and in the third run; the second passes, and the base moves under it.
    const odd = sh('echo x >> "$0"; [ $(( $(wc -l < "$0") % 2 )) -eq 0 ] || { echo the oven is busy; exit 1; }', file);
    let moved = false;
    using stage = await Stage.open(
      { tickets: [ticketOf("T-1", { finish: lineOf(check(odd)) })], limits: { attempts: 1 } },
      (ctx) => ({
        ...withTransients(),
        report: (fact) => {
          if (fact.type === "step-ended" && !moved) {
            moved = true;
            git(stage.user, "commit", "-q", "--allow-empty", "-m", "moved");
          }
          return ctx.report(fact);
        },
      }),
    );
    stage.start();
    const { transients } = await stage.ended();
    expect(stage.of("step-started").filter(({ kind }) => kind === "check")).toHaveLength(2);
    expect({ runs: runsOf(file), transients }).toEqual({ runs: 3, transients: { retried: 1, passed: 1 } });
    expect(stage.of("attempt-ended")[0]).toMatchObject({ outcome: "failed" });
  });
});

describe("prepare commands of a fresh worktree", () => {
  test("are run once more each by the same rule, one in all, and from the one that failed", async () => {
    const [first, second] = ["first", "second"].map((name) => join(tempDir(), name)) as [string, string];
    const prepare = [sh('echo x >> "$0"', first), busyFor(1, second)];
    const { done, retried, transients } = await run(verify(["true"]), { prepare });
    expect({ done, retried, transients }).toEqual({
      done: true,
      retried: [{ step: -1, name: "prepare", transient: "oven-busy", waitMs: 0 }],
      transients: { retried: 1, passed: 1 },
    });
    const again = await run(verify(["true"]), { prepare: [busyFor(9, join(tempDir(), "runs"))] });
    // The base is prepared in a second attempt too, which has a retry of its own.
    expect(again).toMatchObject({
      done: false,
      retried: [{ step: -1 }, { step: -1 }],
      transients: { retried: 1, passed: 0 },
      transientsOfRun: { retried: 2, passed: 0 },
    });
    expect(again.evidence).toMatchObject({ step: "prepare" });
  });
});
