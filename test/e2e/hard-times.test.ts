import { globSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Ended, HONEST, Stage, type Started } from "./stage.ts";

/** The end of a process that must end by itself; it may have been left hanging by what was done to it. */
async function endOf(run: Started, ms = 30_000): Promise<Ended> {
  const late = new AbortController();
  const never = wait(ms, undefined, { signal: late.signal }).then(() => {
    throw new Error(`still there after ${ms} ms:\n${run.stdout()}`);
  });
  never.catch(() => undefined);
  return Promise.race([run.ended, never]).finally(() => late.abort());
}

/** A module that every Node process of a run loads first: it acts in the engine alone. */
function hook(stage: Stage, body: string): Record<string, string> {
  const file = stage.write(
    "hook.mjs",
    `import { StatementSync } from "node:sqlite";
import { writeSync } from "node:fs";
if (process.argv[2]?.endsWith("batch.json")) {\n${body}\n}\n`,
  );
  return { NODE_OPTIONS: `--import=${file}` };
}

/** Runs \`act\` before every statement that begins like this. */
function before(sql: string, act: string): string {
  return `const run = StatementSync.prototype.run;
StatementSync.prototype.run = function (...values) { if (this.sourceSQL.startsWith(${JSON.stringify(sql)})) { ${act} } return run.apply(this, values); };`;
}

const LOCKED = `throw Object.assign(new Error("database is locked"), { code: "ERR_SQLITE_ERROR", errcode: 5 });`;

/** What a run must not leave in the user's repository. */
function inRepo(stage: Stage): { branches: string[]; worktrees: number } {
  const branches = stage.git("app", "branch", "--format=%(refname:short)").split("\n");
  return { branches, worktrees: stage.git("app", "worktree", "list").split("\n").length };
}

describe("the records cannot be written", () => {
  test("a database that stays locked stops the run in words, ends the process, and the same command continues", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`if (attempt === 1) { say("READY"); await wait(600_000); } ${HONEST}`);
    const batch = stage.batch(["T-1"]);
    const run = stage.start([batch, "--json"]);
    await run.until(/"text":"READY"/);
    const other = new DatabaseSync(stage.path("home", "loopdash.db"));
    other.exec("BEGIN IMMEDIATE");
    run.child.kill("SIGTERM");
    const { code, stderr } = await endOf(run);
    other.close();
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/had to stop\n.*another process keeps it locked/),
    });
    expect(stderr).not.toContain("defect");
    expect((await stage.events(batch)).code).toBe(0);
    expect(stage.landed()).toEqual(["T-1"]);
  });

  test("the last record of a run that was judged done: the process ends, not with 0, and the same command continues", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(HONEST);
    const batch = stage.batch(["T-1"], { limits: { outageMinutes: 0.02 } });
    const run = stage.start([batch, "--json"], hook(stage, before("UPDATE runs SET ended_at", LOCKED)));
    const { code, stderr } = await endOf(run);
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining("another process keeps it locked") });
    expect((await stage.events(batch)).code).toBe(0);
    expect(stage.landed()).toEqual(["T-1"]);
  });

  test("what a ticket took, which is not worth a run: the run continues", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(HONEST);
    const batch = stage.batch(["T-1", "T-2"]);
    const run = stage.start([batch, "--json"], hook(stage, before("INSERT OR REPLACE INTO durations", LOCKED)));
    expect(await endOf(run)).toMatchObject({ code: 0, stderr: expect.stringContaining("could not record") });
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-2"]);
  });
});

