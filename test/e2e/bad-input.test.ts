import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { HONEST, PROGRAM, Stage } from "./stage.ts";

const node = process.execPath;

/** A stage where everything is right, for one thing to be made wrong. */
function goodStage(): Stage {
  const stage = new Stage();
  stage.repo("app");
  stage.agent(`fs.writeFileSync("${stage.path("AGENT-RAN")}", "");`);
  return stage;
}

/** Runs, and asserts what every refusal has in common: its code, no stack trace, three parts, and nothing started. */
async function refused(stage: Stage, args: readonly string[], code: number, env: Record<string, string> = {}): Promise<string> {
  const ended = await stage.run([...args, "--headless"], env);
  expect(ended).toMatchObject({ code });
  expect(ended.stderr).toMatch(/^loopdash: .+\n {2}why: .+\n(?: {7}.+\n)*? {2}do: {2}.+\n$/);
  expect(ended.stderr).not.toMatch(/\n\s+at .+:\d+/);
  expect(existsSync(stage.path("AGENT-RAN"))).toBe(false);
  if (existsSync(stage.path("app/.git"))) expect(stage.git("app", "branch", "--list", "loopdash/*")).toBe("");
  expect(existsSync(stage.path("home/runs")) ? readdirSync(stage.path("home/runs")) : []).toEqual([]);
  return ended.stderr;
}

test("loopdash alone says the next step for this folder, and starts nothing", async () => {
  using stage = goodStage();
  const without = await stage.run([]);
  expect(without).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/no batch\.json\.\n\n {2}loopdash init {2,}ask/),
    stderr: "",
  });
  stage.batch(["T-1"]);
  const { code, stdout } = await stage.run([]);
  expect({ code, lines: stdout.split("\n").length }).toEqual({ code: 0, lines: 8 });
  expect(stdout).toMatch(/a batch\.json\.\n\n {2}loopdash batch\.json {2,}start it, or resume/);
  expect(existsSync(stage.path("home"))).toBe(false);
});

describe("the batch file (exit 2)", () => {
  test.each([
    ["missing", undefined, /there is no such file\n.*write one: loopdash init/],
    ["empty", "", /batch\.json:1:1/],
    ["not JSON", '{ "name": ', /batch\.json:1:\d+/],
    ["an array", "[]", /batch\.json:1:1/],
  ])("%s", async (_, text, says) => {
    using stage = goodStage();
    if (text !== undefined) stage.write("batch.json", text);
    expect(await refused(stage, ["batch.json"], 2)).toMatch(says);
  });

  test.each([
    ["a wrong type", { limits: { workers: "four" } }, /batch\.json:\d+:\d+.*limits\.workers/],
    ["an unknown key", { trakcer: { kind: "local" } }, /trakcer.*tracker/],
    ["an unknown tracker", { tracker: { kind: "jira" } }, /jira.*local/s],
    ["an unknown agent", { agent: { kind: "clyde", command: ["x"] } }, /clyde.*command/s],
    ["a step that this version has not", { finish: [{ step: "review" }, { step: "merge" }] }, /review/],
    ["a missing tracker folder", { tracker: { kind: "local", path: "nowhere" } }, /nowhere/],
  ])("%s", async (_, over, says) => {
    using stage = goodStage();
    expect(await refused(stage, [stage.batch(["T-1"], over)], 2)).toMatch(says);
  });

  test.each([
    ["no tickets", [], /ticket/],
    ["a duplicate id", ["T-1", "T-1"], /T-1/],
    ["an unknown dependency", [{ id: "T-1", dependsOn: ["T-9"] }, "T-8"], /T-9.*T-8/s],
    [
      "a cycle",
      [
        { id: "T-1", dependsOn: ["T-2"] },
        { id: "T-2", dependsOn: ["T-1"] },
      ],
      /T-1 → T-2 → T-1|T-2 → T-1 → T-2/,
    ],
    ["an id unfit for a branch", ["../../etc"], /branch/],
    ["an id that would be an option", ["--upload-pack=x"], /branch/],
  ])("%s", async (_, tickets, says) => {
    using stage = goodStage();
    expect(await refused(stage, [stage.batch(tickets)], 2)).toMatch(says);
  });

  test("a folder in its place, and a file that may not be read", async () => {
    using stage = goodStage();
    mkdirSync(stage.path("batch.json"));
    expect(await refused(stage, ["batch.json"], 2)).toContain("it is a folder");
  });
});

