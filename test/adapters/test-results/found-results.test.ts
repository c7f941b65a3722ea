import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { createTestResultsReader } from "../../../src/adapters/test-results/results-reader.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const folder = scratchFolder();
const reports = createTestResultsReader({ program: join(ROOT, "src/cli/main.ts"), args: ["__results"] });

/** The results of the runners that a shell's command starts in a folder with these files, and its output. */
async function found(command: string, files: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(folder(), 'it\'s a "place" '));
  const [checkout, results] = [join(home, "checkout"), join(home, "results")];
  for (const each of [checkout, results]) mkdirSync(each);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(checkout, name)), { recursive: true });
    writeFileSync(join(checkout, name), text);
  }
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  const finding = await reports.find({ artifacts: results, checkout });
  const PATH = `${join(ROOT, "node_modules/.bin")}:/usr/local/bin:/usr/bin:/bin`;
  const env = { PATH, HOME: home, ...finding.variables(results, {}) };
  const output = execFileSync("/bin/sh", ["-c", `(${command}) 2>&1 || true`], { cwd: checkout, env, encoding: "utf8" });
  return { reading: await finding.read([output], [checkout]), output, results };
}

/** The tests of a reading by their ids, or its problem. */
const outcomes = ({ reading }: Awaited<ReturnType<typeof found>>) =>
  reading.ok ? Object.fromEntries(reading.tests.map(({ id, outcome }) => [id, outcome])) : reading.problem;

const NODE = `import { test } from "node:test";
test("adds", () => {});
test("later", { skip: true }, () => {});
test("breaks", () => { throw new Error("no"); });
`;
const NODE_OUTCOMES = { adds: "passed", later: "skipped", breaks: "failed" };

/** The ids of node:test's report end with the names. */
const byName = (all: ReturnType<typeof outcomes>) =>
  typeof all === "string"
    ? all
    : Object.fromEntries(Object.entries(all).map(([id, outcome]) => [id.split(" > ").at(-1), outcome]));

describe("runners are made to report", () => {
  test.each([
    ["node --test", "node --test test/a.test.mjs"],
    ["a file of node:test", "node test/a.test.mjs"],
    ["node --test with a reporter of its own", "node --test --test-reporter=tap test/a.test.mjs"],
    ["node --test with two of its own", "node --test --test-reporter=dot --test-reporter-destination=own.txt test/a.test.mjs"],
    ["a script of package.json", "npm test"],
    ["a Makefile", "make check"],
  ])("%s", async (_, command) => {
    const manifest = JSON.stringify({ scripts: { test: "echo first && node --test test/a.test.mjs" } });
    const files = { "test/a.test.mjs": NODE, "package.json": manifest, Makefile: "check:\n\tnode --test test/a.test.mjs\n" };
    const all = await found(command, files);
    expect(byName(outcomes(all)), all.output).toEqual(NODE_OUTCOMES);
    if (command.includes("=tap")) expect(all.output).toContain("TAP version 13");
  });

  test("a Node that cannot write JUnit, and a process with a channel to its parent, run as they would without", async () => {
    const old = `const Module = require("node:module"); const load = Module._load;
Module._load = function (name, ...rest) { if (name === "node:test/reporters") throw new Error("unknown"); return load.call(this, name, ...rest); };`;
    const forks = `import { fork } from "node:child_process";
fork("sends.mjs").on("message", (text) => console.log("got " + text));`;
    const sends = `import { test } from "node:test";\ntest("adds", () => { process.send("a word"); process.disconnect(); });\n`;
    const files = { "old.cjs": old, "a.mjs": NODE, "forks.mjs": forks, "sends.mjs": sends };
    const before = await found('NODE_OPTIONS="--require ./old.cjs $NODE_OPTIONS" node --test a.mjs', files);
    expect(before.output).toMatch(/✔ adds[^]*✖ breaks/);
    const channel = await found("node forks.mjs", files);
    expect(channel.output).toContain("got a word");
    for (const { reading } of [before, channel]) expect(reading).toMatchObject({ ok: false, absent: true });
  });

  test("vitest, whose own reporter stays", async () => {
    const text = `import { test } from "vitest";\ntest("adds", () => {});\ntest.skip("later", () => {});\n`;
    const all = await found("vitest run", { "a.test.mjs": text });
    expect(outcomes(all), all.output).toEqual({ "a.test.mjs > adds": "passed", "a.test.mjs > later": "skipped" });
    expect(all.output).toContain("1 passed");
  });

  test("every runner of a chain, and every run of one", async () => {
    const text = `import { test } from "vitest";\ntest("from vitest", () => {});\n`;
    const files = { "a.test.mjs": text, "one.mjs": NODE, "two.mjs": NODE.replaceAll('"adds"', '"adds two"') };
    const all = await found("vitest run; node --test one.mjs; node two.mjs", files);
    expect(Object.keys(byName(outcomes(all)))).toEqual(expect.arrayContaining(["from vitest", "adds", "adds two"]));
  });

  test("what prints TAP is copied, also behind a prefix and other words", async () => {
    const print = `process.stdout.write("a word\\nTAP version 13\\nok 1 - a\\n"); console.log("1..1");`;
    const all = await found("node print.cjs | sed 's/^/packages/'", { "print.cjs": print });
    expect(outcomes(all), all.output).toEqual({ a: "passed" });
  });

  test("pytest and unittest, also twice", async () => {
    const pytest = "import pytest\ndef test_adds(): pass\n@pytest.mark.skip\ndef test_later(): pass\n";
    const unit =
      "import unittest\nclass T(unittest.TestCase):\n  def test_b(self): self.assertEqual(1, 2)\n  def test_parts(self):\n    for n in 1, 2, 3:\n      with self.subTest(n=n): self.assertEqual(n, 2)\n";
    const files = { "test_a.py": pytest, "unit/test_b.py": unit };
    const python = "/usr/bin/python3 -m";
    const all = await found(`${python} pytest -q test_a.py && ${python} pytest -q test_a.py; cd unit; ${python} unittest`, files);
    expect(outcomes(all), all.output).toEqual({
      "pytest > test_a > test_adds": "passed",
      "pytest > test_a > test_later": "skipped",
      "test_b.T > test_b": "failed",
      "test_b.T > test_parts": "failed",
    });
    expect(all.reading.ok && all.reading.tests.length).toBe(6);
  });

  test("Go", async () => {
    const text = `package x\nimport "testing"\nfunc TestA(t *testing.T) { t.Run("in it", func(t *testing.T) {}) }\nfunc TestB(t *testing.T) { t.Skip("later") }\n`;
    const all = await found('GOFLAGS="$GOFLAGS" go test ./...', { "go.mod": "module a.b/x\ngo 1.19\n", "a_test.go": text });
    expect(outcomes(all), all.output).toEqual({
      "a.b/x > TestA": "passed",
      "a.b/x > TestA/in_it": "passed",
      "a.b/x > TestB": "skipped",
    });
  });
});

