import { globSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { Stage } from "./stage.ts";

/** Makes a folder from an input, marked with a number that no second run of it gives. */
const SETUP = `import * as fs from "node:fs";
fs.mkdirSync("built/deep", { recursive: true });
fs.writeFileSync("built/deep/deps", fs.readFileSync("deps.txt"));
fs.writeFileSync("built/made", process.hrtime.bigint() + "-" + Math.random());
console.log("MADE");
`;
/** Fails unless the prepared files are those of its own inputs. */
const CHECK = `import * as fs from "node:fs";
console.log("SEEN " + fs.readFileSync("built/made", "utf8"));
if (fs.readFileSync("built/deep/deps", "utf8") !== fs.readFileSync("deps.txt", "utf8")) process.exit(1);
`;
const FILES = { "setup.mjs": SETUP, "check.mjs": CHECK, "deps.txt": "one\n", ".gitignore": "built\n" };
const NODE = process.execPath;
const FINISH = [{ step: "check", name: "look", command: [NODE, "check.mjs"] }, { step: "merge" }];

/** An agent that writes into its prepared files, and changes an input if its ticket says so. */
const AGENT = `say("SEEN " + fs.readFileSync("built/made", "utf8"));
fs.writeFileSync("built/made", "spoilt by " + ticket);
fs.rmSync("built/deep", { recursive: true });
fs.writeFileSync(ticket + ".txt", "done\\n");
if (ticket.startsWith("D")) fs.writeFileSync("deps.txt", ticket);`;

type Prepared = Extract<RunEvent, { type: "prepared" }>;

function preparedOf(events: readonly RunEvent[]): readonly Prepared[] {
  return events.filter((event) => event.type === "prepared");
}

/** What was seen of the preparation by agents and checks, by the number that it carries. */
function seen(stage: Stage): readonly string[] {
  const logs = globSync("runs/*/tickets/*/attempt-*/{agent,check-look}.log", { cwd: stage.home });
  return logs.flatMap((log) => readFileSync(join(stage.home, log), "utf8").match(/(?<=SEEN ).*/g) ?? []);
}

function stageOf(tickets: readonly string[], repo: Record<string, unknown> = {}) {
  const stage = new Stage();
  stage.repo("app", FILES);
  stage.agent(AGENT);
  const app = { path: "app", prepare: [[NODE, "setup.mjs"]], inputs: ["deps.txt", "setup.mjs"], ...repo };
  const own = tickets.map((id) => ({ id, finish: FINISH }));
  const batch = stage.batch(own, { sandbox: "required", repos: { app } });
  return { stage, batch };
}

/** Makes folders that no path reaches: one half is moved into the other. */
function makeTooDeep(folder: string): void {
  const names = Array.from({ length: 10 }, () => "d".repeat(250));
  const [upper, lower] = [join(folder, "upper", ...names), join(folder, "lower", ...names)];
  for (const half of [upper, lower]) mkdirSync(half, { recursive: true });
  renameSync(join(folder, "lower"), join(upper, "lower"));
}

describe("prepare commands", () => {
  test("run once for all worktrees and checks whose inputs are equal, and nobody sees what another wrote", async () => {
    const { stage, batch } = stageOf(["T-1", "T-2", "T-3"]);
    using _ = stage;
    const { code, events, stdout } = await stage.events(batch);
    expect(code, stdout).toBe(0);
    const prepared = preparedOf(events);
    expect(prepared.filter(({ reused }) => !reused)).toHaveLength(1);
    // Three worktrees, and at least the check of one train.
    expect(prepared.length).toBeGreaterThanOrEqual(4);
    expect(new Set(prepared.map(({ key }) => key)).size).toBe(1);
    expect(new Set(seen(stage)).size).toBe(1);
    expect(seen(stage).join("\n")).not.toContain("spoilt");
    const listed = await stage.run(["cache", "--json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ name: "app", files: 2 }]);
    expect((await stage.run(["report"])).stdout).toMatch(/preparations \d+: \d+ reused/);
    expect((await stage.run(["cache"])).stdout).toContain(prepared[0]?.key);
    expect((await stage.run(["cache", "--clear"])).stdout).toBe("removed 1 preparation and 0 results of checks\n");
    expect((await stage.run(["cache"])).stdout).toBe("no preparation is kept\nno result of a check is kept\n");
  });

  test("run each time, with the reason, if a folder that they may read can change unseen", async () => {
    const { stage } = stageOf([]);
    using _ = stage;
    makeTooDeep(stage.path("shared"));
    const app = { path: "app", prepare: [[NODE, "setup.mjs"]], inputs: ["deps.txt", "setup.mjs"] };
    const sandboxPolicy = { read: [stage.path("shared")] };
    const batch = stage.batch([{ id: "T-1", finish: FINISH }], { sandbox: "required", repos: { app }, sandboxPolicy });
    const { code, events, stdout } = await stage.events(batch);
    expect(code, stdout).toBe(0);
    const why = `${stage.path("shared")} has folders within folders beyond the length of a path`;
    expect(preparedOf(events).map(({ name, reused, why }) => ({ name, reused, why }))).toEqual([
      { name: "worktree", reused: false, why },
      { name: "look", reused: false, why },
    ]);
  });

  test("run afresh for a change to an input, whose result serves nobody else", async () => {
    const { stage, batch } = stageOf(["D-1"]);
    using _ = stage;
    const { code, events, stdout } = await stage.events(batch);
    expect(code, stdout).toBe(0);
    expect(preparedOf(events).map(({ name, reused, why }) => ({ name, reused, why }))).toEqual([
      { name: "worktree", reused: false, why: undefined },
      { name: "look", reused: false, why: "the change touches an input" },
      // The proof, in the judge's tree: what prepares it is the base's.
      { name: "look", reused: true, why: undefined },
    ]);
    expect(JSON.parse((await stage.run(["cache", "--json"])).stdout)).toHaveLength(1);
  });

  test("run for each alone if the batch turns the cache off", async () => {
    const { stage, batch } = stageOf(["T-1"], { cache: false });
    using _ = stage;
    const { code, events, stdout } = await stage.events(batch);
    expect(code, stdout).toBe(0);
    expect(preparedOf(events).map(({ reused, why }) => ({ reused, why }))).toEqual([
      { reused: false, why: "the batch turns it off" },
      { reused: false, why: "the batch turns it off" },
    ]);
    expect(new Set(seen(stage)).size).toBe(2);
  });
});
