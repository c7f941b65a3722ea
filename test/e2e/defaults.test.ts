import { mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { HONEST, PROGRAM, Stage } from "./stage.ts";

const PACKAGE = JSON.stringify({ name: "app", type: "module", scripts: { test: "node --test" } });
const TEST = `import { test } from "node:test";\nimport { one } from "./one.mjs";\ntest("one", () => { if (one !== 1) throw new Error("not one"); });\n`;
const TESTED = { "package.json": PACKAGE, "one.mjs": "export const one = 1;\n", "one.test.mjs": TEST };

describe("a batch without a finish line", () => {
  test("runs the repository's own tests, which the plan, the journal and a found ticket know", async () => {
    using stage = new Stage();
    stage.repo("app", TESTED);
    stage.agent(`
      if (ticket === "T-2") fs.writeFileSync("one.mjs", "export const one = 2;\\n");
      else ${HONEST}
      if (ticket === "T-1") {
        fs.mkdirSync(process.env.LOOPDASH_OUTBOX + "/discovered", { recursive: true });
        fs.writeFileSync(process.env.LOOPDASH_OUTBOX + "/discovered/a.json", JSON.stringify({ title: "More", body: "", reason: "seen" }));
      }`);
    const batch = stage.batch(["T-1", "T-2"], { limits: { attempts: 1 } });
    const plan = await stage.run([batch, "--dry-run"]);
    expect(plan.stdout).toContain("finish line: gates → check tests → merge → assert");
    expect(plan.stdout).toContain("tests of app: npm test (found in package.json)");
    expect(plan.stdout).toContain("money: no cap binds this agent");
    expect(plan.stdout).toMatch(/protected from changes:\n {2}CI: \.github\/\{workflows,actions\}\/\*\*/);
    expect(plan.stderr).not.toContain("no check runs");
    const { code, events, stderr } = await stage.events(batch);
    expect([code, stderr]).toEqual([1, ""]);
    const check = { step: "check", name: "tests", command: ["npm", "test"], report: { format: "found" } };
    const [started] = events;
    expect(started).toMatchObject({ type: "run-started", batch: { testCommands: { app: ["npm", "test"] } } });
    const found = events.find((event) => event.type === "ticket-discovered");
    expect(found?.discovered.finish).toContainEqual(check);
    expect(stage.landed().toSorted()).toEqual(["T-1", found?.discovered.id]);
    const failed = events.find((event) => event.type === "attempt-ended" && event.ticket === "T-2");
    expect(failed).toMatchObject({ outcome: "failed", evidence: { step: "check", name: "tests" } });
    expect(stage.git("app", "show", "main:one.mjs")).toBe("export const one = 1;");
  });

  test("compares tests one by one: an honest change lands, and no other", { timeout: 120_000 }, async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app", { ...TESTED, "two.test.mjs": TEST.replaceAll('"one"', '"two"') });
    stage.agent(`const edit = (file, from, to) => fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(from, to));
      if (ticket === "honest") fs.writeFileSync("more.mjs", "export const more = 2;");
      if (ticket === "deletes") fs.rmSync("two.test.mjs");
      if (ticket === "empties") fs.writeFileSync("two.test.mjs", "");
      if (ticket === "skips") edit("two.test.mjs", 'test("two"', 'test.skip("two"');
      if (ticket === "breaks") edit("one.mjs", "1;", "2;");`);
    const tickets = ["honest", "deletes", "empties", "skips", "breaks"];
    const { code, events } = await stage.events(stage.batch(tickets, { limits: { attempts: 1 } }));
    expect(code).toBe(1);
    expect(stage.landed()).toEqual(["honest"]);
    const ended = events.flatMap((event) => (event.type === "attempt-ended" ? [[event.ticket, event.evidence?.summary]] : []));
    expect(Object.fromEntries(ended)).toMatchObject({
      deletes: expect.stringContaining("1 test of the base vanished"),
      empties: expect.stringContaining("1 test of the base vanished"),
      skips: expect.stringContaining("1 test newly skipped"),
      breaks: expect.stringContaining("2 tests failed"),
    });
  });

  test("says in one line at its start that nothing will be tested, and in which repository", async () => {
    using stage = new Stage();
    stage.repo("app", TESTED);
    stage.repo("docs");
    stage.agent(HONEST);
    const over = { repos: { app: { path: "app" }, docs: { path: "docs" } } };
    const batch = stage.batch(
      ["T-1", "T-2"].map((id, i) => ({ id, repo: ["app", "docs"][i] })),
      over,
    );
    const { code, stdout } = await stage.run([batch, "--headless"]);
    expect(stdout).toContain("tests of app: npm test (found in package.json)");
    expect(code).toBe(0);
    const said = stdout.split("\n").filter((line) => line.includes("no check runs before merge"));
    expect(said).toEqual([expect.stringContaining("no check runs before merge in docs: whatever the agent leaves will land")]);
  });

  test("says at its start, in the plan and in doctor that nothing installs the repository's packages", async () => {
    using stage = new Stage();
    const manifest = { scripts: { test: "true" }, devDependencies: { "left-pad": "1.3.0" } };
    stage.repo("app", { "package.json": JSON.stringify(manifest) });
    stage.agent(HONEST);
    const told = "no `prepare` installs them";
    const batch = stage.batch(["T-1"]);
    for (const args of [
      [batch, "--dry-run"],
      [batch, "--headless"],
      ["doctor", batch],
    ]) {
      const { stdout, stderr } = await stage.run(args);
      expect(`${stdout}${stderr}`, args.join(" ")).toContain(told);
    }
    const prepared = stage.batch(["T-1"], { name: "prepared", repos: { app: { path: "app", prepare: [["true"]] } } });
    const { stdout, stderr } = await stage.run([prepared, "--dry-run"]);
    expect(`${stdout}${stderr}`).not.toContain(told);
  });

  test("is refused, by the plan and by doctor, where the machine or the sandbox lacks what the repository's tests need", async () => {
    using stage = new Stage();
    stage.repo("app", { "tox.ini": "[testenv]\ncommands = python -m unittest\n" });
    stage.agent(HONEST);
    const batch = stage.batch(["T-1"], { sandbox: "required" });
    const env = { PATH: `${stage.path("bin")}:/usr/bin:/bin` };
    const plan = await stage.run([batch, "--dry-run"], env);
    expect(plan.code).toBe(4);
    const none = 'repos.app: the test command found in its settings of tox: "tox": no folder of PATH has this program; install';
    expect(plan.stderr).toContain(none);
    const before = await stage.run(["doctor", batch], env);
    expect(before.stdout).toMatch(/ok +tests +app: tox \(found in its settings of tox\)/);
    expect(before.stdout).toContain(none);
    // A program that is a link into loopdash's state, which no sandbox shows.
    mkdirSync(stage.path("bin"));
    symlinkSync(stage.path("home", "tox"), stage.path("bin/tox"));
    stage.write("home/tox", "#!/bin/sh\n", 0o755);
    const hidden = await stage.run(["doctor", batch], env);
    expect(hidden.code).toBe(4);
    expect(hidden.stdout).toContain('the test command found in its settings of tox: "tox" cannot be seen in the sandbox');
  });

  test("goes on with the commands that it began with, whatever the base names since", async () => {
    using stage = new Stage();
    stage.repo("app", TESTED);
    stage.agent(`if (!fs.existsSync("${stage.path("GO")}")) await wait(60_000); ${HONEST}`);
    const batch = stage.batch(["T-1"]);
    const first = stage.start([batch, "--headless"]);
    await first.until(/T-1/);
    first.child.kill("SIGINT");
    expect((await first.ended).code).toBe(130);
    stage.write("GO", "");
    stage.git("app", "rm", "-q", "package.json");
    stage.git("app", "commit", "-q", "-m", "no package");
    const { code, events } = await stage.events(batch);
    const measured = events.findLast((event) => event.type === "base-measured");
    expect(measured).toMatchObject({ checks: [{ check: "tests", as: "cannot-run" }] });
    expect(code).toBe(1);
  });
});

