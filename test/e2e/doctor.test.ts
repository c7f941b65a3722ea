import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { patientAgent } from "./actors.ts";
import { Pty } from "./pty.ts";
import { HONEST, PROGRAM, Stage } from "./stage.ts";

interface Answer {
  readonly loopdash: string;
  readonly batch: string | null;
  readonly ok: boolean;
  readonly counts: Readonly<Record<"ok" | "warn" | "bad", number>>;
  readonly checks: readonly { check: string; status: string; found: string; fix: string | null }[];
}

/** A stage where everything is right, with a batch and a temporary folder of its own. */
function goodStage(): Stage {
  const stage = new Stage();
  mkdirSync(stage.path("tmp"));
  stage.repo("app");
  stage.agent(HONEST);
  stage.batch(["T-1", "T-2"]);
  return stage;
}

async function ask(stage: Stage, args: readonly string[] = [], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await stage.run(["doctor", ...args, "--json"], { TMPDIR: stage.path("tmp"), ...env });
  expect(stderr).toBe("");
  const answer = JSON.parse(stdout) as Answer;
  const of = (check: string) => answer.checks.filter((each) => each.check === check);
  const bad = answer.checks.filter(({ status }) => status === "bad").map(({ check }) => check);
  expect(code).toBe(bad.length > 0 ? 4 : 0);
  expect(answer.ok).toBe(bad.length === 0);
  return { code, stdout, answer, bad, of };
}

/** Everything below a stage: names, rights, and of files also times and bytes. */
function contents(stage: Stage): string[] {
  const all = readdirSync(stage.root, { recursive: true, encoding: "utf8" }).sort();
  return all.map((name) => {
    const { mode, mtimeMs } = statSync(stage.path(name));
    const isFile = statSync(stage.path(name)).isFile();
    return `${name} ${mode} ${isFile ? `${mtimeMs} ${readFileSync(stage.path(name)).toString("base64")}` : ""}`;
  });
}

const ALWAYS = ["node", "node-sqlite", "node-permissions", "git", "sandbox", "state-folder", "state-space"].concat([
  "state-database",
  "state-lock",
  "terminal",
  "terminal-locale",
  "stray-keys",
]);