test("what a test starts is a part of it: runners within runners report nothing", async () => {
  const inner = `import { test } from "node:test";\ntest("inner", () => {});\n`;
  const nests = (imports: string) => `${imports}
import { spawnSync } from "node:child_process";
const pytest = ["-m", "pytest", "-q", "test_inner.py"];
test("outer", () => {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  for (const [program, args] of [[process.execPath, ["--test", "inner.mjs"]], [process.execPath, ["inner.mjs"]], ["/usr/bin/python3", pytest]])
    if (spawnSync(program, args, { env }).status !== 0) throw new Error(program);
});
`;
  const files = {
    "inner.mjs": inner,
    "test_inner.py": "def test_inner(): pass\n",
    "outer.mjs": nests(`import { test } from "node:test";`),
    "outer.test.mjs": nests(`import { test } from "vitest";`),
    "test_outer.py": `import subprocess, sys\ndef test_outer():\n    subprocess.run([sys.executable, "-m", "pytest", "test_inner.py"], check=True)\n    subprocess.run(["node", "--test", "inner.mjs"], check=True)\n`,
  };
  const all = await found("node --test outer.mjs; vitest run; /usr/bin/python3 -m pytest -q test_outer.py", files);
  const names = all.reading.ok ? all.reading.tests.map(({ id, outcome }) => `${outcome} ${id.split(" > ").at(-1)}`) : all.reading;
  expect(names, all.output).toEqual(["passed outer", "passed outer", "passed test_outer"]);
});

