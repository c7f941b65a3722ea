import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import type { TransientSpec } from "../../src/domain/batch/transient-spec.ts";
import { cleanUp, git, tempDir } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
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
    // The last one proves what has landed.
    expect(runsOf(file)).toBe(3);
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
    // The last one proves what has landed.
    expect(runsOf(file)).toBe(4);
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