describe("loopdash doctor", () => {
  test("says of everything what it is, and exits 0 where nothing is bad", async () => {
    using stage = goodStage();
    const { code, answer } = await ask(stage, ["batch.json"]);
    expect(code).toBe(0);
    expect(Object.keys(answer)).toEqual(["loopdash", "batch", "ok", "counts", "checks"]);
    expect(answer.batch).toBe(stage.path("batch.json"));
    // Of vendors' programs it tells where this machine has some.
    const names = answer.checks.map(({ check }) => check).filter((check) => !check.startsWith("program-"));
    expect(names).toEqual(["batch", ...ALWAYS, "repository", "agent", "guard", "tests", "commands", "tracker"]);
    for (const check of answer.checks) {
      expect(Object.keys(check)).toEqual(["check", "status", "found", "fix"]);
      expect(check.fix === null).toBe(check.status === "ok");
    }
    const total = answer.counts.ok + answer.counts.warn + answer.counts.bad;
    expect(total).toBe(answer.checks.length);
  });

  test("prints the same as lines", async () => {
    using stage = goodStage();
    const { answer } = await ask(stage, ["batch.json"]);
    const { code, stdout } = await stage.run(["doctor", "batch.json"], { TMPDIR: stage.path("tmp") });
    expect(code).toBe(0);
    const lines = stdout.split("\n").map((line) => line.split(/ {2,}/).join(" "));
    for (const { check, status, found, fix } of answer.checks) {
      if (check !== "state-space") expect(lines).toContain(`${status} ${check} ${found.split(/ {2,}/).join(" ")}`);
      if (fix !== null) expect(stdout).toContain(`do: ${fix}`);
    }
    expect(stdout).toContain(`${answer.counts.ok} ok, ${answer.counts.warn} warn, 0 bad`);
  });

  test("its last line names what is bad, because the bad lines may have scrolled away", async () => {
    using stage = goodStage();
    const { code, stdout } = await stage.run(["doctor", "none.json"]);
    expect(code).toBe(4);
    expect(stdout).toMatch(/\d+ ok, \d+ warn, 1 bad: batch\n/);
  });

  test("without a batch looks at what needs none, and says so", async () => {
    using stage = goodStage();
    const { answer, of } = await ask(stage);
    expect(answer.batch).toBeNull();
    expect(of("repository").concat(of("agent"), of("tracker"), of("batch"))).toEqual([]);
    expect((await stage.run(["doctor"])).stdout).toContain("add a batch file");
  });

  test("changes nothing and leaves nothing behind: where nothing was run yet, and where runs have been", async () => {
    using stage = goodStage();
    const before = contents(stage);
    await ask(stage, ["batch.json"]);
    expect(contents(stage)).toEqual(before);
    expect(existsSync(stage.home)).toBe(false);
    expect((await stage.run(["batch.json", "--headless"], { TMPDIR: stage.path("tmp") })).code).toBe(0);
    const after = contents(stage);
    const { of } = await ask(stage, ["batch.json"]);
    expect(of("state-database")).toMatchObject([{ status: "ok", found: expect.stringContaining("1 run on record") }]);
    expect(contents(stage)).toEqual(after);
  });

  test("the sandbox of this machine holds, and trying it leaves nothing behind either", async () => {
    using stage = goodStage();
    stage.batch(["T-1"], { sandbox: "required" });
    for (const state of ["not made yet", "there"]) {
      if (state === "there") mkdirSync(stage.home, { mode: 0o700 });
      const before = contents(stage);
      const { code, of } = await ask(stage, ["batch.json"]);
      expect(of("sandbox").concat(of("sandbox-canary"))).toMatchObject([
        { status: "ok", found: expect.stringMatching(/^bubblewrap \d/) },
        { status: "ok" },
      ]);
      expect(code).toBe(0);
      expect(contents(stage)).toEqual(before);
    }
  });

  test("beside a run that is at work neither is disturbed", async () => {
    using stage = goodStage();
    patientAgent(stage);
    const run = stage.start(["batch.json", "--json"]);
    await run.until(/READY/);
    const { bad, of } = await ask(stage, ["batch.json"]);
    expect(bad).toEqual([]);
    expect(of("tracker")[0]?.found).toMatch(/2 tickets readable in .*tracker\.json; the oracle says not-done/);
    stage.write("go", "");
    expect(await run.ended).toMatchObject({ code: 0 });
  });
});