describe("reports that a build leaves in its checkout", () => {
  const junit = (name: string) => `<testsuite name="a.ATest"><testcase name="${name}" classname="a.ATest"/></testsuite>`;
  const write = (place: string, name: string) => `mkdir -p ${place} && echo '${junit(name)}' > ${place}/TEST-${name}.xml`;

  test("count where Maven and Gradle leave them, beside those of other runners, and nowhere else", async () => {
    const places = ["target/surefire-reports", "lib/target/failsafe-reports", "app/build/test-results/testDebug"];
    const others = ["target/other-reports", "build/test-results", "node_modules_/.hidden/target/surefire-reports"];
    const commands = [
      ...places.map((place, i) => write(place, `counts${i}`)),
      ...others.map((place) => write(place, "does-not")),
    ];
    const all = await found([...commands, "node --test a.mjs"].join("; "), { "a.mjs": NODE });
    expect(Object.keys(byName(outcomes(all))).toSorted()).toEqual(["adds", "breaks", "counts0", "counts1", "counts2", "later"]);
  });

  test("do not count if they are older than the command", async () => {
    const old = { "target/surefire-reports/TEST-old.xml": junit("old") };
    const ages = "touch -d 2001-01-01 target/surefire-reports/TEST-old.xml";
    expect((await found(ages, old)).reading).toMatchObject({ ok: false, absent: true });
    const both = await found(`${write("target/surefire-reports", "new")}; ${ages}`, old);
    expect(outcomes(both)).toEqual({ "a.ATest > new": "passed" });
  });

  test.each([
    ["a link", "ln -s /etc/passwd target/surefire-reports/TEST-a.xml", "it is a link"],
    [
      "a second name",
      "echo > target/new; ln target/new target/surefire-reports/TEST-a.xml",
      "it is a second name of another file",
    ],
    ["no JUnit", "echo no > target/surefire-reports/TEST-a.xml", expect.stringContaining("well-formed")],
  ])("make all unbelievable if one is %s", async (_, command, problem) => {
    const all = await found(`mkdir -p target/surefire-reports; ${command}; node --test a.mjs`, { "a.mjs": NODE });
    expect(all.reading).toMatchObject({ ok: false, absent: false, problem });
  });

  test("are not looked for behind a link", async () => {
    const all = await found(`${write("real/surefire-reports", "a")}; ln -s real target`, {});
    expect(all.reading).toMatchObject({ ok: false, absent: true });
  });
});

describe("nothing is found", () => {
  test("where no known runner ran", async () => {
    expect((await found("echo 'tests: 3 passed'", {})).reading).toEqual({
      ok: false,
      absent: true,
      problem: "no test runner reported a test",
    });
  });

  test("where one of the files cannot be believed", async () => {
    const all = await found(`node --test a.mjs; echo '{' > "$LOOPDASH_RESULTS/more.json"`, { "a.mjs": NODE });
    expect(all.reading).toMatchObject({ ok: false, absent: false });
    const linked = await found(`ln -s /etc/passwd "$LOOPDASH_RESULTS/more.json"`, {});
    expect(linked.reading).toMatchObject({ ok: false, absent: false, problem: "it is a link" });
  });
});

test("a process that runs no tests leaves nothing", async () => {
  const { results, output } = await found(`node -e 'console.log(1)'; /usr/bin/python3 -c 'print(2)'; npm --version`, {});
  expect(output).toMatch(/^1\n2\n\d/);
  expect(readdirSync(results)).toEqual([]);
});

test("variables that a command has already are kept", async () => {
  const finding = await reports.find({ artifacts: folder(), checkout: folder() });
  const before = {
    ...{ NODE_OPTIONS: "--max-old-space-size=100", PYTHONPATH: "lib", GOFLAGS: "-mod=vendor", SPEC_OPTS: "--order rand" },
    ...{ PHP_INI_SCAN_DIR: "/own", TOX_TESTENV_PASSENV: "CI", TOX_OVERRIDE: "testenv.x=1", NEXTEST_STATUS_LEVEL: "all" },
  };
  const { NODE_OPTIONS, PYTHONPATH, GOFLAGS, ...more } = finding.variables("/results", before);
  expect(more).toMatchObject({
    SPEC_OPTS: expect.stringMatching(/^--order rand --require ".*rspec\.rb"$/),
    PHP_INI_SCAN_DIR: expect.stringMatching(/^\/own:\/.*\/php$/),
    TOX_TESTENV_PASSENV: "CI PYTHONPATH LOOPDASH_RESULTS",
    TOX_OVERRIDE: "testenv.x=1;testenv.pass_env+=PYTHONPATH,LOOPDASH_RESULTS",
    NEXTEST_STATUS_LEVEL: "all",
  });
  expect([NODE_OPTIONS, PYTHONPATH, GOFLAGS]).toEqual([
    expect.stringMatching(/^--max-old-space-size=100 --require "/),
    expect.stringMatching(/:lib$/),
    "-mod=vendor -v",
  ]);
});
