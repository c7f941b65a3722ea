import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createLocks } from "../../src/adapters/locks/sqlite-locks.ts";
import { batchLock } from "../../src/cli/engine/engine-locks.ts";
import { agentPid, enginePid, engines, isAlive, patientAgent, until } from "./actors.ts";
import { terminals } from "./pty.ts";
import { HONEST, pidsUnder, Stage } from "./stage.ts";

const open = terminals();
const CTRL_C = "\u0003";

function patientStage(): Stage {
  const stage = new Stage();
  stage.repo("app");
  patientAgent(stage);
  return stage;
}

/** Lets the run go on to its end without a dashboard, and asserts that it ended as done. */
async function expectDone(stage: Stage, ids: readonly string[]): Promise<void> {
  stage.write("go", "");
  expect(await stage.run(["attach"])).toMatchObject({ code: 0 });
  expect(stage.landed().toSorted()).toEqual(ids);
  expect(await stage.report()).toMatchObject({ verdict: "done", exitCode: 0 });
  await until(() => pidsUnder(stage.root).length === 0, "nothing left running");
}

describe("leaving a run that goes on", { timeout: 300_000 }, () => {
  test("detached: exit 130 and how to come back; attach shows it live, and what came of it after the end", async () => {
    using stage = patientStage();
    const first = open(stage, [stage.batch(["T-1", "T-2"])]);
    await first.waitFor("READY T-2");
    await first.press("q", "Leave the dashboard");
    await first.press("\u001b", (screen) => !screen.includes("Leave the dashboard"));
    await first.press("q", "the run continues");
    first.type("d");
    expect(await first.exitCode()).toBe(130);
    expect(first.isAlternate).toBe(false);
    const [, run = ""] = /loopdash attach (\S+)/.exec(first.main()) ?? [];
    expect(isAlive(agentPid(stage, "T-1"))).toBe(true);

    const live = open(stage, ["attach", run]);
    const screen = await live.waitFor(/"READY T-1"[^]*"READY T-2"/);
    expect(screen).toMatch(/^ ● RUNNING/);
    stage.write("go", "");
    await live.waitFor(/^ ✔ DONE[^]*TICKETS 2/);
    live.type("q");
    expect(await live.exitCode()).toBe(0);

    const after = open(stage, ["attach"]);
    await after.waitFor(/^ ✔ DONE[^]*TICKETS 2/);
    after.type("q");
    expect(await after.exitCode()).toBe(0);
    expect(after.main()).toContain("✔ DONE, says the oracle");
    await expectDone(stage, ["T-1", "T-2"]);
  });

  test("a closed terminal hurts nothing; Ctrl-C asks once and detaches the second time", async () => {
    using stage = patientStage();
    const closed = open(stage, [stage.batch(["T-1"])]);
    await closed.waitFor("READY T-1");
    closed.hangUp();
    await until(() => !isAlive(closed.pid), "the dashboard of a closed terminal ends");
    expect(isAlive(enginePid(stage))).toBe(true);

    const second = open(stage, ["attach"]);
    await second.waitFor("READY T-1");
    await second.press(CTRL_C, "Leave the dashboard");
    second.type(CTRL_C);
    expect(await second.exitCode()).toBe(130);
    expect(second.main()).toContain("loopdash attach");
    await expectDone(stage, ["T-1"]);
    expect((await stage.report()).interventions.total).toBe(0);
  });

  test("kill -9 of the dashboard: the engine goes on", async () => {
    using stage = patientStage();
    const pty = open(stage, [stage.batch(["T-1"])]);
    await pty.waitFor("READY T-1");
    process.kill(pty.pid, "SIGKILL");
    expect(await pty.ended).toMatchObject({ signal: 9 });
    expect(isAlive(enginePid(stage))).toBe(true);
    await expectDone(stage, ["T-1"]);
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s to the dashboard: it leaves as by detach, the terminal in order",
    async (signal) => {
      using stage = patientStage();
      const pty = open(stage, [stage.batch(["T-1"])]);
      await pty.waitFor("READY T-1");
      process.kill(pty.pid, signal);
      expect(await pty.exitCode()).toBe(130);
      expect(pty.isAlternate).toBe(false);
      expect(pty.main()).toContain("loopdash attach");
      await expectDone(stage, ["T-1"]);
    },
  );
});

describe("leaving while it starts", { timeout: 300_000 }, () => {
  test("Ctrl-C before the dashboard is there: exit 130, and nothing goes on unseen", async () => {
    using stage = patientStage();
    const pty = open(stage, [stage.batch(["T-1"])]);
    await until(() => engines(stage).length > 0, "the engine's process");
    pty.type(CTRL_C);
    expect(await pty.exitCode()).toBe(130);
    expect(pty.isAlternate).toBe(false);
    expect(pty.main()).toContain("interrupted");
    await until(() => pidsUnder(stage.root).length === 0, "nothing left running");
    stage.write("go", "");
    expect((await stage.events("batch.json")).code).toBe(0);
  });

  test("kill -9 of the starter before the engine has answered: the run continues all the same", async () => {
    using stage = patientStage();
    const pty = open(stage, [stage.batch(["T-1"])]);
    await until(() => engines(stage).length > 0, "the engine's process");
    process.kill(pty.pid, "SIGKILL");
    await pty.ended;
    expect(pty.alternateSeen).toBe(false);
    await until(
      () => pidsUnder(stage.root).some((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("agent.mjs")),
      "an agent at work",
    );
    await expectDone(stage, ["T-1"]);
  });
});

describe("ending a run", { timeout: 300_000 }, () => {
  test("stopped: exit 130, no process left, and the same command at once goes on with it", async () => {
    using stage = patientStage();
    const batch = stage.batch(["T-1", "T-2"]);
    const first = open(stage, [batch]);
    await first.waitFor("READY T-2");
    await first.press("q", "stop the run");
    first.type("s");
    expect(await first.exitCode()).toBe(130);
    expect(first.isAlternate).toBe(false);
    expect(first.main()).toMatch(/STOPPED before the final verdict[^]*the same command continues from here/);

    stage.agent(HONEST);
    const again = open(stage, [batch]);
    await again.waitFor(/^ ✔ DONE[^]*TICKETS 2/);
    again.type("q");
    expect(await again.exitCode()).toBe(0);
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-2"]);
    expect((await stage.report()).interventions).toMatchObject({ byClass: { I5: 1 } });
    expect(JSON.parse((await stage.run(["runs", "--json"])).stdout)).toHaveLength(1);
  });

  test("stopped: when the program has ended, its agents have ended and its batch is free", async () => {
    using stage = patientStage();
    const batch = stage.batch(["T-1"]);
    const pty = open(stage, [batch]);
    await pty.waitFor("READY T-1");
    const [engine, agent] = [enginePid(stage), agentPid(stage, "T-1")];
    // Much for the engine to remove once the run has ended: it holds the batch all the while.
    const [run = ""] = readdirSync(stage.path("home/worktrees"));
    for (let i = 0; i < 3_000; i++) stage.write(`home/worktrees/${run}/left-over/${i}`, "");
    await pty.press("q", "stop the run");
    pty.type("s");
    expect(await pty.exitCode()).toBe(130);
    expect(isAlive(agent)).toBe(false);
    expect(createLocks(stage.path("home", "locks")).isHeld(batchLock(batch))).toBe(false);
    await until(() => !isAlive(engine), "the engine ends");
  });

  test("kill -9 of the engine: said clearly, with what to do; exit not zero; the same command continues to done", async () => {
    using stage = patientStage();
    const batch = stage.batch(["T-1"]);
    const first = open(stage, [batch]);
    await first.waitFor("READY T-1");
    process.kill(enginePid(stage), "SIGKILL");
    const screen = await first.waitFor(/LOST[^]*engine is gone/);
    expect(screen.split("\n").at(-1)).toMatch(/connection lost: the engine is gone; start its batch file again · q leave$/);
    await first.press("p", "not connected to the run");
    first.type("q");
    expect(await first.exitCode()).toBe(1);
    expect(first.main()).toMatch(/engine of run \S+ is gone[^]*loopdash \S*batch\.json/);

    stage.write("go", "");
    const again = open(stage, [batch]);
    await again.waitFor(/^ ✔ DONE[^]*TICKETS 1/);
    again.type("q");
    expect(await again.exitCode()).toBe(0);
    expect(stage.landed()).toEqual(["T-1"]);
  });

  test("an engine that comes back under the dashboard: it is live again by itself", async () => {
    using stage = patientStage();
    const batch = stage.batch(["T-1"]);
    const pty = open(stage, [batch]);
    await pty.waitFor("READY T-1");
    process.kill(enginePid(stage), "SIGKILL");
    await pty.waitFor("connection lost");
    expect((await stage.run([batch, "--detach"])).code).toBe(0);
    await pty.waitFor(/^ ● RUNNING[^]*READY T-1/);
    stage.write("go", "");
    await pty.waitFor(/^ ✔ DONE/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
  });
});
