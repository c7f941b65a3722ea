import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { eventsOf, HONEST, Stage } from "./stage.ts";

/** What an agent has done when it is cut off: one commit, and one file that is in no commit. */
const HALF = `
  fs.writeFileSync("first.txt", "first\\n");
  sh("git", "add", "-A");
  sh("git", "-c", "user.name=a", "-c", "user.email=a@a", "commit", "-q", "-m", "first");
  fs.writeFileSync("half.txt", "attempt " + attempt + "\\n");
  say("HALF");
  await wait(600_000);`;

/** A batch whose first attempt is half done and goes on until it is cut off. */
function halfDone(over: Record<string, unknown>): { readonly stage: Stage; readonly batch: string } {
  const stage = new Stage();
  stage.repo("app");
  stage.agent(`if (attempt === 1) { ${HALF} } ${HONEST}`);
  return { stage, batch: stage.batch(["T-1"], over) };
}

/** The one branch with kept work, with what it must hold. */
async function keptBranchOf(stage: Stage, run?: string): Promise<string> {
  const report = await stage.report(run);
  const [kept] = report.tickets[0]?.keptWork ?? [];
  if (kept === undefined) throw new Error("the report names no kept work");
  expect(kept).toEqual({ attempt: 1, branch: `loopdash/${report.run}/T-1@1`, sha: expect.any(String), files: 2 });
  expect(stage.git("app", "rev-parse", kept.branch)).toBe(kept.sha);
  expect(stage.git("app", "show", `${kept.branch}:half.txt`)).toBe("attempt 1");
  expect(stage.git("app", "show", `${kept.branch}:first.txt`)).toBe("first");
  for (const format of [[], ["--md"], ["--html"]]) {
    const { stdout } = await stage.run(["report", report.run, ...format]);
    expect(stdout.replaceAll("\\", "")).toContain(`attempt 1: work kept on ${kept.branch} (2 files)`);
  }
  return kept.branch;
}

describe("an agent that is cut off in the middle of its work", { timeout: 300_000 }, () => {
  test.for(["off", "required"])(
    "Ctrl-C, sandbox %s: what it left is on a branch that the next attempt leaves alone",
    async (sandbox) => {
      const { stage, batch } = halfDone({ sandbox });
      using _ = stage;
      const run = stage.start([batch, "--json"]);
      await run.until(/"text":"HALF"/);
      run.child.kill("SIGINT");
      const { code, stdout } = await run.ended;
      expect(code).toBe(130);
      const branch = await keptBranchOf(stage);
      expect(eventsOf(stdout).filter(({ type }) => type === "work-kept")).toMatchObject([{ ticket: "T-1", branch }]);
      expect((await stage.events(batch)).code).toBe(0);
      expect(await keptBranchOf(stage)).toBe(branch);
      expect(stage.landed()).toEqual(["T-1"]);
      expect(stage.git("app", "fsck", "--strict", "--no-dangling")).toBe("");
    },
  );

  test("kill -9 of the engine: the next one keeps it before it removes the worktree", async () => {
    const { stage, batch } = halfDone({});
    using _ = stage;
    const run = stage.start([batch, "--json"]);
    await run.until(/"text":"HALF"/);
    run.child.kill("SIGKILL");
    await run.ended;
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    expect(events.map(({ type }) => type).filter((type) => type === "work-kept")).toHaveLength(1);
    await keptBranchOf(stage);
  });

  test("kill -9 of the engine, and then --fresh: the run that is given up names it", async () => {
    const { stage, batch } = halfDone({});
    using _ = stage;
    const run = stage.start([batch, "--json"]);
    await run.until(/"text":"HALF"/);
    run.child.kill("SIGKILL");
    await run.ended;
    const [first] = JSON.parse((await stage.run(["runs", "--json"])).stdout) as { run: string }[];
    const again = stage.start([batch, "--json", "--fresh"]);
    await again.until(/"text":"HALF"/);
    await keptBranchOf(stage, first?.run);
    again.child.kill("SIGINT");
    await again.ended;
  });

  test("a worktree that cannot be captured is told, and the run continues", async () => {
    const { stage, batch } = halfDone({ limits: { silenceMinutes: 0.05 } });
    using _ = stage;
    stage.agent(
      `if (attempt === 1) { fs.writeFileSync("half.txt", "half\\n"); sh("mkfifo", "src.pipe"); fs.mkdirSync("src"); sh("mkfifo", "src/.gitignore"); say("HALF"); await wait(600_000); } ${HONEST}`,
    );
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    expect(events.filter(({ type }) => type === "work-not-kept")).toMatchObject([{ ticket: "T-1" }]);
    expect((await stage.report()).tickets).toMatchObject([{ state: "done", keptWork: [], lostWork: [{ attempt: 1 }] }]);
    expect(execFileSync("git", ["-C", stage.path("app"), "branch", "--list", "loopdash/*"], { encoding: "utf8" })).toBe("");
  });
});