describe("what is bad, and how to mend it", () => {
  test.each<
    [what: string, wrong: (stage: Stage) => Record<string, string> | undefined, check: string, found: RegExp, fix: RegExp]
  >([
    ["a batch file that is not valid", (s) => void s.write("batch.json", "{"), "batch", /not valid/, /Fix the file/],
    [
      "an agent's program that is not there",
      (s) => void s.batch(["T-1"], { agent: { kind: "command", command: ["no-such-agent"] } }),
      "agent",
      /"no-such-agent" is not found/,
      /Install the program/,
    ],
    [
      "a repository that is not clean",
      (s) => void s.write("app/README.md", "changed"),
      "repository",
      /uncommitted/,
      /commit or stash/,
    ],
    [
      "a repository that is not there",
      (s) => void s.batch(["T-1"], { repos: { app: { path: "nowhere" } } }),
      "repository",
      /nowhere does not exist/,
      /correct its path/,
    ],
    [
      "a ticket that the oracle cannot read",
      (s) => {
        s.write("tickets/T-1.md", "---\ntitle: First\nlinks: &a\n  - [x, {y: *a}]\n---\nbody\n");
        s.batch([], { tracker: { kind: "local", path: "tickets" } });
      },
      "tracker",
      /oracle cannot judge .*T-1/,
      /front matter/,
    ],
    ["a stray key", () => ({ OPENAI_API_KEY: "sk-secret" }), "stray-keys", /^OPENAI_API_KEY is set in/, /unset OPENAI_API_KEY/],
    [
      "a stray key in a file",
      (s) => void s.write("app/.env", "XAI_API_KEY=sk-secret\n"),
      "stray-keys",
      /^XAI_API_KEY is set in .*app\/\.env$/,
      /--allow-api-key/,
    ],
    [
      "a git that is too old",
      (s) => {
        s.write("bin/git", "#!/bin/sh\necho git version 2.30.2\n", 0o755);
        return { PATH: `${s.path("bin")}:/usr/bin:/bin` };
      },
      "git",
      /2\.30\.2 .* cannot merge/,
      /2\.38/,
    ],
    [
      "a file in the place of the state folder",
      (s) => {
        s.write("occupied", "");
        return { LOOPDASH_HOME: s.path("occupied/home") };
      },
      "state-folder",
      /cannot keep state/,
      /LOOPDASH_HOME/,
    ],
  ])("%s", async (_, wrong, check, found, fix) => {
    using stage = goodStage();
    const { code, of, stdout } = await ask(stage, ["batch.json"], wrong(stage) ?? {});
    expect(code).toBe(4);
    expect(of(check)).toEqual([{ check, status: "bad", found: expect.stringMatching(found), fix: expect.stringMatching(fix) }]);
    expect(stdout).not.toContain("sk-secret");
  });

  test("what one check cannot look at does not keep the others from being made", async () => {
    using stage = goodStage();
    const { answer, bad } = await ask(stage, ["batch.json"], { PATH: stage.path("tmp") });
    expect(bad).toContain("git");
    for (const check of ALWAYS) expect(answer.checks.map((each) => each.check)).toContain(check);
    const refused = await stage.run(["batch.json", "--dry-run"], { PATH: stage.path("tmp") });
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("no folder of PATH has a program git") });
  });

  test("the sandbox: bad where the batch requires it and there is none, a warning where it does not", async () => {
    using stage = goodStage();
    const without = { PATH: stage.path("tmp") };
    stage.batch(["T-1"], { sandbox: "required" });
    expect((await ask(stage, ["batch.json"], without)).of("sandbox")).toMatchObject([{ status: "bad" }]);
    for (const sandbox of ["auto", "off"]) {
      stage.batch(["T-1"], { sandbox });
      expect((await ask(stage, ["batch.json"], without)).of("sandbox")).toMatchObject([{ status: "warn" }]);
    }
    expect((await ask(stage, [], without)).of("sandbox")).toMatchObject([{ status: "bad" }]);
  });
});

test("nothing that a terminal would obey, and no secret, is printed", async () => {
  using stage = goodStage();
  const evil = "\u001b]0;owned\u0007\u009b31m\u202e";
  stage.write(`d${evil}/.env`, "GROQ_API_KEY=sk-secret\n");
  stage.write(`d${evil}/batch.json`, readFileSync(stage.path("batch.json"), "utf8").replace('"app"\n', '"../nowhere"\n'));
  const env = { TERM: `xterm${evil}`, LC_CTYPE: `C${evil}`, TMPDIR: stage.path("tmp"), ANTHROPIC_AUTH_TOKEN: "sk-secret" };
  for (const json of [[], ["--json"]]) {
    const { stdout, stderr } = await stage.run(["doctor", `d${evil}/batch.json`, ...json], env);
    expect(stdout).toContain("GROQ_API_KEY is set in");
    expect(stdout).toContain("ANTHROPIC_AUTH_TOKEN is set in");
    expect(stdout).toMatch(/LC_CTYPE=C.* is not UTF-8/);
    expect(stdout).toContain("nowhere");
    expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(stdout + stderr).not.toContain("sk-secret");
  }
});

test("on a terminal it tells of it, and of one that is too small", async () => {
  using stage = goodStage();
  const argv = [process.execPath, PROGRAM, "doctor", "batch.json"] as const;
  const on = async (size: { columns: number; rows: number }) => {
    const env = { ...stage.env, TMPDIR: stage.path("tmp"), TERM: "xterm-256color" };
    const pty = new Pty({ argv: [...argv], cwd: stage.root, env, size });
    return { ...(await pty.ended), raw: pty.raw };
  };
  const large = await on({ columns: 120, rows: 40 });
  expect(large.raw).toMatch(/ok +terminal-size +120 columns and 40 rows/);
  expect(large.raw).toMatch(/ok +terminal-colours +(256|16)/);
  expect(large.code).toBe(0);
  const small = await on({ columns: 50, rows: 12 });
  expect(small.raw).toMatch(/bad +terminal-size +50 columns and 12 rows/);
  expect(small.code).toBe(4);
});