describe("the default protected paths", () => {
  const change = (...files: string[]) =>
    `for (const file of ${JSON.stringify(files)}) {
       fs.mkdirSync(file.split("/").slice(0, -1).join("/") || ".", { recursive: true });
       fs.writeFileSync(file, "// " + ticket + "\\n");
     }`;

  test.each([".github/workflows/ci.yml", "vitest.config.ts"])(
    "keep %s as it is, unless the batch protects nothing",
    async (file) => {
      using stage = new Stage();
      stage.repo("app");
      stage.agent(change(file));
      const refused = await stage.events(stage.batch(["T-1"], { limits: { attempts: 1 } }));
      expect(refused.code).toBe(1);
      expect(refused.events.find((event) => event.type === "step-ended" && event.ok === false)).toMatchObject({
        summary: expect.stringContaining(`protected path touched: ${file}`),
      });
      const batch = stage.batch(["T-1"], { limits: { attempts: 1 }, protect: [] });
      expect((await stage.run([batch, "--dry-run"])).stdout).toContain("protected: nothing");
      expect((await stage.events(batch, "--fresh")).code).toBe(0);
    },
  );

  test("let honest tickets add tests, and one that may change the configuration change it", async () => {
    using stage = new Stage();
    stage.repo("app", TESTED);
    const added = ["two.test.mjs", "tests/test_two.py", "tests/conftest.py", "requirements.txt"];
    stage.agent(`if (ticket === "T-1") { ${change(...added)} } else { ${change("pytest.ini", ".mocharc.yml")} }`);
    const allow = { configuration: true };
    const batch = stage.batch(["T-1", { id: "T-2", allow }], { limits: { attempts: 1 } });
    const { code, events } = await stage.events(batch);
    expect(events.filter((event) => event.type === "step-ended" && event.ok === false)).toEqual([]);
    expect(code).toBe(0);
  });
});
