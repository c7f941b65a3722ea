import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { TransientSpec } from "../../src/domain/batch/transient-spec.ts";
import { type Rest, Semaphore } from "../../src/loop/concurrency/semaphore.ts";
import { cleanUp, git, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { CHECK, opened, tap } from "./evidence-stage.ts";
import { FakeClock } from "./fake-clock.ts";
import { Stage } from "./stage.ts";
import { BUSY, busyFor, check, lineOf, run, runsOf, sh, T1, verify, withTransients } from "./transient-stage.ts";

cleanUp();

describe("the wait", () => {
  const slow: TransientSpec = { ...BUSY, waitSeconds: 300 };

  async function waiting(step: StepSpec) {
    const clock = new FakeClock();
    const stage = await Stage.open({ tickets: [ticketOf("T-1", { finish: lineOf(step) })], limits: { attempts: 1 } }, () => ({
      ...withTransients(slow),
      clock,
    }));
    stage.start();
    await stage.until("step-retried");
    await expect.poll(() => clock.waiting, { timeout: 30_000 }).toBeGreaterThan(0);
    return { stage, clock };
  }

  test("is as long as the class says", async () => {
    const file = join(tempDir(), "runs");
    const { stage, clock } = await waiting(check(busyFor(1, file)));
    using _ = stage;
    expect(stage.of("step-retried")[0]?.waitMs).toBe(300_000);
    clock.advance(299_999);
    expect(runsOf(file)).toBe(1);
    clock.advance(1);
    expect((await stage.ended()).end?.exitCode).toBe(0);
    expect(runsOf(file)).toBe(2);
  });

  test("ends at once with a kill, and the command is not run again", async () => {
    const file = join(tempDir(), "runs");
    const { stage } = await waiting(check(busyFor(1, file)));
    using _ = stage;
    stage.engine.orchestrator.command({ type: "kill", ticket: T1 });
    await stage.until("attempt-ended");
    expect(stage.of("attempt-ended").map(({ outcome }) => outcome)).toEqual(["killed"]);
    expect(runsOf(file)).toBe(1);
  });

  test("that an engine does not survive is counted, and the next attempt has a retry of its own", async () => {
    const file = join(tempDir(), "runs");
    using stage = await Stage.open({ tickets: [ticketOf("T-1", { finish: lineOf(check(busyFor(2, file))) })] }, () =>
      withTransients(slow),
    );
    await stage.crashAt((event) => event.type === "step-retried");
    await stage.crashAndReopen(() => withTransients());
    await stage.resume();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(state.transients).toEqual({ retried: 2, passed: 1 });
    expect(runsOf(file)).toBe(3);
  });
});

describe("the wait of who measures a base for others", () => {
  /** Counts who has asked for a permit so far. */
  class Asked extends Semaphore {
    asked = 0;

    override run<T>(task: (rest: Rest) => Promise<T>, signal: AbortSignal): Promise<T> {
      this.asked += 1;
      return super.run(task, signal);
    }
  }

  test("ends although one who waits for that base wants the only permit", async () => {
    const clock = new FakeClock();
    const commandPermits = new Asked(1);
    const file = join(tempDir(), "runs");
    // Busy in its first run, which is on the base.
    const command = sh(
      'echo x >> "$1"; [ "$(wc -l < "$1")" -gt 1 ] || { echo the oven is busy; exit 1; }; cat tests > "$0"',
      "{artifacts}/r.tap",
      file,
    );
    const finish: StepSpec[] = [{ ...CHECK, command }, { step: "merge" }];
    const tickets = ["T-1", "T-2"].map((id) => ticketOf(id, { finish }));
    using stage = await opened({
      base: { tests: tap("a b c") },
      stage: {
        tickets,
        limits: { workers: 1, attempts: 1 },
        work: (task) => void writeFileSync(join(task.worktree, `${task.ticket}.txt`), "x\n"),
      },
      ctx: () => ({ ...withTransients({ ...BUSY, waitSeconds: 300 }), clock, commandPermits }),
    });
    stage.start();
    await stage.until("step-retried");
    await expect.poll(() => commandPermits.asked, { timeout: 30_000 }).toBe(2);
    clock.advance(300_000);
    await expect
      .poll(() => stage.of("attempt-ended").map(({ outcome }) => outcome), { timeout: 30_000 })
      .toEqual(["done", "done"]);
    stage.engine.orchestrator.stop("SIGTERM");
    await stage.ended();
  });
});

describe("the source of truth", () => {
  test("is read again first: what has lost its fence is not run again", async () => {
    const file = join(tempDir(), "runs");
    using stage = await Stage.open(
      { tickets: [ticketOf("T-1", { finish: lineOf(check(busyFor(1, file))) })], limits: { attempts: 1 } },
      (ctx) => ({
        ...withTransients(),
        report: (fact) => fact.type !== "step-retried" && ctx.report(fact),
      }),
    );
    stage.start();
    await stage.until("attempt-ended");
    expect(stage.of("attempt-ended")[0]).toMatchObject({ outcome: "stopped" });
    expect(runsOf(file)).toBe(1);
    stage.engine.orchestrator.stop("SIGTERM");
    await stage.ended();
  });

  test("is read again first: what is no longer in the base is not verified again", async () => {
    const file = join(tempDir(), "runs");
    using stage = await Stage.open(
      { tickets: [ticketOf("T-1", { finish: lineOf(verify(busyFor(1, file))) })], limits: { attempts: 1 } },
      (ctx) => ({
        ...withTransients(),
        report: (fact) => {
          if (fact.type === "step-started" && fact.kind === "verify") git(stage.user, "reset", "-q", "--hard", "HEAD~1");
          return ctx.report(fact);
        },
      }),
    );
    stage.start();
    await stage.ended();
    expect(stage.of("step-retried")).toEqual([]);
    expect([stage.ticket(T1).phase, runsOf(file)]).toEqual(["stalled", 1]);
  });
});

describe("the last look before the oracle is asked", () => {
  test("has one retry for each verification, which is counted", async () => {
    const file = join(tempDir(), "runs");
    // Passes in the finish line; then is busy as often as the test says.
    const command = sh(
      'echo x >> "$0"; n=$(wc -l < "$0"); [ "$n" -eq 1 ] || [ "$n" -gt "$1" ] || { echo the oven is busy; exit 1; }',
      file,
    );
    const busy = (n: number) => verify([...command, String(n)] as [string, ...string[]]);
    const once = await run(busy(2));
    expect(once).toMatchObject({ done: true, retried: [], transientsOfRun: { retried: 1, passed: 1 } });
    expect(once.stage.of("reverify-ended")).toMatchObject([{ reopened: 0, transients: { retried: 1, passed: 1 } }]);
    writeFileSync(file, "");
    const twice = await run(busy(3));
    expect(twice.stage.of("reverify-ended")[0]).toMatchObject({ reopened: 1, transients: { retried: 1, passed: 0 } });
    expect(twice.stage.of("report-dropped")).toEqual([]);
  });
});

describe("a judgement that is made in silence, on what somebody else is about to land", () => {
  /** Waits for what is said of the marks of all runs, and is busy the first time that it sees the files of three tickets. */
  const WAITS = `import { readdirSync, writeFileSync } from "node:fs";
    const folder = process.argv[2], read = () => readdirSync(folder);
    const mine = readdirSync(".").filter((name) => /^T-.*txt$/.test(name)).sort().join("+");
    const tickets = mine.split("+").length;
    const before = read().filter((mark) => mark.startsWith(mine + "#")).length;
    writeFileSync(folder + "/" + mine + "#" + before, "");
    const of = (n) => read().filter((mark) => mark.split("+").length === n).length;
    const give = setTimeout(() => { console.log("nobody came"); process.exit(1); }, 30_000);
    const look = setInterval(() => {
      if (tickets === 1 ? of(1) < 3 : tickets === 2 && of(3) === 0) return;
      clearTimeout(give);
      clearInterval(look);
      if (tickets === 3 && before === 0) { console.log("the oven is busy"); process.exitCode = 1; }
    }, 10);`;

  test("and fails by a transient is made again aloud: it is told to nobody, and uses up no retry", async () => {
    const folder = tempDir();
    const script = join(tempDir(), "check.mjs");
    writeFileSync(script, WAITS);
    const finish = lineOf(check([process.execPath, script, folder]));
    using stage = await Stage.open(
      { tickets: ["T-1", "T-2", "T-3"].map((id) => ticketOf(id, { finish })), limits: { workers: 3, attempts: 1 } },
      () => withTransients(),
    );
    stage.start();
    const state = await stage.ended();
    expect(state.end?.exitCode).toBe(0);
    expect(stage.of("step-ended").filter(({ ok }) => !ok)).toEqual([]);
    expect(readdirSync(folder).filter((mark) => mark.split("+").length === 3)).toHaveLength(2);
    expect(state.transients).toEqual({ retried: 0, passed: 0 });
  });
});
