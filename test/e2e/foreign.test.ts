import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type ForeignSource, npm, npmRegistry, unpackSource } from "./foreign-sources.ts";
import { openService, type Service } from "./services.ts";
import { eventsOf, PROGRAM, Stage } from "./stage.ts";

/** Repositories that nobody here wrote, each of another ecosystem. */
const MINIMIST: ForeignSource = {
  name: "minimist",
  from: { npm: "minimist@1.2.8" },
  sha: "350a76c115b393c19d24654834261e5dc9f0e8cc5e08f3937fa80140f3e4ce83",
};
const TOOLZ: ForeignSource = {
  name: "toolz",
  from: { debian: "pool/main/t/toolz/toolz_0.12.0.orig.tar.gz" },
  sha: "04d555d7ccb3c84301eaad310dd27ba511ae3dcf331ada5828d7cc03942f2c2e",
};
const FIGLET: ForeignSource = {
  name: "figlet",
  from: { debian: "pool/main/f/figlet/figlet_2.2.5.orig.tar.gz" },
  sha: "bf88c40fd0f077dab2712f54f8d39ac952e4e9f2e1882f1195be9e5e4257417d",
};

let cache = "";
beforeAll(() => {
  cache = mkdtempSync(join(tmpdir(), "loopdash-foreign-"));
});
afterAll(() => rmSync(cache, { recursive: true, force: true }));

/** The source as a repository `app`, with files that its archive leaves out. */
async function foreignRepo(stage: Stage, source: ForeignSource, more: Readonly<Record<string, string>> = {}): Promise<void> {
  await unpackSource(source, { folder: cache, to: stage.path("app") });
  for (const [file, text] of Object.entries(more)) writeFileSync(stage.path("app", file), text);
  stage.git("app", "init", "-q", "-b", "main");
  stage.git("app", "add", "-A", "-f");
  stage.git("app", "commit", "-q", "-m", `import ${source.name}`);
}

/** The lockfile that npm writes for a package that has none. */
async function lockOf(source: ForeignSource): Promise<string> {
  const to = join(cache, `${source.name}-locked`);
  await unpackSource(source, { folder: cache, to });
  npm(["install", "--package-lock-only", "--ignore-scripts"], to);
  return readFileSync(join(to, "package-lock.json"), "utf8");
}

/** Where the ticket is: in the batch itself, or in a service. */
interface Home {
  readonly id: string;
  readonly tickets: readonly Record<string, unknown>[];
  readonly tracker: object;
  readonly env: Readonly<Record<string, string>>;
  readonly service?: Service;
}

async function homeOf(kind: Service["kind"] | "batch", title: string): Promise<Home> {
  if (kind === "batch") return { id: "T-1", tickets: [{ id: "T-1", title }], tracker: { kind: "local" }, env: {} };
  const service = await openService(kind, [[1]], onTestFinished);
  service.people.retitle(1, title);
  return { id: service.id(1), tickets: [], tracker: service.tracker, env: service.env, service };
}

/** Works a ticket with the sandbox on and the default finish line: the check is the repository's own test command. */
async function worked(
  stage: Stage,
  { title, at = "batch", app = {}, over = {} }: { title: string; at?: Service["kind"] | "batch"; app?: object; over?: object },
) {
  const { id, tickets, tracker, env, service } = await homeOf(at, title);
  const batch = stage.batch(tickets, {
    sandbox: "required",
    tracker,
    repos: { app: { path: "app", ...app } },
    limits: { attempts: 1, minutesPerAttempt: 5, silenceMinutes: 5 },
    ...over,
  });
  const plan = await stage.run([batch, "--dry-run"], env);
  expect(plan.code, plan.stderr).toBe(0);
  const { code, stdout, stderr } = await stage.run([batch, "--json"], env);
  const events = eventsOf(stdout);
  expect(code, `${stdout}${stderr}`).toBe(0);
  expect(stage.landed()).toEqual([id]);
  expect(events.findLast((event) => event.type === "oracle-judged")).toMatchObject({ judgement: { verdict: "done" } });
  expect((await stage.report()).tickets).toMatchObject([{ id, state: "done", attempts: 1 }]);
  if (service !== undefined) expect(service.shown()).toMatchObject([{ id, state: "done" }]);
  const [log = ""] = globSync("runs/*/tickets/*/attempt-*/check-tests.log", { cwd: stage.home });
  return { plan: plan.stdout, log: readFileSync(join(stage.home, log), "utf8"), events };
}

/** A line of an agent that writes a file, or adds to it. */
const writes = (file: string, text: string) => `fs.writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(text)});`;
const adds = (file: string, text: string) => `fs.appendFileSync(${JSON.stringify(file)}, ${JSON.stringify(text)});`;
/** A line of an agent that replaces words, which the file must have. */
const replaces = (file: string, from: string, to: string) => `{
  const text = fs.readFileSync(${JSON.stringify(file)}, "utf8");
  if (!text.includes(${JSON.stringify(from)})) throw new Error("not there");
  fs.writeFileSync(${JSON.stringify(file)}, text.replace(${JSON.stringify(from)}, ${JSON.stringify(to)}));
}`;

