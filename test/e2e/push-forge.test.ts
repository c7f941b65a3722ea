import { existsSync, renameSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { HONEST, PROGRAM, Stage } from "./stage.ts";

/** A colleague's clone, from which people push. */
const OTHER = "other";
const ORIGIN = "origin.git";
const FORGE = { repos: { app: { path: "app", forge: { kind: "push" } } } };

/** A clone `app` of a bare repository, and a colleague's clone of it. */
function cloned(stage: Stage): void {
  stage.repo("app");
  stage.git(".", "clone", "-q", "--bare", "app", ORIGIN);
  stage.git("app", "remote", "add", "origin", stage.path(ORIGIN));
  stage.git(".", "clone", "-q", ORIGIN, OTHER);
}

/** Tickets that have landed at the remote, in their order. */
const landedThere = (stage: Stage): string[] => stage.landed(ORIGIN);

/** A hook of the remote: a shell script that git runs on a push, with the ref, the old and the new commit. */
function hook(stage: Stage, name: "update" | "pre-receive" | "post-receive", script: string): void {
  writeFileSync(stage.path(ORIGIN, "hooks", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** A colleague pushes a commit with this file. */
function pushByOther(stage: Stage, file: string): void {
  stage.git(OTHER, "pull", "-q", "--ff-only");
  stage.write(`${OTHER}/${file}`, "theirs\n");
  stage.git(OTHER, "add", "-A");
  stage.git(OTHER, "commit", "-q", "-m", `theirs: ${file}`);
  stage.git(OTHER, "push", "-q", "origin", "HEAD:main");
}

describe("a repository whose changes land at a remote", { timeout: 300_000 }, () => {
  test("has them there and here, one commit a ticket, in the order of their dependencies", async () => {
    using stage = new Stage(PROGRAM);
    cloned(stage);
    stage.agent(HONEST);
    const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }, "T-3"], FORGE);
    const plan = await stage.run([batch, "--dry-run"]);
    expect(plan.stdout, plan.stderr).toContain(`app lands on main here and at origin (${stage.path(ORIGIN)})`);
    const { code, stdout, stderr } = await stage.events(batch);
    expect(code, `${stdout.slice(-3_000)}${stderr}`).toBe(0);
    expect(landedThere(stage).toSorted()).toEqual(["T-1", "T-2", "T-3"]);
    expect(stage.git("app", "rev-parse", "main")).toBe(stage.git(ORIGIN, "rev-parse", "main"));
    expect(stage.git("app", "status", "--porcelain")).toBe("");
    expect(stage.git(ORIGIN, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });

  test("gets what colleagues push meanwhile, and loses none of it", async () => {
    using stage = new Stage(PROGRAM);
    cloned(stage);
    stage.agent(`fs.writeFileSync("${stage.path("started")}", ""); say("READY");
      while (!fs.existsSync("${stage.path("go")}")) await wait(20); ${HONEST}`);
    const run = stage.start([stage.batch(["T-1"], FORGE), "--json"]);
    await run.until(/"text":"READY"/);
    pushByOther(stage, "theirs.txt");
    stage.write("go", "");
    const { code, stdout } = await run.ended;
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(stage.git(ORIGIN, "log", "--format=%s", "main").split("\n")).toEqual(["Do T-1 (T-1)", "theirs: theirs.txt", "start"]);
    expect(stage.git("app", "rev-parse", "main")).toBe(stage.git(ORIGIN, "rev-parse", "main"));
  });

  test.each(["update", "post-receive"] as const)("kill -9 during a push (%s): the landing is completed once", async (moment) => {
    using stage = new Stage(PROGRAM);
    cloned(stage);
    stage.agent(HONEST);
    // The remote holds the push open until the test lets it go: before its branch has moved, or after.
    hook(stage, moment, `touch ${stage.path("pushing")}; while [ ! -e ${stage.path("go")} ]; do sleep 0.05; done`);
    const batch = stage.batch(["T-1"], FORGE);
    const run = stage.start([batch, "--json"]);
    await run.until(/"type":"merge-intended"/);
    await until(() => existsSync(stage.path("pushing")));
    run.child.kill("SIGKILL");
    await run.ended;
    stage.write("go", "");
    const { code, stdout, stderr } = await stage.events(batch);
    expect(code, `${stdout.slice(-3_000)}${stderr}`).toBe(0);
    expect(landedThere(stage)).toEqual(["T-1"]);
    expect(stage.landed()).toEqual(["T-1"]);
  });

  test.each([["--dry-run"], ["doctor"]])("a look at it moves no branch: %s", async (how) => {
    using stage = new Stage(PROGRAM);
    cloned(stage);
    stage.agent(HONEST);
    const before = stage.git("app", "rev-parse", "main");
    pushByOther(stage, "theirs.txt");
    const batch = stage.batch(["T-1"], FORGE);
    const { stdout } = await stage.run(how === "doctor" ? [how, batch] : [batch, how]);
    expect(stdout).toContain(`origin (${stage.path(ORIGIN)})`);
    expect(stage.git("app", "rev-parse", "main")).toBe(before);
  });

  test("does not end as done if the remote moves its branch back after a landing", async () => {
    using stage = new Stage(PROGRAM);
    cloned(stage);
    stage.agent(HONEST);
    hook(stage, "post-receive", 'while read old new ref; do git update-ref "$ref" "$old"; done');
    const { code, stdout } = await stage.events(stage.batch(["T-1"], { ...FORGE, limits: { attempts: 1 } }));
    expect(landedThere(stage)).toEqual([]);
    expect(code, stdout.slice(-3_000)).not.toBe(0);
    expect(stdout).toContain("no longer at its remote");
  });

  test("waits while the remote refuses a push, with the remote's words on the screen", async () => {
    using stage = new Stage(PROGRAM);
    cloned(stage);
    stage.agent(HONEST);
    hook(
      stage,
      "update",
      `[ -e ${stage.path("allowed")} ] || { echo "error: GH006: Protected branch update failed" >&2; exit 1; }`,
    );
    const run = stage.start([stage.batch(["T-1"], FORGE), "--json"]);
    await run.until(/"type":"merge-waiting","reason":"origin \([^"]*\) refuses the push: hook declined; GH006/);
    expect(landedThere(stage)).toEqual([]);
    stage.write("allowed", "");
    const { code, stdout } = await run.ended;
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(landedThere(stage)).toEqual(["T-1"]);
  });

  test.each([
    "You are not allowed to push to main",
    "x\\nfatal: The requested URL returned error: 403",
    "GH006: protected branch",
  ])("leaves no ticket to a person by the name of a file that a hook refuses and prints: %s", async (name) => {
    using stage = new Stage(PROGRAM);
    cloned(stage);
    stage.agent(`${HONEST} fs.writeFileSync("${name}.big", "x");`);
    hook(
      stage,
      "pre-receive",
      `while read old new ref; do git ls-tree -rz --name-only $new | tr '\\0' '\\n' | grep -B1 'big$' >&2 && exit 1; done; exit 0`,
    );
    const { code, stdout } = await stage.events(stage.batch(["T-1"], { ...FORGE, limits: { attempts: 1, heals: 0 } }));
    expect(code, stdout.slice(-3_000)).toBe(1);
    expect((await stage.report()).tickets).toMatchObject([{ id: "T-1", state: "open" }]);
    expect(stdout).not.toContain('"type":"landing-gated"');
    expect(stage.git(ORIGIN, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });

  test("leaves a ticket to a person if the branch takes no push, whatever its hook says", async () => {
    using stage = new Stage(PROGRAM);
    cloned(stage);
    stage.agent(HONEST);
    hook(stage, "update", 'case "$1" in refs/heads/main) echo "nobody pushes here" >&2; exit 1;; esac');
    const { code, stdout } = await stage.events(stage.batch(["T-1"], { ...FORGE, limits: { attempts: 1 } }));
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect((await stage.report()).tickets).toMatchObject([{ id: "T-1", state: "human-gated" }]);
    expect(stdout).toContain("nobody pushes here");
  });

  test("waits out a remote that is away, which costs no attempt", async () => {
    using stage = new Stage(PROGRAM);
    cloned(stage);
    stage.agent(`say("READY"); while (!fs.existsSync("${stage.path("go")}")) await wait(20); ${HONEST}`);
    const run = stage.start([stage.batch(["T-1"], { ...FORGE, limits: { attempts: 1, outageMinutes: 3 } }), "--json"]);
    await run.until(/"text":"READY"/);
    renameSync(stage.path(ORIGIN), stage.path("away"));
    stage.write("go", "");
    await run.until(/"type":"outage-started"[^\n]*cannot be reached/);
    renameSync(stage.path("away"), stage.path(ORIGIN));
    const { code, stdout } = await run.ended;
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect((await stage.report()).tickets).toMatchObject([{ id: "T-1", state: "done", attempts: 1 }]);
    expect(landedThere(stage)).toEqual(["T-1"]);
  });

  test("an agent cannot push, whatever it finds of the remote", async () => {
    using stage = new Stage(PROGRAM);
    cloned(stage);
    stage.agent(`try { sh("git", "push", "${stage.path(ORIGIN)}", "HEAD:refs/heads/stolen"); say("PUSHED"); }
      catch (error) { say("REFUSED"); } ${HONEST}`);
    const { code, stdout } = await stage.events(stage.batch(["T-1"], { ...FORGE, sandbox: "required" }));
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(stdout).toContain("REFUSED");
    expect(stage.git(ORIGIN, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });

  test.each([
    [
      "no remote of this name",
      (stage: Stage) => stage.git("app", "remote", "remove", "origin"),
      /no remote of this name.*git remote -v/s,
    ],
    ["a remote that is away", (stage: Stage) => renameSync(stage.path(ORIGIN), stage.path("away")), /cannot be reached/],
    [
      "commits that the remote lacks",
      (stage: Stage) => stage.git("app", "commit", "-q", "--allow-empty", "-m", "mine"),
      /has a commit that origin \(.*\) lacks: push them, or take them back/,
    ],
  ])("refuses the start with one clear error: %s", async (_what, spoil, message) => {
    using stage = new Stage(PROGRAM);
    cloned(stage);
    stage.agent(HONEST);
    spoil(stage);
    const { code, stdout, stderr } = await stage.run([stage.batch(["T-1"], FORGE)]);
    expect(code).toBe(4);
    expect(stderr).toMatch(message);
    expect(stdout).toBe("");
  });
});

/** Looks until it holds; the test's own limit ends it otherwise. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((settle) => setTimeout(settle, 20));
}
