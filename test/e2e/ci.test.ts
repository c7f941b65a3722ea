import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CiResult } from "../../src/domain/ci/ci-result.ts";
import type { SeedJob } from "../stand-ins/github/forge/model.ts";
import { BRANCH, chanceIn, REPO, staged, TOKEN } from "./ci-stage.ts";
import { terminals } from "./pty.ts";

const open = terminals();
describe("loopdash ci", { timeout: 300_000 }, () => {
  test("repairs a red format by the repository's own script, without an agent, as one commit on top", async () => {
    const { stage, standIn, pushed, result, there } = await staged({ change: { "text.txt": "a  \nb\n" } });
    const { code, stopReason, iterations, headSha, links, costUsd, stderr } = await result();
    expect({ code, stopReason }, stderr).toEqual({ code: 0, stopReason: "green" });
    expect(iterations).toMatchObject([
      { number: 0, failedChecks: ["style"], commit: null },
      { number: 1, failedChecks: [], changedFiles: 1, fixers: ["npm run format"], commit: headSha },
    ]);
    expect([costUsd, links.pullRequest]).toEqual([0, expect.stringMatching(/\/pull\/1$/)]);
    expect(await there("rev-list", `${pushed}..FETCH_HEAD`)).toBe(headSha);
    expect(stage.git("app", "rev-parse", BRANCH)).toBe(headSha);
    expect(stage.git("app", "status", "--porcelain")).toBe("");
    expect(stage.everything()).not.toContain("agent-launching");
    expect(stage.everything()).not.toContain(TOKEN);
    expect(standIn.mistakes).toEqual([]);
  });

  test("gives a red test to an agent with what its log says, and is green by its commit", async () => {
    const { result, there, stage } = await staged({ change: { "answer.txt": "41\n" } });
    const { code, stopReason, iterations, stderr, run } = await result();
    expect({ code, stopReason }, stderr).toEqual({ code: 0, stopReason: "green" });
    expect(stage.everything()).toContain("TOLD true");
    expect(stderr).not.toContain("no check runs");
    expect(iterations).toMatchObject([{ failedChecks: ["test"] }, { fixers: [], changedFiles: 1, failedChecks: [] }]);
    expect(iterations[0]?.signature).toMatch(/^[0-9a-f]{8,}/);
    expect(await there("show", "FETCH_HEAD:answer.txt")).toBe("42");
    const triage = join(stage.home, "runs", run, "tickets/CI-1/attempt-1/triage.json");
    expect(JSON.parse(readFileSync(triage, "utf8"))).toMatchObject({ check: "test", counters: { tests_failed: 1 } });
  });

  test("ends at once if the branch is green, and counts the checks of one workflow alone if it is told so", async () => {
    const { stage, env, pushed, there } = await staged({ change: { "answer.txt": "41\n" } });
    // Without a batch file, everything is found as `init` finds it.
    const found = ["--agent", `${process.execPath} ${stage.path("agent.mjs")}`, "--workflow", "Style", "--json"];
    const { code, stdout, stderr } = await stage.run(["ci", BRANCH, "--repo", "app", ...found], env);
    const { stopReason, iterations, headSha } = JSON.parse(stdout) as CiResult;
    expect({ code, stopReason, headSha }, stderr).toEqual({ code: 0, stopReason: "green", headSha: pushed });
    expect(iterations).toMatchObject([{ number: 0, commit: null }]);
    expect(await there("rev-parse", "FETCH_HEAD")).toBe(pushed);
  });

  test("report-only and --dry-run push nothing: the exit code says red, the plan what would be done", async () => {
    const { stage, ci, result, pushed, there } = await staged({ change: { "text.txt": "a  \n", "answer.txt": "41\n" } });
    const plan = await ci("1", "--dry-run");
    expect(plan.code, plan.stderr).toBe(0);
    for (const part of ["failed   style", "failed   test", "npm run format", "expected 42, got 41", "nothing was changed"])
      expect(plan.stdout).toContain(part);
    const { code, stopReason, suggestions, stderr } = await result("--fix-mode", "report-only");
    expect({ code, stopReason }, stderr).toEqual({ code: 1, stopReason: "no_change" });
    // All that tells of the run names the reason.
    expect(stderr).toContain("no_change; 1 of 1 ticket is open");
    expect((await stage.report()).ci).toEqual({ stopReason: "no_change" });
    expect(suggestions.join("\n")).toMatch(/Read .*triage\.md/);
    expect(await there("rev-parse", "FETCH_HEAD")).toBe(pushed);
  });

  test("starts lost machines again once, and then stops", async () => {
    const lost: SeedJob = { name: "test", command: ["true"], infrastructure: { how: "runner lost", attempts: 9 } };
    const { result, standIn } = await staged({ jobs: [lost] });
    const { code, stopReason, stderr } = await result();
    expect({ code, stopReason }, stderr).toEqual({ code: 1, stopReason: "infrastructure" });
    expect(standIn.state.repos[0]?.forge?.ciJobs.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  test("stops if nothing fails but tests that fail by chance, also when they are started again", async () => {
    const counts = mkdtempSync(join(tmpdir(), "loopdash-e2e-runs-"));
    onTestFinished(() => rmSync(counts, { recursive: true }));
    const { stage, standIn, pushed, result, there } = await staged({ jobs: [chanceIn(counts)] });
    await standIn.forge.untilChecked(REPO, pushed);
    await standIn.forge.person("ann").rerunFailed(REPO, pushed);
    await standIn.forge.untilChecked(REPO, pushed, 2);
    await standIn.forge.person("ann").rerunAll(REPO, pushed);
    await standIn.forge.untilChecked(REPO, pushed, 3);
    const { code, stopReason, iterations, suggestions, stderr, run } = await result();
    expect({ code, stopReason }, stderr).toEqual({ code: 1, stopReason: "flaky" });
    // The fourth run is the only one that the loop has started, and no agent has worked.
    expect(standIn.state.repos[0]?.forge?.ciJobs.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
    expect(iterations).toMatchObject([{ number: 0, commit: null, failedChecks: ["chance"] }]);
    expect(stderr).toContain("re-run once: chance; flaky");
    expect(suggestions.join("\n")).toContain("Only tests that have both passed and failed");
    expect(stage.everything()).not.toContain("agent-launching");
    expect((await stage.report(run)).ci).toEqual({ stopReason: "flaky" });
    expect(await there("rev-parse", "FETCH_HEAD")).toBe(pushed);
    expect(standIn.mistakes).toEqual([]);
  });

  test("goes on after kill -9 with the same loop, and pushes nothing twice", async () => {
    const { stage, batch, env, ci, result, pushed, there } = await staged({
      change: { "answer.txt": "41\n" },
      agent: `fs.writeFileSync("answer.txt", attempt === 2 ? "40\\n" : "42\\n");`,
    });
    const first = stage.start(["ci", BRANCH, "--repo", "app", "--batch", batch, "--headless"], env);
    await first.until(/pushed [0-9a-f]{7}: 1 file/);
    first.child.kill("SIGKILL");
    await first.ended;
    // Meanwhile the settings have changed, and a start that was cut off has left half a file.
    const settings = JSON.parse(readFileSync(batch, "utf8"));
    writeFileSync(batch, JSON.stringify({ ...settings, ...OTHER }));
    const loops = join(stage.home, "ci");
    const [loop = ""] = readdirSync(loops);
    writeFileSync(join(loops, loop, "0002.json"), '{"name": "ci fea');
    const plan = await ci(BRANCH, "--dry-run");
    const { code, stopReason, iterations, stderr } = await result("--max-iterations", "7");
    expect(stderr).toMatch(/as when it began: agent, commit/);
    expect(stderr).toMatch(/agent\.mjs, at most 7 iterations and 60 min; goes on with ci-feature-answer-/);
    expect(stderr).toContain("of --batch, the limits alone are used");
    expect(stderr).not.toContain("/bin/false");
    expect(plan.stdout).toMatch(/agent: .*agent\.mjs\n/);
    expect({ code, stopReason }, stderr).toEqual({ code: 0, stopReason: "green" });
    expect(stderr).toMatch(/goes on with ci-feature-answer-/);
    expect((await there("rev-list", `${pushed}..FETCH_HEAD`)).split("\n")).toHaveLength(2);
    expect(iterations.filter(({ commit }) => commit !== null)).toHaveLength(2);
  });
});

describe("loopdash ci --json that a signal ends early", { timeout: 300_000 }, () => {
  test.each([
    ["before anything is begun", 1],
    ["while the engine starts", 2],
  ] as const)("prints a document and exits with 130: %s", async (_when, nth) => {
    const { stage, standIn, batch, env } = await staged({ change: { "answer.txt": "41\n" } });
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    let seen = 0;
    standIn.fault = ({ method, path }) => {
      if (`${method} ${path}` !== `GET /repos/${REPO}`) return undefined;
      seen += 1;
      if (seen < nth) return undefined;
      resolve();
      return "hang";
    };
    const started = stage.start(["ci", BRANCH, "--repo", "app", "--batch", batch, "--json"], env);
    await asked;
    started.child.kill("SIGINT");
    const { code, stdout, stderr } = await started.ended;
    expect(code, stderr).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ error: { what: "loopdash ci was interrupted" }, exitCode: 130 });
  });
});

describe("loopdash ci on a terminal of 80×24", { timeout: 300_000 }, () => {
  test("shows the checks while they run, and says why it stopped and how to go on", async () => {
    const { stage, standIn, batch, env } = await staged({
      change: { "answer.txt": "41\n" },
      agent: 'fs.writeFileSync("answer.txt", "40\\n");',
    });
    // The checks run until the screen has shown them.
    const { promise, resolve: goOn } = Promise.withResolvers<void>();
    onTestFinished(() => goOn());
    standIn.forge.gate = ({ stage: moment }) => (moment === "finish" ? promise : undefined);
    const args = ["ci", BRANCH, "--repo", "app", "--batch", batch, "--max-iterations", "1"];
    const pty = open(stage, args, { env });
    // Some may have ended before.
    await pty.waitFor(/CI-1 [^\n]* a\d [^]*#1 · [^\n]*\d of 2 checks passed · waits for /);
    expect(pty.isWhole()).toBe(true);
    goOn();
    await pty.waitFor(/NOT DONE[^]*max_iterations/);
    await pty.waitFor(`loopdash ci ${BRANCH}`);
    expect(pty.isWhole()).toBe(true);
    pty.type("q");
    expect(await pty.exitCode()).toBe(1);
    const left = pty.main();
    for (const part of [/ci of feature\/answer: max_iterations/, /failed: test/, /next: +loopdash ci feature\/answer/])
      expect(left).toMatch(part);
    expect(standIn.mistakes).toEqual([]);
  });
});

describe("loopdash ci refuses", { timeout: 300_000 }, () => {
  test("what it must not push to, and work that is not pushed: one line each, and nothing is started", async () => {
    const { stage, standIn, ci, batch } = await staged();
    const refusals: [string, string, RegExp][] = [];
    const refuse = async (what: string, target: string, why: RegExp, env: Record<string, string> = {}) => {
      const given = { GITHUB_TOKEN: TOKEN, GITHUB_API_URL: standIn.enterpriseUrl, ...env };
      const { code, stderr } = await stage.run(["ci", target, "--repo", "app", "--batch", batch, "--headless"], given);
      refusals.push([what, stderr, why]);
      expect(code, `${what}: ${stderr}`).toBe(4);
      expect(stderr, what).toMatch(why);
      expect(stderr, what).toMatch(/do: {2}\S/);
    };
    await refuse("the default branch", "main", /main is the default branch/);
    const refused = await ci("main", "--json");
    expect(JSON.parse(refused.stdout)).toEqual({
      error: {
        what: "loopdash ci cannot start",
        why: expect.stringContaining("main is the default branch"),
        todo: expect.any(String),
      },
      exitCode: 4,
    });
    expect(refused.code).toBe(4);
    await refuse("a branch that is nowhere", "elsewhere", /has no branch elsewhere/);
    await refuse("no token", BRANCH, /GITHUB_TOKEN is not set/, { GITHUB_TOKEN: "" });
    await refuse("no such pull request", "#77", /has no pull request #77/);
    const unknown = await ci(BRANCH, "--workflow", "nosuch", "--dry-run");
    expect(unknown.code, unknown.stderr).toBe(4);
    expect(unknown.stderr).toMatch(/neither feature\/answer nor GitHub has a workflow nosuch/);
    expect(unknown.stderr).toMatch(/Name one of these: Style \(style\.yml\), Test \(test\.yml\)/);
    expect((await ci(BRANCH, "--workflow", "nosuch")).code).toBe(4);
    stage.write("app/text.txt", "changed\n");
    await refuse("a dirty tree", BRANCH, /uncommitted changes/);
    stage.git("app", "checkout", "-q", "--", "text.txt");
    stage.git("app", "commit", "-q", "--allow-empty", "-m", "not pushed");
    await refuse("a commit that is not pushed", BRANCH, /different commits/);
    stage.git("app", "reset", "-q", "--hard", `origin/${BRANCH}`);
    stage.git("app", "checkout", "-q", "--detach");
    await refuse("a detached head", BRANCH, /no branch is checked out/);
    stage.git("app", "checkout", "-q", BRANCH);
    await standIn.forge.person("ann").push(REPO, "kept", { "x.txt": "x" });
    const forge = standIn.state.repos[0]?.forge;
    if (forge === undefined) throw new Error("no forge");
    forge.protection["kept"] = { ...forge.protection["main"], ...PROTECTED };
    await refuse("a protected branch", "kept", /kept is a protected branch/);
    // Its branch has the name of one that is here.
    await standIn.forge.person("eve").openFromFork(REPO, BRANCH, { "x.txt": "by eve" });
    await refuse("a pull request from a fork", "2", /pull request #2 is from a fork/);
    await standIn.forge.person("ann").close(REPO, 1);
    await refuse("a closed pull request", "1", /pull request #1 is closed/);
    stage.git("app", "remote", "set-url", "origin", "/somewhere/else");
    await refuse("no remote at GitHub", BRANCH, /no repository of GitHub/);
    expect((await ci()).code).toBe(2);
    expect((await stage.run(["runs"])).stdout).not.toContain("ci-");
  });
});

/** Settings that a loop which goes on does not take over. */
const OTHER = { commit: { author: "Ann <ann@example.com>" }, agent: { kind: "command", command: ["/bin/false"] } };

const PROTECTED = {
  source: "classic",
  contexts: [],
  isStrict: false,
  approvals: 0,
  dismissesStale: false,
  resolvesThreads: false,
  hasLinearHistory: false,
  mergeQueue: null,
} as const;
