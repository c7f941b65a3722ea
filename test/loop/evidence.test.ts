import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { cleanUp, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { CHECK, counted, judge, judged, opened, put, T1, tap } from "./evidence-stage.ts";

cleanUp();

describe("what lands", () => {
  test("a change that keeps every test: it says so, and counts as compared", async () => {
    expect(await judge({ change: { tests: tap("a b c d") } })).toMatchObject({
      landed: true,
      summary: expect.stringMatching(/^passed in \d+\.\d s: 4 tests, 3 on the base(?:;|$)/),
      strength: "compared",
      checks: { compared: 1, uncompared: 0, exitCodeOnly: 0 },
    });
  });

  test("a check without a report: it says that it is weaker, and counts so", async () => {
    const check = { step: "check", name: "tests", command: ["true"] } as const;
    expect(await judge({ check })).toMatchObject({
      landed: true,
      summary: expect.stringMatching(/^exit code only: passed in/),
      strength: "exit-code",
      checks: { compared: 0, uncompared: 0, exitCodeOnly: 1 },
    });
  });

  test("the first tests of a repository: nothing to compare with, and it says so", async () => {
    expect(await judge({ base: { code: "1" }, change: { tests: tap("a"), code: null } })).toMatchObject({
      landed: true,
      summary: expect.stringContaining("1 test, none on the base to compare with"),
      checks: { compared: 0, uncompared: 1, exitCodeOnly: 0 },
    });
    const check = { ...CHECK, command: ["./run.sh"], report: { format: "tap", path: "out.tap" } } as const;
    const script = "#!/bin/sh\necho 'ok 1 - a' > out.tap\necho 1..1 >> out.tap\n";
    using stage = await opened({
      check,
      base: {},
      ticket: { allow: { testsRemoved: [], testsSkipped: [], suppressions: false, scripts: true } },
      stage: { work: (task) => void writeFileSync(join(task.worktree, "run.sh"), script, { mode: 0o755 }) },
    });
    expect(await judged(stage)).toMatchObject({ landed: true, strength: "uncompared" });
  });

  test("what failed on the base already, recorded", async () => {
    using stage = await opened({ base: { tests: tap("a b!"), code: "1" }, change: { tests: tap("a b! c") } });
    expect(await judged(stage)).toMatchObject({
      landed: true,
      summary: expect.stringContaining("1 test fails on the base and does not count: "),
    });
    expect(readFileSync(join(stage.root, "run/tickets/T-1/attempt-1/check-tests-failing-on-base.log"), "utf8")).toBe("b\n");
  });

  test("TAP from what the command prints", async () => {
    const check = {
      ...CHECK,
      command: ["sh", "-c", "echo 'ok 9 - noise' >&2; sleep 0.2; cat tests"],
      report: { format: "tap", path: "-" },
    } as const;
    expect(await judge({ check })).toMatchObject({ landed: true, summary: expect.stringContaining("3 tests, 3 on the base") });
    expect(await judge({ check, change: { tests: tap("a b") } })).toMatchObject({ landed: false });
  });
});

describe("what does not land, though the command says 0", () => {
  test.for([
    ["a test removed", tap("a b"), "1 test of the base vanished; 2 tests run, 3 on the base", "  c"],
    ["a test skipped", tap("a b c~"), "1 test newly skipped; 2 tests run, 3 on the base", "  c"],
    ["a failing test", tap("a b c!"), "1 test failed; exit code 0, though 1 test failed", "  c"],
    ["no test", tap(""), "the report holds no tests", "  a\n  b\n  c"],
    ["no report", null, "no report to judge by: the command left none ({artifacts}/r.tap); exited with code 0", ""],
    ["an empty report", "", "no report to judge by: it is empty", ""],
    ["half a report", "ok 1 - a\n", "no report to judge by: it breaks the protocol: no plan", ""],
    ["one test twice", tap("a b c c"), "1 test reported more than once", "  c"],
  ] as const)("%s", async ([, tests, summary, detail]) => {
    const result = await judge({ change: { tests } });
    expect(result).toMatchObject({ landed: false, summary: expect.stringContaining(summary), strength: undefined });
    expect(result.detail).toContain(detail);
    expect(result.checks).toEqual({ compared: 0, uncompared: 0, exitCodeOnly: 0 });
  });

  test("a failing exit code with tests that all passed", async () => {
    expect(await judge({ change: { code: "1" } })).toMatchObject({
      landed: false,
      summary: "exit code 1, though no test failed",
    });
  });

  test("what a person has allowed the ticket, and no more", async () => {
    const allow = { testsRemoved: ["b"], testsSkipped: ["c"], suppressions: false };
    expect(await judge({ change: { tests: tap("a c~") }, ticket: { allow } })).toMatchObject({ landed: true });
    expect(await judge({ change: { tests: tap("b~ c~ d") }, ticket: { allow } })).toMatchObject({ landed: false });
  });
});

describe("forged reports (A17)", () => {
  test("one that is committed at its place is gone before the command runs, and does not land by it", async () => {
    const check = { ...CHECK, command: ["true"], report: { format: "tap", path: "out/r.tap" } } as const;
    const forged = await judge({ check, base: {}, change: { "out/r.tap": tap("a b c") } });
    expect(forged).toMatchObject({ landed: false, summary: expect.stringContaining("the command left none (out/r.tap)") });
  });

  test("one whose way leads out of the checkout is refused", async () => {
    const outside = tempDir();
    writeFileSync(join(outside, "r.tap"), tap("a b c"));
    const check = { ...CHECK, command: ["touch", "out/r.tap"], report: { format: "tap", path: "out/r.tap" } } as const;
    using stage = await opened({
      check,
      base: {},
      stage: { work: (task) => void symlinkSync(outside, join(task.worktree, "out")) },
    });
    expect(await judged(stage)).toMatchObject({ landed: false, summary: expect.stringContaining("the way to it leads through") });
    expect(readFileSync(join(outside, "r.tap"), "utf8")).toBe(tap("a b c"));
  });

  test("prepare commands, which run the change's own code, cannot know where it will be", async () => {
    const seen = join(tempDir(), "seen");
    const look = ["sh", "-c", `echo "prepare [$LOOPDASH_ARTIFACTS]" >> '${seen}'`];
    const command = [
      "sh",
      "-c",
      `echo "$0 $LOOPDASH_ARTIFACTS$(ls -A "$0") $(stat -c %a "$0")" >> '${seen}'; cat tests > "$0"/r.tap`,
      "{artifacts}",
    ] as const;
    using stage = await opened({ check: { ...CHECK, command }, stage: { prepare: [look] } });
    expect(await judged(stage)).toMatchObject({ landed: true });
    const lines = readFileSync(seen, "utf8").trim().split("\n");
    const [prepared, judgements] = [
      lines.filter((line) => line.startsWith("prepare")),
      lines.filter((line) => line.startsWith("/")),
    ];
    expect(new Set(prepared)).toEqual(new Set(["prepare []"]));
    expect(prepared).toHaveLength(judgements.length + 1);
    for (const line of judgements) expect(line).toMatch(/\/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[\w-]+ {2}700$/);
    const folders = judgements.map((line) => line.split(" ")[0] ?? "");
    expect(new Set(folders).size).toBe(folders.length);
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
    expect(readdirSync(join(stage.root, "run/judge"))).toEqual([]);
  });
});

describe("the base's manifest", () => {
  const two = (command: readonly [string, ...string[]]) => {
    const finish = [{ ...CHECK, command }, { step: "merge" }] as const;
    return [ticketOf("T-1", { finish }), ticketOf("T-2", { finish, dependsOn: [T1] })];
  };

  test("is taken once per commit; what a candidate gave is the manifest of the base that it becomes", async () => {
    const { command, runs } = counted(tempDir());
    using stage = await opened({ stage: { tickets: two(command) } });
    await judged(stage);
    expect(stage.of("step-ended").map((e) => e.strength)).toEqual(["compared", undefined, "compared", undefined]);
    const [first, second, third, ...more] = runs();
    expect(new Set([first, second, third]).size).toBe(3);
    // The proof of what landed.
    expect(more).toHaveLength(1);
    // The base and the candidate run beside each other.
    expect([first, second]).toContain(stage.git("rev-parse", "main~2"));
  });

  test("is taken once for candidates that are judged at the same time", async () => {
    const { command, runs } = counted(tempDir());
    const finish = [{ ...CHECK, command }, { step: "merge" }] as const;
    const ids = ["T-1", "T-2", "T-3"];
    const work = (task: { worktree: string; ticket: string }) => put(task.worktree, { [task.ticket]: "x" });
    using stage = await opened({
      stage: { tickets: ids.map((id) => ticketOf(id, { finish })), limits: { workers: 3 }, work: (task) => void work(task) },
    });
    const base = stage.git("rev-parse", "main");
    expect(await judged(stage)).toMatchObject({ landed: true, checks: { exitCodeOnly: 0, uncompared: 0 } });
    expect(runs().filter((commit) => commit === base)).toHaveLength(1);
  });

  test("is not believed where its row was changed", async () => {
    const { command, runs } = counted(tempDir());
    using stage = await opened({ stage: { tickets: two(command) } });
    const forge = stage.until("attempt-ended").then(() => {
      const db = new DatabaseSync(join(stage.root, "loopdash.db"));
      const forged = zstdCompressSync(
        JSON.stringify({ exitCode: 0, durationMs: 1, at: 1, isBase: true, tests: [["a", "passed"]] }),
      );
      expect(db.prepare("UPDATE check_results SET results = ?").run(forged).changes).toBeGreaterThan(0);
      db.close();
    });
    await judged(stage);
    await forge;
    expect(stage.of("step-ended")[2]?.summary).toContain("3 tests, 3 on the base");
    // The proof of what landed runs too, and does not believe the row of the first base either.
    expect(runs()).toHaveLength(6);
  });

  test.for([
    ["runs out of time", "sleep 60", 0.005, "ran out of time and was killed"],
    ["is killed", "kill -9 $$", 1, "was ended by SIGKILL"],
    ["ends as a shell does whose program was killed", "exit 137", 1, "exited with code 137"],
    ["leaves half a report", "echo 'ok 1 - a' > \"$0\"", 1, "no plan"],
  ] as const)("is not taken for empty where the command %s", async ([, trouble, minutes, why]) => {
    const command = ["sh", "-c", `[ -e work.txt ] || { ${trouble}; exit; }; cat tests > "$0"`, "{artifacts}/r.tap"] as const;
    expect(await judge({ check: { ...CHECK, command, minutes } })).toMatchObject({
      landed: false,
      summary: expect.stringMatching(new RegExp(`^the base could not be measured: .*${why}`)),
    });
  });

  test("goes on with the next candidate where the one that took it is cancelled", async () => {
    const place = tempDir();
    const wait = `[ -e '${place}/go' ] || { touch '${place}/waits'; sleep 60; }; cat tests > "$0"`;
    const finish = [{ ...CHECK, command: ["sh", "-c", wait, "{artifacts}/r.tap"] as const }, { step: "merge" }] as const;
    // The second agent ends only once the first one's candidate has the base measured.
    const work = async (task: { worktree: string; ticket: string }) => {
      if (task.ticket !== T1) await until(() => existsSync(join(place, "waits")));
      put(task.worktree, { [task.ticket]: "x" });
      return undefined;
    };
    using stage = await opened({
      stage: {
        tickets: ["T-1", "T-2"].map((id) => ticketOf(id, { finish })),
        limits: { workers: 2, attempts: 1 },
        work,
      },
    });
    stage.start();
    await stage.until("step-started", (e) => e.type === "step-started" && e.ticket !== T1);
    writeFileSync(join(place, "go"), "");
    stage.engine.orchestrator.command({ type: "kill", ticket: T1 });
    await stage.ended();
    expect(stage.state.plan.tickets.map((t) => stage.ticket(t.id).phase)).toEqual(["stalled", "done"]);
  });
});

/** Waits until something outside holds; the test's own time is the limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("a check that failed (A19)", () => {
  test("is not run again on the same candidate", async () => {
    const { command, runs } = counted(tempDir());
    using stage = await opened({
      check: { ...CHECK, command },
      change: { tests: tap("a b c!"), code: "1" },
      stage: { limits: { attempts: 2 } },
    });
    await judged(stage);
    // Once on the base, and once on each try's own candidate.
    expect(runs()).toHaveLength(3);
    expect(stage.tasks).toHaveLength(2);
  });

  test("is not run again where the engine dies right after it: the next try begins with a fresh agent that knows of it", async () => {
    const flaky = join(tempDir(), "flaky");
    const lottery = `[ ! -e work.txt ] || [ -e '${flaky}' ] || { touch '${flaky}'; exit 1; }; cat tests > "$0"`;
    const check = { ...CHECK, command: ["sh", "-c", lottery, "{artifacts}/r.tap"] as const };
    using stage = await opened({ check, stage: { limits: { attempts: 2 } } });
    await stage.crashAt((event) => event.type === "step-ended" && !event.ok);
    await stage.crashAndReopen();
    await stage.resume();
    await stage.ended();
    expect(stage.tasks.map((task) => task.attempt)).toEqual([1, 2]);
    expect(stage.ticket(T1)).toMatchObject({
      phase: "done",
      failures: 1,
      evidence: [{ step: "check", summary: expect.stringContaining("no report") }],
    });
  });

  test("a stop in the middle of a check is no failure: it goes on from the finished work", async () => {
    const place = tempDir();
    const wait = `[ -e '${place}/go' ] || { touch '${place}/waits'; sleep 60; }; cat tests > "$0"`;
    using stage = await opened({ check: { ...CHECK, command: ["sh", "-c", wait, "{artifacts}/r.tap"] } });
    stage.start();
    await until(() => existsSync(join(place, "waits")));
    stage.engine.orchestrator.stop("signal");
    await stage.ended();
    writeFileSync(join(place, "go"), "");
    await stage.crashAndReopen();
    await stage.resume();
    await stage.ended();
    expect(stage.ticket(T1)).toMatchObject({ phase: "done", failures: 0 });
    expect(stage.tasks).toHaveLength(1);
  });
});

test("what a failed check leaves is bounded, and holds nothing that a terminal would obey", async () => {
  const names = Array.from({ length: 2000 }, (_, i) => `t${i}\x1b[2J\x1b]0;owned\x07${"x".repeat(300)}`);
  const result = await judge({ base: { tests: tap(names.join(" ")) }, change: { tests: tap("a") } });
  expect(result.landed).toBe(false);
  expect(result.detail.length).toBeLessThanOrEqual(4_000);
  expect(result.detail).toContain("and 1985 more");
  expect(result.detail).not.toContain("\x1b");
});