describe("kill -9", () => {
  test("after a ticket is done and before its worktree is gone: the next engine removes worktree and branch", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(HONEST);
    const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }]);
    // The first fact after "T-1 is done" is that T-2 is claimed: written in the same moment, while T-1's folder still lies there.
    const act = `if (values[3] === "attempt-claimed" && values[4] === "T-2") process.kill(process.pid, "SIGKILL");`;
    const run = stage.start([batch, "--json"], hook(stage, before("INSERT INTO journal", act)));
    expect(await endOf(run)).toMatchObject({ signal: "SIGKILL" });
    expect(inRepo(stage)).toMatchObject({ worktrees: 2, branches: expect.arrayContaining([expect.stringMatching(/T-1$/)]) });
    expect((await stage.events(batch)).code).toBe(0);
    expect(inRepo(stage)).toEqual({ branches: ["main"], worktrees: 1 });
  });

  test("in the middle of a judgement: no litter stays in the run's folder", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(HONEST);
    const batch = stage.batch(["T-1"]);
    const act = `if (values[3] === "oracle-judged") process.kill(process.pid, "SIGKILL");`;
    expect(await endOf(stage.start([batch, "--json"], hook(stage, before("INSERT INTO journal", act))))).toMatchObject({
      signal: "SIGKILL",
    });
    const [run = ""] = readdirSync(stage.path("home", "runs"));
    mkdirSync(stage.path("home", "runs", run, "oracle", "oracle-left"), { recursive: true });
    expect((await stage.events(batch)).code).toBe(0);
    const kept = ["bundle", "bundle.json", "bundle.md", "evidence.json", "harness", "oracle.cjs", "tickets", "tracker.json"];
    expect(readdirSync(stage.path("home", "runs", run)).toSorted()).toEqual(kept);
  });

  test("nobody calls a run that no engine works on a running one", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`say("READY"); await wait(600_000);`);
    const run = stage.start([stage.batch(["T-1"]), "--json"]);
    await run.until(/"text":"READY"/);
    for (const verb of [["status"], ["report"], ["report", "--md"]])
      expect((await stage.run(verb)).stdout).toContain("● RUNNING");
    run.child.kill("SIGKILL");
    await run.ended;
    for (const verb of [["status"], ["report"], ["report", "--md"], ["attach"]]) {
      const { stdout } = await stage.run(verb);
      expect({ verb, stdout }).toEqual({ verb, stdout: expect.stringContaining("‖ UNFINISHED") });
      expect(stdout).not.toContain("RUNNING");
    }
  });
});

describe("what an agent leaves", () => {
  /** Folders so deep that no path reaches the last. */
  const TOO_DEEP = `const deep = "d".repeat(200); for (let i = 0; i < 30; i++) { fs.mkdirSync(deep); process.chdir(deep); }`;

  test("a folder deeper than a path can be long is removed like any other", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`${HONEST} ${TOO_DEEP}`);
    const run = stage.start([stage.batch(["T-1"]), "--json"]);
    const { code, stderr } = await endOf(run);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(globSync("worktrees/*/*", { cwd: stage.home })).toEqual([]);
    expect(await stage.report()).toMatchObject({ verdict: "done" });
  });

  test("nor does it keep a run from going on after a kill", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`if (attempt === 1) { ${TOO_DEEP} say("READY"); await wait(600_000); } ${HONEST}`);
    const batch = stage.batch(["T-1"]);
    const run = stage.start([batch, "--json"]);
    await run.until(/"text":"READY"/);
    run.child.kill("SIGKILL");
    await run.ended;
    expect(await endOf(stage.start([batch, "--json"]))).toMatchObject({ code: 0 });
    expect(stage.landed()).toEqual(["T-1"]);
  });

  test("a line break in a file's name does not hide it from the protected paths", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`fs.mkdirSync("test"); fs.writeFileSync("test/a\\nb.txt", "mine");`);
    const { code, events } = await stage.events(stage.batch(["T-1"], { protect: ["test/**"] }));
    expect(code).toBe(1);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "step-ended", ok: false, summary: expect.stringContaining("protected path") }),
    );
    expect(stage.landed()).toEqual([]);
  });
});

test("a state folder that no oracle can be given is refused, and no run is begun", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(HONEST);
  const env = { LOOPDASH_HOME: stage.path("ho*me") };
  const { code, stderr, stdout } = await endOf(stage.start([stage.batch(["T-1"]), "--json"], env));
  expect({ code, stderr, stdout }).toEqual({ code: 2, stderr: expect.stringContaining("it holds a '*'"), stdout: "" });
  expect(JSON.parse((await stage.run(["runs", "--json"], env)).stdout)).toEqual([]);
  expect(readFileSync(stage.path("app", ".git", "HEAD"), "utf8")).toBe("ref: refs/heads/main\n");
});