const LONG_OPTION = `'use strict';

var parse = require('../');
var test = require('tape');

test('a long option', function (t) {
\tt.equal(parse(['--long=1']).long, 1);
\tt.end();
});
`;

const THIRD = `

def third(seq):
    """ The third element in a sequence

    >>> third('ABC')
    'C'
    """
    return nth(2, seq)
`;
const TEST_OF_THIRD = `

def test_third():
    from toolz.itertoolz import third
    assert third('ABCDE') == 'C'
`;

describe("a repository that nobody here wrote", { timeout: 600_000 }, () => {
  test("of npm, with its ticket on GitHub: its packages are installed from the registry, and its lint, tests and coverage judge the change", async () => {
    using stage = new Stage(PROGRAM);
    const { host, npmrc } = await npmRegistry();
    const ignored = "node_modules\ncoverage\n.nyc_output\n";
    await foreignRepo(stage, MINIMIST, { ".gitignore": ignored, ".npmrc": npmrc, "package-lock.json": await lockOf(MINIMIST) });
    stage.agent(`
      ${replaces("README.md", "# install", "# installation")}
      ${writes("test/long_option.js", LONG_OPTION)}
      say(sh("node_modules/.bin/tape", "test/long_option.js"));`);
    const { plan, log, events } = await worked(stage, {
      title: "Name the installation in the README, and test a long option",
      at: "github",
      // Its package.json has a script `prepublish`, which npm ci runs: without `inputs` any file may matter.
      app: { prepare: [["npm", "ci"]], inputs: ["package.json", "package-lock.json"] },
      over: { sandboxPolicy: { hosts: { prepare: [host] } } },
    });
    expect(plan).toContain("tests of app: npm test (found in package.json)");
    expect(log).toMatch(/eslint --ext=js,mjs \.[^]*# tests 15[4-9]\n# pass {2}15[4-9]\n[^]*Coverage summary/);
    // Once, for the base that is measured first.
    expect(events.find((event) => event.type === "base-measured")).toMatchObject({ preparations: { made: 1 } });
    expect(events.filter((event) => event.type === "prepared" && !event.reused)).toEqual([]);
    expect(stage.git("app", "show", "--stat", "--format=", "main")).toMatch(/README\.md.*\n.*test\/long_option\.js.*\n 2 files/);
  });

  test("of Python, with its ticket in Linear: tox runs pytest there, and so does the check", async () => {
    using stage = new Stage(PROGRAM);
    await foreignRepo(stage, TOOLZ);
    stage.agent(`
      ${adds("toolz/itertoolz.py", THIRD)}
      ${adds("toolz/tests/test_itertoolz.py", TEST_OF_THIRD)}
      say(sh("python3", "-m", "pytest", "-q", "-k", "test_third"));`);
    const { plan, log } = await worked(stage, { title: "Add third beside second", at: "linear" });
    expect(plan).toContain("tests of app: python3 -m pytest (found in its settings of pytest or tox)");
    expect(log).toMatch(/= \d{3} passed[^\n]* =/);
    expect(stage.git("app", "show", "main:toolz/itertoolz.py")).toContain("def third(seq):");
  });

  test("of C: its tests are run on what make has built of the change", async () => {
    using stage = new Stage(PROGRAM);
    await foreignRepo(stage, FIGLET);
    stage.agent(`
      ${replaces("figlet.c", "FIGlet Copyright (C)", "FIGlet, Copyright (C)")}
      sh("make", "all");
      say(sh("./figlet", "-d", "fonts", "-I0"));
      sh("make", "clean");`);
    const { plan, log } = await worked(stage, { title: "Set a comma in the copyright line" });
    expect(plan).toContain("tests of app: make all check (found in its Makefile, whose target check does not build by itself)");
    expect(log).toMatch(/gcc -c [^]*Run tests in [^]* pass\n[^]*All tests passed/);
    expect(log).not.toContain("**fail**");
    expect(existsSync(stage.path("app", "figlet"))).toBe(false);
  });

  test("whose tests a change breaks keeps that change out", async () => {
    using stage = new Stage(PROGRAM);
    await foreignRepo(stage, FIGLET);
    stage.agent(`
      ${replaces("figlet.c", "c[0] = ' ';", "c[0] = '.';")}`);
    const batch = stage.batch(["T-1"], { sandbox: "required", limits: { attempts: 1 } });
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    expect(stage.landed()).toEqual([]);
    const failed = events.find((event) => event.type === "attempt-ended");
    expect(failed).toMatchObject({ outcome: "failed", evidence: { step: "check", name: "tests" } });
    const [log = ""] = globSync("runs/*/tickets/*/attempt-*/check-tests.log", { cwd: stage.home });
    expect(readFileSync(join(stage.home, log), "utf8")).toContain("**fail**");
  });
});
