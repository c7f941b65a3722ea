import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { EDITS, editedOracle } from "../adapters/tripwire/edited-oracle.ts";
import { OWN } from "../adapters/tripwire/own-oracle.ts";
import { eventsOf, HONEST, PROGRAM, Stage } from "./stage.ts";

const TICKETS = ["T-1", "T-2", "T-3"];
/** It does nothing, so nothing is ever done. */
const IDLE = `say("nothing");`;

/** A copy of the program as it ships, whose oracle can be edited. */
function install(stage: Stage, lies?: string): { readonly program: string; readonly oracle: string } {
  const root = stage.path("installed");
  const packaged = dirname(dirname(PROGRAM));
  for (const part of ["dist", "prompts", "package.json"]) cpSync(join(packaged, part), join(root, part), { recursive: true });
  const oracle = join(root, "dist", "oracle.cjs");
  if (lies !== undefined) writeFileSync(oracle, editedOracle(readFileSync(oracle), { lies }));
  return { program: join(root, "dist", "loopdash.js"), oracle };
}

async function ended(stage: Stage, program: string, batch: string) {
  const { code, stdout, stderr } = await stage.start([batch, "--json"], {}, program).ended;
  return { code, stderr, events: eventsOf(stdout) };
}

const end = (events: readonly RunEvent[]) => events.find((e) => e.type === "run-ended");

/** A folder of tickets outside the state folder. */
function ticketFolder(stage: Stage): string {
  for (const id of TICKETS) stage.write(`project/tickets/${id}.md`, `---\nstate: open\n---\n# Do ${id}\n`);
  return stage.path("project/tickets");
}

// What oracles say that were edited before, or are replaced while a run lives: test/adversary/verifier.
describe("an oracle edited before the run began", () => {
  test("that knows a folder of tickets by its path is caught", { timeout: 300_000 }, async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    stage.agent(IDLE);
    const path = ticketFolder(stage);
    const { program } = install(stage, `return place === ${JSON.stringify(path)};`);
    const { code, events } = await ended(stage, program, stage.batch([], { tracker: { kind: "local", path } }));
    expect(code).toBe(3);
    expect(end(events)?.reason).toContain("and in it T-1, T-2, T-3 are open");
  });

  test("that begins to lie when the work is over ends in exit 3 too", { timeout: 300_000 }, async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    const path = ticketFolder(stage);
    // What is beside the tickets is in no copy of them.
    const mark = join(path, "over");
    stage.agent(`while (!fs.existsSync("${stage.path("go")}")) await wait(20); fs.writeFileSync("${mark}", "");`);
    const { program } = install(stage, `return place === ${JSON.stringify(path)} && fs.existsSync("${mark}");`);
    const batch = stage.batch([], { tracker: { kind: "local", path } });
    const run = stage.start([batch, "--json"], {}, program);
    await run.until(/"tripwire-ended"/);
    stage.write("go", "");
    const { code, stdout } = await run.ended;
    const events = eventsOf(stdout);
    expect(events.filter((e) => e.type === "tripwire-ended")).toMatchObject([{ ok: true }]);
    expect(code).toBe(3);
    expect(end(events)).toMatchObject({
      kind: "unjudged",
      reason: expect.stringMatching(/and in it T-1, T-2, T-3 are open/) as string,
    });
  });
});

describe("the oracle that ships", () => {
  test("passes, and no verdict comes before; nothing of the canaries is left", { timeout: 300_000 }, async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    stage.agent(HONEST);
    const { code, events } = await stage.events(stage.batch(TICKETS));
    expect(code).toBe(0);
    const types = events.map((e) => e.type);
    expect(events.find((e) => e.type === "tripwire-ended")).toMatchObject({ ok: true, canaries: 21 });
    expect(types.indexOf("tripwire-ended")).toBeLessThan(types.indexOf("oracle-asked"));
    expect(types.indexOf("attempt-claimed")).toBeLessThan(types.indexOf("tripwire-started"));
    const run = events[0]?.type === "run-started" ? events[0].run : "";
    expect(readdirSync(join(stage.home, "runs"))).toEqual([run]);
    expect(readdirSync(join(stage.home, "runs", run))).not.toContain("canaries");
  });

  test("a tripwire that fires ends the workers", { timeout: 300_000 }, async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    stage.agent(`say("READY"); await wait(600_000);`);
    const { program } = install(stage, EDITS["says yes on an empty batch"]);
    const { code, events } = await ended(stage, program, stage.batch(TICKETS));
    expect(code).toBe(3);
    expect(events.flatMap((e) => (e.type === "attempt-ended" ? [e.outcome] : []))).toEqual(["stopped", "stopped", "stopped"]);
    expect(end(events)?.reason).toContain("an empty batch");
  });
});

describe("the canaries", () => {
  test("that an engine leaves which is killed while it proves are removed by the next one", {
    timeout: 300_000,
  }, async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    stage.agent(`if (!fs.existsSync("${stage.path("go")}")) { say("READY"); await wait(600_000); } ${HONEST}`);
    const batch = stage.batch(["T-1"]);
    const first = stage.start([batch, "--json"]);
    await first.until(/"tripwire-started"/);
    const runs = join(stage.home, "runs");
    while (readdirSync(runs).length < 2) await new Promise((again) => setImmediate(again));
    first.child.kill("SIGKILL");
    await first.ended;
    stage.write("go", "");
    const { code } = await stage.events(batch);
    expect(code).toBe(0);
    expect(readdirSync(runs).length).toBe(1);
    expect(existsSync(join(runs, readdirSync(runs)[0] ?? "", "canaries"))).toBe(false);
  });
});

describe("an oracle of the user's own", () => {
  const oracle = { command: ["node", "own.mjs"] };

  test("is proven by canaries, ends the run as done, and is what `loopdash oracle` runs", { timeout: 300_000 }, async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    stage.agent(`${HONEST} if (ticket === "T-1") fs.writeFileSync("${stage.path("own.mjs")}", "process.exitCode = 3;");`);
    stage.write("own.mjs", OWN());
    const batch = stage.batch(TICKETS, { oracle });
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    expect(events.find((e) => e.type === "tripwire-ended")).toMatchObject({ ok: true, canaries: 21 });
    expect((await stage.run(["oracle", batch])).code).toBe(2);
    stage.write("own.mjs", OWN());
    expect(await stage.run(["oracle", batch])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"verdict":"done"') as string,
    });
  });

  test("that looks elsewhere cannot be tried, and a warning says so", { timeout: 300_000 }, async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    stage.agent(HONEST);
    stage.write("own.mjs", `import fs from "node:fs"; process.exitCode = fs.existsSync("${stage.path("live")}") ? 0 : 1;`);
    const batch = stage.batch(["T-1"], { oracle: { ...oracle, reads: "elsewhere" } });
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    expect(events.find((e) => e.type === "tripwire-ended")).toMatchObject({ ok: true, canaries: 0 });
    stage.write("live", "");
    expect((await stage.events(batch, "--fresh")).code).toBe(0);
    expect((await stage.run([batch, "--dry-run"])).stderr).toContain("no canary can test an oracle that reads no tracker");
  });

  test("whose program is not there: refused before anything starts, exit 4", async () => {
    using stage = new Stage(PROGRAM);
    stage.repo("app");
    stage.agent(HONEST);
    const ended = await stage.run([stage.batch(["T-1"], { oracle: { command: ["./nowhere"] } }), "--headless"]);
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining("oracle program") as string });
  });
});
