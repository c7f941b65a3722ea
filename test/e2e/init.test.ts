import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { terminals } from "./pty.ts";
import { openService } from "./services.ts";
import { HONEST, Stage } from "./stage.ts";

const openTerminal = terminals();

/** A stage with the repository `app`, whose tests pass, and an agent beside it. */
function aStage(): Stage {
  const stage = new Stage();
  const manifest = '{"scripts": {"test": "node --test"}}';
  stage.repo("app", { "package.json": manifest, "a.test.mjs": 'import test from "node:test";\ntest("a", () => {});\n' });
  stage.agent(HONEST);
  return stage;
}

const FLAGS = ["init", "--repo", "app", "--agent", "node agent.mjs", "--reviewer", "none"];

describe("loopdash init", () => {
  test("asks a person on a terminal of 80 columns, writes batch and example, and the batch runs to its end", async () => {
    using stage = aStage();
    const pty = openTerminal(stage, ["init"]);
    await pty.waitFor("Number [3]:");
    await pty.press("4\r", "choose 1, 2 or 3");
    // Typed before they are asked for: the folder of tickets, the offer to make it, and the tests.
    await pty.press("\r", "Repositories that tickets change");
    await pty.press("app\r\r\r", "Test command, or none [npm test]:");
    await pty.press("\r", "The command of your agent");
    await pty.press("nod agent.mjs\r", 'there is no program "nod"');
    await pty.press("node agent.mjs\r", "Who reviews each change");
    pty.type("\r");
    expect(await pty.exitCode()).toBe(0);
    const shown = pty.main();
    expect(shown).toContain("app: branch main of ");
    expect(shown).toMatch(/ready at once \(1\)\n {2}T-1 {2}\[app\] {2}Say in the README/);
    expect(shown).toMatch(/doctor: \d+ ok, 0 warn, 0 bad\n\nStart it: loopdash batch\.json$/);
    expect(readFileSync(stage.path("tickets/T-1.md"), "utf8")).toMatch(/^---\nid: T-1\n[^]*\nrepo: app\n/);
    expect(existsSync(stage.home)).toBe(false);

    const { code, stdout } = await stage.run(["batch.json", "--headless"]);
    expect({ code, landed: stage.landed() }, stdout).toEqual({ code: 0, landed: ["T-1"] });
    expect(readFileSync(stage.path("tickets/T-1.md"), "utf8")).toContain("state: done");
  });

  test("breaks its lines and the doctor's between words, and says which commands own means", async () => {
    using stage = aStage();
    stage.repo("billing", {
      "package.json": '{"scripts": {"test": "node --test --test-timeout=60000"}}',
      "pytest.ini": "[pytest]\n",
    });
    const pty = openTerminal(stage, [
      "init",
      "--repo",
      "app",
      "--repo",
      "billing",
      "--agent",
      "node agent.mjs",
      "--tickets",
      "t",
    ]);
    await pty.press("\r", "Test command, or none");
    expect(pty.main().replaceAll(/\s+/g, " ")).toContain(
      "Test command, or none, or own, each repository's: app: npm test; billing: npm test [own]:",
    );
    pty.type("\r\r");
    expect(await pty.exitCode()).toBe(0);
    const doctor = openTerminal(stage, ["doctor", "batch.json"]);
    expect(await doctor.exitCode()).toBe(0);
    const lines = [pty, doctor].flatMap((terminal) => terminal.main().split("\n"));
    expect(lines.length).toBeGreaterThan(30);
    // Only a word that is longer than its line is broken by the terminal.
    for (const line of lines) if (line.length > 80) expect(line.trim()).toMatch(/^(?:do: )?\S+$/);
  });

  test("names ignored settings of the checkout and the line that copies one for tests; reads none", async () => {
    using stage = aStage();
    stage.write("app/.gitignore", "*.pem\n/conf/.env\nbuild/\n");
    for (const file of ["conf/.env", "dev.pem", "build/.env"]) stage.write(`app/${file}`, "KEY=4711\n", 0o000);
    const { code, stdout, stderr } = await stage.run([...FLAGS, "--yes", "--tickets", "tickets"]);
    expect(code, stdout + stderr).toBe(0);
    expect(stderr).toMatch(/git ignores conf\/\.env, so agents\s+and\s+checks/);
    expect(stderr.replace(/\s+/g, " ")).toContain('add "copy": [{"from": "dev.pem-for-tests", "to": "dev.pem"}]');
    expect(stderr).not.toContain("build");
    expect(readFileSync(stage.path("batch.json"), "utf8")).not.toContain("copy");
  });

  test.for<[how: string, keys: string]>([
    ["Ctrl-C", "\x03"],
    ["the end of the input", "\x04"],
  ])("writes nothing after %s, however much is answered", async ([, keys]) => {
    using stage = aStage();
    const before = readdirSync(stage.root);
    const pty = openTerminal(stage, [...FLAGS.slice(0, 5), "--tickets", "tickets"]);
    await pty.press("\r", "Test command, or none");
    await pty.press("\r", "Who reviews each change");
    pty.type(keys);
    expect(await pty.exitCode()).toBe(130);
    expect(pty.main()).toMatch(/loopdash: ended; nothing was written$/);
    expect(readdirSync(stage.root)).toEqual(before);
  });

  test("without a terminal, names the flags that are missing and writes nothing", async () => {
    using stage = aStage();
    const before = readdirSync(stage.root);
    const { code, stdout, stderr } = await stage.run(["init"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/loopdash init needs more answers; nothing was written\n {2}why: there is no terminal to ask on/);
    for (const line of ["--from linear|github|folder", "--agent claude|codex|gemini|opencode"])
      expect(stderr).toContain(`\n       ${line} `);
    expect(stderr).toContain('--test "npm test"   Test command, or none; --yes takes npm test\n');
    const all = await stage.run([...FLAGS, "--tickets", "tickets", "--test", "npm test"]);
    expect(all).toMatchObject({ code: 2, stderr: expect.stringMatching(/--yes {3}There is no folder .*; --yes takes yes\n/) });
    expect(readdirSync(stage.root)).toEqual(before);
  });

  test("shows the dependencies of tickets that are there, and needs no terminal if flags say everything", async () => {
    using stage = aStage();
    stage.write("work/A-1.md", "# First\n");
    stage.write("work/A-2.md", "---\ndependsOn: [A-1]\n---\n# Sec\u202eond\n");
    const flags = [...FLAGS, "--from", "folder", "--tickets", "work", "--test", "npm test", "--out", "night.json"];
    const { code, stdout, stderr } = await stage.run(flags);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/loopdash: wrote night\.json\n$/) });
    const graph = "ready at once (1)\n  A-1  [app]  First\n\nlayer 2 (1)\n  A-2  [app]  Second  after A-1\n";
    expect(stdout).toContain(graph);
    expect(stdout).toMatch(/\n\nStart it: loopdash night\.json\n$/);
  });

  test("replaces no file unless it is told to", async () => {
    using stage = aStage();
    stage.write("batch.json", "mine");
    const refused = await stage.run([...FLAGS, "--yes", "--from", "folder"]);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("batch.json cannot be written\n  why: it exists already\n"),
    });
    expect(readFileSync(stage.path("batch.json"), "utf8")).toBe("mine");
    expect(existsSync(stage.path("tickets"))).toBe(false);
    expect(await stage.run([...FLAGS, "--yes", "--from", "folder", "--force"])).toMatchObject({ code: 0 });
    expect(readFileSync(stage.path("batch.json"), "utf8")).toContain('"name": "app"');
    const nowhere = await stage.run([...FLAGS, "--yes", "--out", "none/batch.json"]);
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("there is no such folder") });
  });

  test("keeps the file if the tickets cannot be read or a check is bad, and says what to correct", async () => {
    using stage = aStage();
    stage.write("work/A-1.md", "---\nrepo: elsewhere\n---\n# One\n");
    const flags = [...FLAGS, "--yes", "--tickets", "work"];
    const unfit = await stage.run(flags);
    expect(unfit.code).toBe(2);
    expect(unfit.stderr).toContain('unknown repository "elsewhere"');
    expect(unfit.stderr).toMatch(/the file stays as it is\. Correct what is named above, then: loopdash doctor batch\.json\n$/);
    expect(statSync(stage.path("batch.json")).size).toBeGreaterThan(500);

    stage.write("work/A-1.md", "# One\n");
    const bad = await stage.run([...flags, "--force", "--prepare", "no-such-program"]);
    expect(bad.code).toBe(4);
    expect(bad.stdout).toMatch(/\nbad +commands +batch\.json:\d+:\d+ .*no-such-program/);
    expect(bad.stdout).toMatch(/1 bad\n\nFix what is bad, then start it: loopdash batch\.json\n$/);
  });

  test("asks a tracker of a service only after the file is there, and never shows the token", async () => {
    using stage = aStage();
    const { code, stdout, stderr } = await stage.run(
      [...FLAGS, "--yes", "--team", "ENG", "--api-url", "http://127.0.0.1:1/graphql"],
      {
        LINEAR_API_KEY: "lin_api_hunter2",
      },
    );
    expect(code).toBe(3);
    expect(stderr).toContain("loopdash: wrote batch.json\n");
    expect(stderr).toMatch(/the tracker cannot be read\n +why: .*127\.0\.0\.1/);
    const text = readFileSync(stage.path("batch.json"), "utf8");
    expect(text).toContain('"tracker": { "kind": "linear", "team": "ENG", "apiUrl": "http://127.0.0.1:1/graphql" }');
    expect(stdout + stderr + text).not.toContain("hunter2");
  });

  test.each(["linear", "github"] as const)(
    "shows the tickets of %s in their order, and a run is one command away",
    async (kind) => {
      using stage = aStage();
      const service = await openService(kind, [[1], [2, [1]]], onTestFinished);
      const query =
        kind === "linear"
          ? ["--from", "linear", "--team", "ENG", "--api-url", String(service.tracker["apiUrl"])]
          : [
              "--from",
              "github",
              "--repo-issues",
              "acme/app",
              "--labels",
              "batch",
              "--api-url",
              String(service.tracker["baseUrl"]),
            ];
      const { code, stdout, stderr } = await stage.run([...FLAGS, ...query, "--yes"], service.env);
      expect(code, stdout + stderr).toBe(0);
      expect(stdout).toMatch(
        new RegExp(`ready at once \\(1\\)\n +${service.id(1)} [^\n]*\n\nlayer 2 \\(1\\)\n +${service.id(2)} `),
      );
      // What is asked for tickets with all their words; the oracle's own query has none.
      expect(service.asked().filter((text) => /^LoopdashIssues |fragment Ticket/.test(text))).toHaveLength(1);
    },
  );
});
