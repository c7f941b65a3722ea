import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { eventsOf, HONEST, PROGRAM, pidsUnder, Stage, type Stage as StageType } from "./stage.ts";

const DIAMOND = [
  "T-1",
  { id: "T-2", dependsOn: ["T-1"] },
  { id: "T-3", dependsOn: ["T-1"] },
  { id: "T-4", dependsOn: ["T-2", "T-3"] },
];

/** Each ticket landed exactly once, and the journal as a whole says done. */
async function expectWhole(stage: StageType, ids: readonly string[]): Promise<void> {
  expect(stage.landed().toSorted()).toEqual([...ids]);
  expect(stage.git("app", "status", "--porcelain")).toBe("");
  expect(await stage.report()).toMatchObject({ verdict: "done", exitCode: 0 });
}

/** Kills the engine after so many events, again and again, until one ends by itself; gives how often. */
async function killAgainAndAgain(stage: StageType, batch: string, after: (kill: number) => number): Promise<number> {
  for (let kills = 0; kills < 60; kills++) {
    const run = stage.start([batch, "--json"]);
    const enough = run.until(new RegExp(`^(?:.*\\n){${after(kills)}}`)).then(
      () => true,
      () => false,
    );
    if (await enough) run.child.kill("SIGKILL");
    const { code, stdout, stderr } = await run.ended;
    expect(stderr).toBe("");
    if (code === null) continue;
    expect(code, `after ${kills} kills: ${stdout.slice(-4_000)}`).toBe(0);
    return kills;
  }
  throw new Error("the run never ended");
}

describe("kill -9 of the engine at any instant", () => {
  test.each([1, 3, 6, 10])(
    "loses nothing and doubles nothing (after %i events, then more and more)",
    { timeout: 300_000 },
    async (first) => {
      using stage = new Stage(PROGRAM);
      stage.repo("app");
      stage.agent(HONEST);
      const batch = stage.batch(DIAMOND);
      expect(await killAgainAndAgain(stage, batch, (kill) => first + 3 * kill)).toBeGreaterThan(2);
      expect(JSON.parse((await stage.run(["runs", "--json"])).stdout)).toHaveLength(1);
      await expectWhole(stage, ["T-1", "T-2", "T-3", "T-4"]);
    },
  );

  test("ends the agents it left running before it starts them again", async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    stage.agent(
      `if (attempt === 1) { fs.writeFileSync("${stage.path("pid")}", String(process.pid)); say("READY"); await wait(600_000); } ${HONEST}`,
    );
    const batch = stage.batch(["T-1"]);
    const run = stage.start([batch, "--json"]);
    await run.until(/"text":"READY"/);
    run.child.kill("SIGKILL");
    await run.ended;
    const orphan = Number(readFileSync(stage.path("pid"), "utf8"));
    expect(pidsUnder(stage.root)).toContain(orphan);
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    expect(events[0]).toMatchObject({ type: "run-resumed", orphansKilled: 1 });
    expect(pidsUnder(stage.root)).toEqual([]);
    await expectWhole(stage, ["T-1"]);
    expect((await stage.report()).interventions).toMatchObject({ total: 1, harness: 1, byClass: { I5: 1 } });
  });

  test("does not run an agent again whose work was finished: its finish line goes on", async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app", {
      "check.mjs": `import fs from "node:fs"; const f = "${stage.path("gate")}"; console.log("CHECKING"); while (!fs.existsSync(f)) await new Promise((r) => setTimeout(r, 20));`,
    });
    stage.agent(`fs.appendFileSync("${stage.path("calls")}", "call\\n"); ${HONEST}`);
    const finish = [{ step: "check", name: "tests", command: [process.execPath, "check.mjs"] }, { step: "merge" }];
    const batch = stage.batch(["T-1"], { ownFinish: finish });
    const run = stage.start([batch, "--json"]);
    await run.until(/"type":"step-started"/);
    run.child.kill("SIGKILL");
    await run.ended;
    stage.write("gate", "");
    expect((await stage.events(batch)).code).toBe(0);
    expect(readFileSync(stage.path("calls"), "utf8")).toBe("call\n");
    expect(await stage.report()).toMatchObject({ claims: { made: 1, upheld: 1 } });
  });

  test("SIGTERM stops in order, is told apart from done, and the same command continues", async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    stage.agent(`if (attempt === 1) { say("READY"); await wait(600_000); } ${HONEST}`);
    const batch = stage.batch(["T-1"]);
    const run = stage.start([batch, "--json"]);
    await run.until(/"text":"READY"/);
    run.child.kill("SIGTERM");
    expect((await run.ended).code).toBe(130);
    expect(pidsUnder(stage.root)).toEqual([]);
    expect(await stage.report()).toMatchObject({ verdict: "not-done", exitCode: 130 });
    expect((await stage.events(batch)).code).toBe(0);
    await expectWhole(stage, ["T-1"]);
  });
});

