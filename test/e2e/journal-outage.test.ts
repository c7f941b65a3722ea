import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { RunReport } from "../../src/domain/results/report.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { SmallDisk } from "./small-disk.ts";
import { eventsOf, HONEST, pidsUnder, Stage } from "./stage.ts";

const TIMEOUT = { timeout: 300_000 };
const of = <T extends RunEvent["type"]>(events: readonly RunEvent[], type: T) =>
  events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);

/** An agent that talks without end in its first attempt, with work in its worktree, and is honest in every other. */
const TALKS = `if (attempt === 1) { fs.writeFileSync("half.txt", "half"); say("READY"); for (let i = 0; ; i++) { say("line " + i); await wait(20); } } ${HONEST}`;

/** A run on a small disk that another program has filled, and that waits for its journal. */
async function onFullDisk(outageMinutes: number, format: "--json" | "--headless" | "--detach") {
  const stage = new Stage();
  const home = stage.path("small");
  const disk = await SmallDisk.at(home);
  stage.repo("app");
  stage.agent(TALKS);
  const batch = stage.batch(["T-1"], { limits: { outageMinutes } });
  const env = { LOOPDASH_HOME: home };
  const start = (...args: readonly string[]) => stage.start(args, env, undefined, disk.by);
  const run = start(batch, format);
  if (format === "--detach") await run.ended;
  const watching = format === "--detach" ? start("attach") : run;
  await watching.until(/T-1/);
  const [program = "", ...by] = disk.by;
  // As long as it runs, it takes the journal's reserve too.
  const fill = `while :; do cat /dev/zero >> ${home}/full; sleep 0.01; done`;
  const filler: ChildProcess = spawn(program, [...by, "sh", "-c", fill], { stdio: "ignore" });
  const makeRoom = async (): Promise<void> => {
    filler.kill("SIGKILL");
    await once(filler, "close");
    disk.exec("rm", `${home}/full`);
  };
  const dispose = (): void => {
    filler.kill("SIGKILL");
    disk[Symbol.dispose]();
    stage[Symbol.dispose]();
  };
  return { stage, batch, run, watching, start, makeRoom, [Symbol.dispose]: dispose };
}

/** What is said before each retry: why, since when, the next one, and the last. */
const WAITS =
  /the engine has been waiting since \d\d:\d\d:\d\d: .*the disk is full; no agent is at work; next try in [\d:]+, gives up at \d\d:\d\d:\d\d/;

describe("a disk that is full for the journal too", () => {
  test("and gets room again: the run goes on by itself, nothing is done twice, and nobody has intervened", TIMEOUT, async () => {
    using full = await onFullDisk(5, "--json");
    const { stage, run, start, makeRoom } = full;
    await run.untilError(WAITS);
    await makeRoom();
    const { code, stdout } = await run.ended;
    expect(code).toBe(0);
    expect(of(eventsOf(stdout), "run-resumed").length).toBeGreaterThan(0);
    expect(of(eventsOf(stdout), "run-resumed").every(({ by }) => by === "engine")).toBe(true);
    expect(stage.landed()).toEqual(["T-1"]);
    const report = JSON.parse((await start("report", "--json").ended).stdout) as RunReport;
    expect(report).toMatchObject({ verdict: "done", interventions: { total: 0 }, tickets: [{ id: "T-1", state: "done" }] });
  });

  test("and holds the log of an engine on its own, too: the engine waits, and goes on", TIMEOUT, async () => {
    using full = await onFullDisk(5, "--detach");
    const { stage, watching, makeRoom } = full;
    await watching.until(/next try in/);
    await watching.until(/next try in 00:04/);
    await makeRoom();
    expect((await watching.ended).code).toBe(0);
    expect(stage.landed()).toEqual(["T-1"]);
  });

  test("and stays so: exit 3 after that time, and the same command continues once there is room", TIMEOUT, async () => {
    using full = await onFullDisk(0.05, "--headless");
    const { stage, batch, run, start, makeRoom } = full;
    const { code, stdout, stderr } = await run.ended;
    expect([code, stdout, stderr]).toEqual([3, expect.stringMatching(WAITS), expect.stringMatching(/had to stop\n.*full/)]);
    expect(pidsUnder(stage.root).length, "the filler alone").toBeLessThanOrEqual(3);
    await makeRoom();
    expect((await start(batch, "--headless").ended).code).toBe(0);
    expect(stage.landed()).toEqual(["T-1"]);
  });
});

/** A run whose records another program has locked, with an agent at work. */
async function withLockedRecords() {
  const stage = new Stage();
  stage.repo("app");
  stage.agent(TALKS);
  const batch = stage.batch(["T-1"], { limits: { outageMinutes: 5 } });
  const run = stage.start([batch, "--json"]);
  await run.until(/line 1/);
  const other = new DatabaseSync(stage.path("home", "loopdash.db"), { timeout: 10_000 });
  other.exec("BEGIN IMMEDIATE");
  const dispose = (): void => {
    if (other.isOpen) other.close();
    stage[Symbol.dispose]();
  };
  return { stage, batch, run, unlock: () => other.close(), [Symbol.dispose]: dispose };
}

describe("records that another program keeps locked", () => {
  test("end no run: it goes on by itself, those who watch see it, and what the agent had made is kept", TIMEOUT, async () => {
    using locked = await withLockedRecords();
    const { stage, run, unlock } = locked;
    await run.untilError(/next try in/);
    const watching = stage.start(["attach"]);
    await watching.until(/next try in/);
    const { stdout: standing } = await stage.run(["status"]);
    expect(standing).toMatch(/^‖ HELD .*\n(?:.*\n)* {2}‖ the journal cannot be written, so nothing runs: /);
    unlock();
    await watching.until(/run resumed by itself/);
    expect((await watching.ended).code).toBe(0);
    const { code, stdout, stderr } = await run.ended;
    const events = eventsOf(stdout);
    expect([code, stderr]).toEqual([0, expect.stringContaining("keeps it locked")]);
    expect(of(events, "run-resumed")).toMatchObject([{ by: "engine" }]);
    expect(of(events, "intervention")).toEqual([]);
    expect(of(events, "agent-launching")).toHaveLength(2);
    expect(of(events, "work-kept")).toMatchObject([{ files: 1 }]);
    expect(stage.landed()).toEqual(["T-1"]);
    expect((await stage.report()).interventions).toMatchObject({ total: 0 });
  });

  test("a stop ends the wait at once", TIMEOUT, async () => {
    using locked = await withLockedRecords();
    const { stage, batch, run, unlock } = locked;
    await run.untilError(/next try in/);
    run.child.kill("SIGTERM");
    expect(await run.ended).toMatchObject({ code: 130, stderr: expect.stringMatching(/was stopped by SIGTERM while/) });
    expect(pidsUnder(stage.root)).toEqual([]);
    unlock();
    expect((await stage.run([batch, "--headless"])).code).toBe(0);
    expect(stage.landed()).toEqual(["T-1"]);
  });
});
