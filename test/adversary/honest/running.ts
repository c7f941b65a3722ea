import { finish, type Honest, nodeCheck } from "./change.ts";

const HEAD = 'import { test } from "node:test";\nimport assert from "node:assert";\n';

/** One file of tests that is added, and passes. */
function adds(id: string, what: string, tests: string, more: Partial<Honest> = {}): Honest {
  const agent = `({ write }) => write("test/running.test.mjs", ${JSON.stringify(HEAD + tests)})`;
  return {
    id,
    what,
    told: /6 tests, 5 on the base$/,
    ticket: finish(nodeCheck("junit", "each")),
    ...more,
    agent: from(agent),
  };
}

/** An agent by its source. */
function from(source: string): Honest["agent"] {
  return Object.assign(() => undefined, { toString: () => source });
}

const BUILD = `import { cpSync, mkdirSync, writeFileSync } from "node:fs";
mkdirSync("build", { recursive: true });
cpSync("src", "build/src", { recursive: true });
writeFileSync("build/stamp.mjs", "export const stamp = 1;\\n");
`;

const BUILT = {
  "tools/build.mjs": BUILD,
  "test/built.test.mjs": `${HEAD}import { add } from "../build/src/add.mjs";\ntest("is built", () => assert.equal(add(1, 1), 2));\n`,
  "package.json": `${JSON.stringify({
    name: "sums",
    version: "1.0.0",
    type: "module",
    private: true,
    scripts: { build: "node tools/build.mjs", verify: "npm run --silent build && node src/main.mjs 1 2" },
  })}\n`,
};

const TINY = "vendor/tiny";
const PACKAGES = {
  [`${TINY}/package.json`]: '{"name":"tiny","version":"1.0.0","type":"module","exports":"./index.mjs"}\n',
  [`${TINY}/index.mjs`]: "export const tiny = 1;\n",
  "package.json": '{"name":"sums","version":"1.0.0","type":"module","dependencies":{"tiny":"file:vendor/tiny"}}\n',
  "package-lock.json": `${JSON.stringify({
    name: "sums",
    version: "1.0.0",
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { name: "sums", version: "1.0.0", dependencies: { tiny: "file:vendor/tiny" } },
      "node_modules/tiny": { resolved: "vendor/tiny", link: true },
      "vendor/tiny": { name: "tiny", version: "1.0.0" },
    },
  })}\n`,
  "test/tiny.test.mjs": `${HEAD}import { tiny } from "tiny";\ntest("has its package", () => assert.equal(tiny, 1));\n`,
};