describe("what was frozen is checked before a run goes on", () => {
  async function interrupted(): Promise<{ stage: StageType; batch: string; run: string }> {
    const stage = new Stage(PROGRAM);
    stage.repo("app");
    stage.agent(`say("READY"); await wait(600_000);`);
    const batch = stage.batch(["T-1"]);
    const started = stage.start([batch, "--json"]);
    await started.until(/READY/);
    started.child.kill("SIGKILL");
    await started.ended;
    return { stage, batch, run: JSON.parse((await stage.run(["runs", "--json"])).stdout)[0].run };
  }

  test("a changed oracle: exit 3", async () => {
    const { stage, batch, run } = await interrupted();
    using _ = stage;
    writeFileSync(join(stage.home, "runs", run, "oracle.cjs"), "process.exit(0);\n");
    const { code, stderr } = await stage.run([batch, "--json"]);
    expect(code).toBe(3);
    expect(stderr).toContain("its frozen oracle is not the one it began with");
  });

  test("an edited journal: exit 3, and the row is named", async () => {
    const { stage, batch } = await interrupted();
    using _ = stage;
    const db = new DatabaseSync(join(stage.home, "loopdash.db"));
    db.exec("UPDATE journal SET data = replace(data, '\"attempts\":2', '\"attempts\":9')");
    db.close();
    const { code, stderr } = await stage.run([batch, "--json"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/journal is broken: .*1/);
    stage.agent(HONEST);
    expect((await stage.run([batch, "--json", "--fresh"])).code).toBe(0);
  });

  test("a changed batch file: refused, and --fresh starts again", async () => {
    const { stage, batch } = await interrupted();
    using _ = stage;
    stage.agent(HONEST);
    stage.batch(["T-1", "T-2"]);
    const refused = await stage.run([batch, "--json"]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("the batch file was changed since the run began");
    expect((await stage.events(batch, "--fresh")).code).toBe(0);
  });

  test("a tracker that is gone: the oracle cannot judge, exit 3, never 0", async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    stage.agent(`say("READY"); while (!fs.existsSync("${stage.path("go")}")) await wait(20); ${HONEST}`);
    const batch = stage.batch(["T-1"]);
    const started = stage.start([batch, "--json"]);
    await started.until(/READY/);
    const run = eventsOf(started.stdout().split("\n").slice(0, 1).join("\n"))[0];
    if (run?.type !== "run-started") throw new Error("no first event");
    rmSync(join(stage.home, "runs", run.run, "tracker.json"));
    stage.write("go", "");
    const { code } = await started.ended;
    expect(code).toBe(3);
  });
});

describe("two engines", () => {
  test("on one batch, or on one base from another batch or another state home: the second is refused and harms nothing", async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    stage.agent(`say("READY"); while (!fs.existsSync("${stage.path("go")}")) await wait(20); ${HONEST}`);
    const batch = stage.batch(["T-1"]);
    const first = stage.start([batch, "--json"]);
    await first.until(/READY/);
    const same = await stage.run([batch, "--json"]);
    expect(same).toMatchObject({ code: 4, stdout: "" });
    expect(same.stderr).toContain("loopdash attach");
    const other = stage.write("other.json", readFileSync(batch, "utf8"));
    expect((await stage.run([other, "--json"])).code).toBe(4);
    expect((await stage.run([other, "--json"], { LOOPDASH_HOME: stage.path("home2") })).code).toBe(4);
    stage.write("go", "");
    expect((await first.ended).code).toBe(0);
    await expectWhole(stage, ["T-1"]);
  });
});