describe("the command line (exit 2)", () => {
  test.each([
    [["batch.json", "--worker", "3"], /--workers/],
    [["batch.json", "--workers", "none"], /1 to 64/],
    [["stauts"], /status/],
    [["batch.json", "other.json"], /one too many/],
  ])("%j", async (args, says) => {
    using stage = goodStage();
    stage.batch(["T-1"]);
    const { code, stderr } = await stage.run(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
    expect(existsSync(stage.home)).toBe(false);
  });

  test("a run that does not exist", async () => {
    using stage = goodStage();
    expect(await stage.run(["report", "nothing"])).toMatchObject({ code: 2 });
  });
});

describe("the world around it (exit 4)", () => {
  test("a repository that is not there, or not git", async () => {
    using stage = goodStage();
    stage.write("plain/file", "x");
    expect(await refused(stage, [stage.batch(["T-1"], { repos: { app: { path: "nowhere" } } })], 4)).toContain("nowhere");
    expect(await refused(stage, [stage.batch(["T-1"], { repos: { app: { path: "plain" } } })], 4)).toContain("plain");
  });

  test("a base branch that is not there", async () => {
    using stage = goodStage();
    expect(await refused(stage, [stage.batch(["T-1"], { repos: { app: { path: "app", base: "trunk" } } })], 4)).toContain(
      "trunk",
    );
  });

  test("a dirty checkout of the base", async () => {
    using stage = goodStage();
    stage.write("app/README.md", "changed");
    expect(await refused(stage, [stage.batch(["T-1"])], 4)).toMatch(/uncommitted/);
  });

  test("a detached base", async () => {
    using stage = goodStage();
    stage.git("app", "checkout", "-q", "--detach");
    expect(await refused(stage, [stage.batch(["T-1"])], 4)).toMatch(/detached/);
  });

  test("an agent program that is not found", async () => {
    using stage = goodStage();
    expect(await refused(stage, [stage.batch(["T-1"], { agent: { kind: "command", command: ["no-such-agent"] } })], 4)).toContain(
      "no-such-agent",
    );
  });

  test.each([
    ["read", "nowhere", /sandboxPolicy\.read names .*\/nowhere, which does not exist/],
    ["write", "~/.npm", /sandboxPolicy\.write names .*\/~\/\.npm[^]*"~" is not expanded/],
  ])("a path of sandboxPolicy.%s that is not there", async (key, path, says) => {
    using stage = goodStage();
    expect(await refused(stage, [stage.batch(["T-1"], { sandbox: "auto", sandboxPolicy: { [key]: [path] } })], 4)).toMatch(says);
  });

  test("a sandbox that is required and not there: refused, never run without", async () => {
    using stage = goodStage();
    // A PATH with git and without bubblewrap.
    mkdirSync(stage.path("bin"));
    symlinkSync(execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim(), stage.path("bin/git"));
    const without = { PATH: stage.path("bin") };
    for (const sandbox of ["required", undefined]) {
      const said = await refused(stage, [stage.batch(["T-1"], { sandbox })], 4, without);
      expect(said).toMatch(/requires a sandbox[^]*sudo apt install bubblewrap/);
    }
  });

  test("a state folder that cannot be written", async () => {
    using stage = goodStage();
    stage.write("occupied", "a file");
    expect(await refused(stage, [stage.batch(["T-1"])], 4, { LOOPDASH_HOME: stage.path("occupied", "home") })).toContain(
      "occupied",
    );
  });

  test("one branch under two names: a change would land by one while the other is broken", async () => {
    using stage = goodStage();
    stage.git("app", "worktree", "add", "-q", "-b", "other", stage.path("second"));
    const tickets = [
      { id: "T-1", repo: "a" },
      { id: "T-2", repo: "b" },
    ];
    for (const path of ["app", "second"]) {
      const repos = { a: { path: "app" }, b: { path } };
      expect(await refused(stage, [stage.batch(tickets, { repos })], 4)).toContain('the repositories "a" and "b" are the same');
    }
    const repos = { a: { path: "app" }, b: { path: "app", base: "other" } };
    expect(await stage.run([stage.batch(tickets, { repos }), "--dry-run"])).toMatchObject({ code: 0 });
  });

  test("tickets or loopdash's state in a repository, where an agent's change could bring its own", async () => {
    using stage = goodStage();
    stage.write("app/tickets/T-1.md", "# Do it\n");
    symlinkSync("app/tickets", stage.path("linked"));
    for (const path of ["app/tickets", "linked"]) {
      const stderr = await refused(stage, [stage.batch([], { tracker: { kind: "local", path } })], 4);
      expect(stderr).toContain('lies in the repository "app", where changes land that agents wrote');
    }
    const home = { LOOPDASH_HOME: stage.path("app", "state") };
    expect(await refused(stage, [stage.batch(["T-1"])], 4, home)).toContain("loopdash's state cannot be in a repository");
  });
});

test("a ticket that the tracker can read and the oracle cannot: refused at the start (exit 3), not found out at the end", async () => {
  using stage = goodStage();
  stage.write("tickets/T-1.md", "---\ntitle: First\nlinks: &a\n  - [x, {y: *a}]\n---\nbody\n");
  const { code, stderr } = await stage.run([stage.batch([], { tracker: { kind: "local", path: "tickets" } }), "--headless"]);
  expect(stderr).toMatch(/the oracle cannot judge this tracker\n {2}why: .*T-1/);
  expect(code).toBe(3);
  expect(existsSync(stage.path("AGENT-RAN"))).toBe(false);
});

describe("standard output", () => {
  const run = (stage: Stage, line: string) =>
    spawnSync("/bin/sh", ["-c", line, "sh", node, PROGRAM, stage.batch(["T-1"])], {
      cwd: stage.root,
      env: stage.env,
      encoding: "utf8",
    });

  test("closed before the start: refused, nothing started", () => {
    using stage = goodStage();
    const { status, stderr } = run(stage, '"$@" --headless >&-');
    expect(status).toBe(2);
    expect(stderr).toContain("nothing can be written to standard output");
    expect(existsSync(stage.path("AGENT-RAN"))).toBe(false);
  });

  test("a reader that is gone before the first line: refused, nothing started", () => {
    using stage = goodStage();
    // A fifo that has had a reader and has none now: the first write meets EPIPE.
    const { stderr } = run(stage, 'mkfifo pipe; exec 3<>pipe 4>pipe 3>&-; "$@" --headless >&4; echo "code $?" >&2');
    expect(stderr).toContain("code 2");
    expect(existsSync(stage.path("AGENT-RAN"))).toBe(false);
  });

  test("a reader that leaves in the middle does not hurt the run", async () => {
    using stage = goodStage();
    stage.agent(`await wait(200); ${HONEST}`);
    const { stderr } = run(stage, `{ "$@" --headless; echo "code $?" >&2; } | head -n 2`);
    expect(stderr).toContain("code 0");
    expect(stage.landed()).toEqual(["T-1"]);
  });

  test("/dev/null is a fine place", () => {
    using stage = goodStage();
    stage.agent(HONEST);
    expect(run(stage, '"$@" --headless >/dev/null').status).toBe(0);
  });
});

test("--dry-run prints the plan and the ready set, starts nothing and writes nothing", async () => {
  using stage = goodStage();
  const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }]);
  const { code, stdout } = await stage.run([batch, "--dry-run"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/ready at once \(1\)\n {2}T-1 .*\n\nlayer 2 \(1\)\n {2}T-2 .*after T-1/);
  expect(existsSync(stage.home)).toBe(false);
  expect(existsSync(stage.path("AGENT-RAN"))).toBe(false);
});