/** Changes whose tests do what tests do: print, write, listen, start programs and build. */
export const RUNNING: readonly Honest[] = [
  adds(
    "prints-much",
    "a test that prints four megabytes, some of it like a report",
    `test("prints", () => {
  for (let i = 0; i < 40_000; i += 1) console.log("not ok " + i + " - " + "x".repeat(80));
  console.error("<testcase name='x'><failure/></testcase>\\u001b[31m\\u0000");
  console.log("1..0 # SKIP");
});`,
  ),
  adds(
    "prints-much-tap",
    "the same where the report is what the command prints",
    `test("prints", () => {
  for (let i = 0; i < 10_000; i += 1) console.log("not ok " + i + " - " + "x".repeat(80));
  console.log("Bail out!\\n1..0\\nTAP version 14");
});`,
    {
      ticket: finish({
        step: "check",
        name: "tests",
        command: [process.execPath, "--test", "--test-reporter=tap"],
        report: { format: "tap", path: "-" },
      }),
    },
  ),
  adds(
    "temporary-files",
    "a test that writes to TMPDIR, to its home and to shared memory",
    `import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
test("writes", () => {
  for (const place of [os.tmpdir(), process.env.TMPDIR, os.homedir(), "/tmp", "/var/tmp", "/dev/shm"]) {
    const folder = fs.mkdtempSync(path.join(place, "sums-"));
    fs.writeFileSync(path.join(folder, "a"), "a");
    fs.symlinkSync("a", path.join(folder, "b"));
    assert.equal(fs.readFileSync(path.join(folder, "b"), "utf8"), "a");
  }
});`,
  ),
  adds(
    "writes-in-the-checkout",
    "a test that writes into the checkout, to tracked files too",
    `import * as fs from "node:fs";
test("writes", () => {
  fs.mkdirSync("coverage", { recursive: true });
  fs.writeFileSync("coverage/lcov.info", "x");
  fs.appendFileSync("README.md", "x");
});`,
  ),
  adds(
    "listens",
    "a test that listens on localhost, by address and by name",
    `import * as http from "node:http";
import * as net from "node:net";
import { once } from "node:events";
test("serves", async () => {
  for (const host of ["127.0.0.1", "localhost", "0.0.0.0"]) {
    const server = http.createServer((_, answer) => answer.end("hello")).listen(0, host);
    await once(server, "listening");
    const { port } = server.address();
    const name = host === "0.0.0.0" ? "127.0.0.1" : host;
    assert.equal(await (await fetch("http://" + name + ":" + port)).text(), "hello");
    server.closeAllConnections();
    server.close();
  }
  const socket = net.createServer((peer) => peer.end("x")).listen("/tmp/sums.sock");
  await once(socket, "listening");
  const [data] = await once(net.connect("/tmp/sums.sock"), "data");
  assert.equal(String(data), "x");
  socket.close();
});`,
  ),
  adds(
    "starts-programs",
    "a test that starts programs, threads, and one that it leaves running",
    `import { execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
test("starts", async () => {
  assert.equal(execFileSync("sh", ["-c", "echo a | tr a b"], { encoding: "utf8" }), "b\\n");
  assert.equal(execFileSync(process.execPath, ["src/main.mjs", "1", "2"], { encoding: "utf8" }), "1 and 2 make 3\\n");
  const [value] = await once(new Worker("require('node:worker_threads').parentPort.postMessage(1)", { eval: true }), "message");
  assert.equal(value, 1);
  const killed = spawn("sleep", ["1000"]);
  killed.kill();
  assert.deepEqual(await once(killed, "exit"), [null, "SIGTERM"]);
  spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }).unref();
});`,
  ),
  adds(
    "uses-git",
    "a test that makes a repository of its own, and asks git about this one",
    `import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
test("commits", () => {
  const folder = mkdtempSync("/tmp/repo-");
  const git = (...args) => execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@t", ...args], { encoding: "utf8" });
  git("init", "-q", "-b", "main");
  writeFileSync(folder + "/a", "a");
  git("add", "-A");
  git("commit", "-q", "-m", "a");
  assert.equal(git("log", "--format=%s").trim(), "a");
  assert.match(execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }), /^[0-9a-f]{40,64}\\n$/);
});`,
  ),
  adds(
    "clocks-and-globals",
    "a test with mocked timers and dates, which it puts back",
    `test("mocks", (t) => {
  t.mock.timers.enable({ apis: ["Date", "setTimeout"], now: 0 });
  t.mock.timers.tick(1000);
  assert.equal(Date.now(), 1000);
  const spy = t.mock.method(Math, "max", () => 7);
  assert.equal(Math.max(1, 2), 7);
  assert.equal(spy.mock.callCount(), 1);
});`,
  ),
  {
    id: "builds-first",
    what: "code that is built into an ignored folder before its tests run",
    base: BUILT,
    prepare: [["npm", "run", "--silent", "build"]],
    agent: ({ edit }) => edit("src/add.mjs", "/** The sum", "/** The plain sum"),
    ticket: {
      finish: [
        { step: "gates" },
        nodeCheck("junit"),
        { step: "check", name: "build", command: ["npm", "run", "--silent", "verify"] },
        { step: "merge" },
        { step: "verify", name: "built", command: ["test", "-f", "build/stamp.mjs"] },
      ],
    },
    told: /6 tests, 6 on the base\nexit code only: /,
  },
  {
    id: "packages",
    what: "packages that npm installs without a network before its tests run, and the agent again",
    base: PACKAGES,
    // A dependency is the judge's, also one of the repository's own.
    ticket: { allow: { judge: ["vendor/**"] } },
    prepare: [["npm", "ci", "--offline", "--silent"]],
    agent: ({ edit, run }) => {
      edit("vendor/tiny/index.mjs", "export const tiny = 1;", "/** One. */\nexport const tiny = 1;");
      run("npm", "ls", "--offline");
    },
    told: /6 tests, 6 on the base$/,
  },
  {
    id: "exit-code-only",
    what: "checks without a report, one of which names the changed file",
    ticket: {
      allow: { judge: ["src/main.mjs"] },
      ...finish(
        { step: "check", name: "starts", command: [process.execPath, "src/main.mjs", "1", "2"] },
        { step: "check", name: "lint", command: ["sh", "-c", 'test -z "$(grep -rl debugger src)"'] },
      ),
    },
    agent: ({ edit }) => edit("src/main.mjs", "Number(process.argv[3])", "Number(process.argv.at(3))"),
    told: /^exit code only: .*\nexit code only: /,
  },
  {
    id: "verified",
    what: "a change that is looked at once more after it has landed",
    ticket: {
      finish: [
        { step: "gates" },
        nodeCheck("junit"),
        { step: "merge" },
        { step: "verify", name: "live", command: ["sh", "-c", 'test -f docs/live.md && test -z "$(git status --porcelain)"'] },
        { step: "assert" },
      ],
    },
    agent: ({ write }) => write("docs/live.md", "live\n"),
  },
];

/** Tickets of one repository: each builds on the one before, but the last two, which know nothing of each other. */
export const CHAIN: readonly Honest[] = [
  {
    id: "chain-1",
    what: "the first of a chain",
    repo: "chain",
    agent: ({ write }) => write("src/one.mjs", "export const one = 1;\n"),
  },
  {
    id: "chain-2",
    what: "one that builds on the first",
    repo: "chain",
    ticket: { dependsOn: ["chain-1"] },
    agent: ({ read, write }) => {
      if (!read("src/one.mjs").includes("one = 1")) throw new Error("the first is missing");
      write(
        "test/one.test.mjs",
        'import { test } from "node:test";\nimport assert from "node:assert";\nimport { one } from "../src/one.mjs";\ntest("one", () => assert.equal(one, 1));\n',
      );
    },
    told: /6 tests, 5 on the base$/,
  },
  {
    id: "chain-3a",
    what: "one that builds on the second",
    repo: "chain",
    ticket: { dependsOn: ["chain-2"] },
    agent: ({ write }) => write("src/two.mjs", 'export { one as two } from "./one.mjs";\n'),
    // The other may have landed before it.
    told: /([67]) tests, \1 on the base$/,
  },
  {
    id: "chain-3b",
    what: "another that builds on the second, at the same time",
    repo: "chain",
    ticket: { dependsOn: ["chain-2"] },
    agent: ({ edit }) => edit("test/one.test.mjs", 'test("one"', 'test("one more", () => {});\ntest("one"'),
    told: /7 tests, 6 on the base$/,
  },
];
