import { globSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { eventsOf, PROGRAM, Stage } from "./stage.ts";

const NODE = process.execPath;
const FILES = 300;
/** Makes many files of one input, and keeps a note of each run outside of what is kept. */
const SETUP = `import * as fs from "node:fs";
fs.mkdirSync("built/deep", { recursive: true });
const deps = fs.readFileSync("deps.txt", "utf8");
for (let n = 0; n < ${FILES}; n += 1) fs.writeFileSync("built/deep/" + n, deps);
`;
/** Fails unless all files are there, and of these inputs. */
const CHECK = `import * as fs from "node:fs";
const deps = fs.readFileSync("deps.txt", "utf8");
for (let n = 0; n < ${FILES}; n += 1) if (fs.readFileSync("built/deep/" + n, "utf8") !== deps) process.exit(1);
if (fs.readdirSync("built/deep").length !== ${FILES}) process.exit(1);
`;
/** An agent that fails unless its worktree is whole, and changes the input if its ticket says so. */
const AGENT = `sh(process.execPath, "check.mjs");
fs.writeFileSync(ticket + ".txt", "done\\n");
if (ticket.startsWith("D")) fs.writeFileSync("deps.txt", ticket);`;

function staged(tickets: readonly (string | Record<string, unknown>)[], limits: object = {}) {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  stage.repo("app", { "setup.mjs": SETUP, "check.mjs": CHECK, "deps.txt": "one\n", ".gitignore": "built\n" });
  stage.agent(AGENT);
  // Its own finish line: no check is measured before its attempts.
  const finish = [{ step: "check", name: "whole", command: [NODE, "check.mjs"] }, { step: "merge" }];
  const own = tickets.map((each) => ({ ...(typeof each === "string" ? { id: each } : each), finish }));
  const batch = stage.batch(own, {
    sandbox: "required",
    repos: { app: { path: "app", prepare: [[NODE, "setup.mjs"]], inputs: ["deps.txt", "setup.mjs"] } },
    limits: { minutesPerAttempt: 5, ...limits },
  });
  return { stage, batch };
}

/** A module that the engine loads first, with a body over `fsp`, `cp`, `fs` and `die`: acts between two of its system calls. */
function loadedFirst(stage: Stage, body: string): Record<string, string> {
  const file = stage.write(
    "first.mjs",
    `import cp from "node:child_process";
import fs from "node:fs";
import fsp from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
const die = () => process.kill(process.pid, "SIGKILL");
if (process.argv[2]?.endsWith("batch.json")) {
  ${body}
  syncBuiltinESMExports();
}
`,
  );
  return { NODE_OPTIONS: `--import=${file}` };
}

/** Calls `act(child)` once the first copy of a kept preparation has some of its files. */
const ON_COPY = (act: string): string => `const execFile = cp.execFile;
  let isFirst = true;
  cp.execFile = (program, args, ...rest) => {
    const child = execFile(program, args, ...rest);
    if (program !== "cp" || !isFirst) return child;
    isFirst = false;
    const to = args.at(-1) + "/built/deep";
    while (!fs.existsSync(to) || fs.readdirSync(to).length === 0);
    ${act}
    return child;
  };`;

/** The places at which the engine dies. */
const DEATHS = {
  "while it builds an entry": `const writeFile = fsp.writeFile;
  fsp.writeFile = (file, ...rest) => { if (String(file).endsWith("/entry.json")) die(); return writeFile(file, ...rest); };`,
  "while it copies an entry": ON_COPY('child.kill("SIGKILL"); die();'),
  "while it prunes entries": `const rename = fsp.rename;
  fsp.rename = async (from, to) => { await rename(from, to); if (String(to).includes("/removed-")) die(); };`,
};

/** Nothing is left of entries that were half built, copied or removed, and of worktrees and checkouts. */
function expectNothingLeft(stage: Stage): void {
  expect(globSync(["prepared/building/*", "worktrees/*", "runs/*/judge/*"], { cwd: stage.home })).toEqual([]);
}

const preparedOf = (events: readonly RunEvent[]) => events.filter((event) => event.type === "prepared");

describe("kept preparations", { timeout: 600_000 }, () => {
  test.each(Object.entries(DEATHS))("survive kill -9 of the engine %s: nothing half is used or left", async (where, body) => {
    // Each entry takes some 1.2 MB: there is room for one.
    const { stage, batch } = staged(["T-1", "T-2", { id: "D-3", dependsOn: ["T-1"] }, { id: "T-4", dependsOn: ["D-3"] }], {
      cacheGiB: 0.0015,
    });
    const killed = await stage.start([batch, "--json"], loadedFirst(stage, body)).ended;
    expect(killed.signal, killed.stdout + killed.stderr).toBe("SIGKILL");
    const left = globSync(["prepared/building/*", "worktrees/*/.*"], { cwd: stage.home });
    expect(left, where).toHaveLength(1);
    const { code, events, stdout } = await stage.events(batch);
    expect(code, stdout).toBe(0);
    expect(stage.landed().toSorted()).toEqual(["D-3", "T-1", "T-2", "T-4"]);
    expect(events.filter((event) => event.type === "attempt-ended" && event.outcome === "failed")).toEqual([]);
    expect(preparedOf(events).some(({ reused }) => reused)).toBe(true);
    expectNothingLeft(stage);
    expect(JSON.parse((await stage.run(["cache", "--json"])).stdout)).toHaveLength(1);
  });

  test("can be cleared by another process while one is copied: the commands run in its place", async () => {
    const { stage, batch } = staged(["T-1", "T-2"], { workers: 1 });
    const clear = `child.kill("SIGSTOP");
    const env = { ...process.env, NODE_OPTIONS: "" };
    const { status } = cp.spawnSync(process.execPath, [${JSON.stringify(PROGRAM)}, "cache", "--clear"], { env });
    child.kill("SIGCONT");
    if (status !== 0) die();`;
    const { code, stderr, stdout } = await stage.start([batch, "--json"], loadedFirst(stage, ON_COPY(clear))).ended;
    expect(code, stdout + stderr).toBe(0);
    const [first, ...others] = preparedOf(eventsOf(stdout));
    expect(first).toMatchObject({ reused: false, why: expect.stringMatching(/^the kept preparation (?:could not be|is gone)/) });
    expect(others.some(({ reused }) => reused)).toBe(true);
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-2"]);
    expectNothingLeft(stage);
  });
});
