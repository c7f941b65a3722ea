import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, readlinkSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { terminals } from "./pty.ts";
import { Stage } from "./stage.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const ARCHS = ["x64", "arm64"] as const;
const own = process.arch === "arm64" ? "arm64" : "x64";
const other = own === "x64" ? "arm64" : "x64";
/** The field `e_machine` of an ELF header (elf.h). */
const ELF = { x64: 62, arm64: 183 };
const openTerminal = terminals();

let folder: string;
const file = (arch: "x64" | "arm64") => join(folder, `loopdash-${arch}`);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loopdash-single-"));
  for (const arch of ARCHS)
    execFileSync(process.execPath, [join(ROOT, "scripts/single-file.ts"), arch, file(arch)], { cwd: ROOT });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A machine without loopdash's Node on PATH, and a batch of two tickets whose tests are compared one by one. */
function aStage() {
  const stage = new Stage();
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((each) => !each.includes("node_modules"));
  const env = { PATH: path.join(delimiter), XDG_DATA_HOME: stage.path("data") };
  const manifest = '{"scripts": {"test": "node --test"}}';
  stage.repo("app", { "package.json": manifest, "a.test.mjs": 'import test from "node:test";\ntest("adds", () => {});\n' });
  stage.write("agent.sh", 'echo done > "$LOOPDASH_TICKET.txt"\n');
  const batch = stage.batch(["T-1", "T-2"], { agent: { kind: "command", command: ["sh", "agent.sh"] }, sandbox: "required" });
  return { stage, env, batch, [Symbol.dispose]: () => stage[Symbol.dispose]() };
}

/** What is in a file: the names, and the machine that its Node is for. */
function contents(arch: "x64" | "arm64") {
  const offset = Number(/offset=(\d+)/.exec(readFileSync(file(arch), "latin1").slice(0, 4096))?.[1]);
  const unpack = (flags: string, ...names: string[]) =>
    execFileSync("sh", ["-c", `tail -c "+$1" "$2" | tar ${flags} - $3`, "sh", `${offset}`, file(arch), ...names], {
      maxBuffer: 2 ** 30,
    });
  const node = unpack("-xzOf", "loopdash/bin/node");
  const names = unpack("-tzf").toString("utf8").trim().split("\n");
  return { names, magic: node.subarray(0, 4).toString("latin1"), machine: node.readUInt16LE(18) };
}

test("holds the program, a Node for its machine, and both licences", () => {
  const [x64, arm64] = ARCHS.map(contents);
  expect(x64).toMatchObject({ magic: "\x7fELF", machine: ELF.x64 });
  expect(arm64).toMatchObject({ magic: "\x7fELF", machine: ELF.arm64 });
  expect(arm64?.names).toEqual(x64?.names);
  const needed = ["dist/loopdash.js", "dist/engine.js", "dist/oracle.cjs", "dist/reporters/preload.cjs", "prompts/worker.md"];
  const all = [...needed, "bin/node", "LICENSE", "LICENSE.node", "package.json"].map((name) => `loopdash/${name}`);
  expect(x64?.names).toEqual(expect.arrayContaining(all));
});

test("needs no Node: it unpacks itself once, for this user alone", async () => {
  using on = aStage();
  const tools = ["sh", "uname", "mkdir", "mktemp", "tail", "tar", "gzip", "rm", "mv"];
  for (const tool of tools) on.stage.write(`tools/${tool}`, `#!/bin/sh\nexec /usr/bin/${tool} "$@"\n`, 0o755);
  const env = { ...on.env, PATH: on.stage.path("tools") };
  const start = () => on.stage.execute([file(own), "--version"], env).ended;
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  // Two at once: the one that is slower takes what the other has unpacked.
  for (const ended of await Promise.all([start(), start()]))
    expect(ended).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
  const listed = execFileSync("find", [on.stage.path("data"), "-maxdepth", "2", "-printf", "%m %f\n"], { encoding: "utf8" });
  expect(listed.trim().split("\n").slice(1)).toEqual([
    "700 loopdash",
    expect.stringMatching(/^\d+ loopdash-[\d.]+-\w+-[0-9a-f]{12}$/),
  ]);
});

test("works a batch, in the sandbox, test by test, to the oracle's word", async () => {
  using on = aStage();
  const run = await on.stage.execute([file(own), on.batch, "--headless"], on.env).ended;
  expect({ code: run.code, landed: on.stage.landed().toSorted() }, run.stdout + run.stderr).toEqual({
    code: 0,
    landed: ["T-1", "T-2"],
  });
  const report = await on.stage.execute([file(own), "report", "--md"], on.env).ended;
  expect(report.stdout).not.toContain("not compared");
});

test("is the program's own process in a terminal, and starts the engine", async () => {
  using on = aStage();
  const pty = openTerminal(on.stage, [], { argv: [file(own), on.batch], env: on.env });
  await pty.waitFor("◆ ORACLE");
  expect(readlinkSync(`/proc/${pty.pid}/exe`)).toMatch(/\/data\/loopdash\/loopdash-[^/]+\/bin\/node$/);
  await pty.waitFor("DONE, says the oracle");
  pty.type("q");
  expect(await pty.exitCode()).toBe(0);
});

test("refuses another machine, and a file that is not whole, and leaves nothing", async () => {
  using on = aStage();
  const foreign = await on.stage.execute([file(other), "--version"], on.env).ended;
  expect(foreign).toMatchObject({ code: 4, stderr: expect.stringContaining("this file does not run here") });
  const half = on.stage.path("half");
  const head = Buffer.alloc(2 ** 20);
  const fd = openSync(file(own), "r");
  readSync(fd, head, 0, head.length, 0);
  closeSync(fd);
  writeFileSync(half, head, { mode: 0o755 });
  const broken = await on.stage.execute([half, "--version"], on.env).ended;
  expect(broken).toMatchObject({ code: 4, stderr: expect.stringContaining("this file is not whole") });
  expect(execFileSync("ls", [on.stage.path("data/loopdash")], { encoding: "utf8" })).toBe("");
});
