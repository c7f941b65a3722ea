import { readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { SmallDisk } from "./small-disk.ts";
import { eventsOf, HONEST, PROGRAM, Stage } from "./stage.ts";

const launches = (events: readonly RunEvent[]) => events.filter((event) => event.type === "agent-launching").length;
const of = <T extends RunEvent["type"]>(events: readonly RunEvent[], type: T) =>
  events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);

/** A batch over a folder of tickets that a live check moves away after the landing, once. */
function withTracker(outageMinutes: number) {
  const stage = new Stage();
  stage.repo("app");
  stage.agent(HONEST);
  stage.write("tickets/T-1.md", "---\nrepo: app\n---\n# Do T-1\n");
  stage.write("take-it-away", "");
  const [tickets, gone, sign] = [stage.path("tickets"), stage.path("gone"), stage.path("take-it-away")];
  const live = ["sh", "-c", `test -e T-1.txt || exit 9; test -e ${sign} || exit 0; rm ${sign}; mv ${tickets} ${gone}`];
  const batch = stage.batch([], {
    tracker: { kind: "local", path: "tickets" },
    tickets: undefined,
    finish: [{ step: "gates" }, { step: "merge" }, { step: "verify", name: "live", command: live }],
    limits: { attempts: 1, outageMinutes },
  });
  return { stage, batch, back: () => renameSync(gone, tickets), ticket: () => readFileSync(`${tickets}/T-1.md`, "utf8") };
}

describe("a tracker folder that is moved away after a landing", () => {
  test("and comes back: no attempt is spent, and the run is done", { timeout: 300_000 }, async () => {
    const { stage, batch, back, ticket } = withTracker(5);
    using _ = stage;
    const run = stage.start([batch, "--json"]);
    // Several tries have failed by then.
    await run.until(/(?:"type":"outage-continues".*\n[^]*){3}/);
    back();
    const { code, stderr, stdout } = await run.ended;
    const events = eventsOf(stdout);
    expect([code, stderr, launches(events)]).toEqual([0, "", 1]);
    expect(of(events, "attempt-ended").map(({ outcome }) => outcome)).toEqual(["done"]);
    expect(of(events, "outage-started")[0]).toMatchObject({ what: "tracker", why: expect.stringContaining("tickets") });
    expect(of(events, "outage-ended").some(({ givenUp }) => givenUp !== undefined)).toBe(false);
    expect(ticket()).toContain("state: done");
    expect((await stage.report()).tickets).toMatchObject([{ id: "T-1", state: "done", attempts: 1 }]);
  });

  test("for good: exit 3 with the reason, and the same command continues the same run", { timeout: 300_000 }, async () => {
    const { stage, batch, back, ticket } = withTracker(0.05);
    using _ = stage;
    const first = await stage.events(batch);
    expect(first.code).toBe(3);
    const landed = /≈ T-1 .*\n +landed as [0-9a-f]{7}; its steps after the merge have not passed yet/;
    expect((await stage.run(["report"])).stdout).toMatch(landed);
    expect((await stage.run(["report", "--md"])).stdout).toMatch(/ {2}- landed as [0-9a-f]{7}; its steps after the merge/);
    expect(await stage.run([batch, "--headless"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/The unfinished run test-\d+-\w+ continues then/),
    });
    const [end] = of(first.events, "run-ended");
    expect(end).toMatchObject({ kind: "unjudged", reason: expect.stringMatching(/^the tracker was away: .*tickets/) });
    expect(of(first.events, "attempt-ended").map(({ outcome }) => outcome)).toEqual(["stopped"]);
    back();
    const second = await stage.events(batch);
    expect([second.code, second.stderr, launches(second.events)]).toEqual([0, "", 0]);
    expect(of(second.events, "run-resumed")).toHaveLength(1);
    expect(of(second.events, "attempt-ended").map(({ outcome }) => outcome)).toEqual(["done"]);
    expect(ticket()).toContain("state: done");
  });

  test("and the engine is killed meanwhile: the next one asks afresh, and nothing is done twice", {
    timeout: 300_000,
  }, async () => {
    const { stage, batch, back, ticket } = withTracker(5);
    using _ = stage;
    const run = stage.start([batch, "--json"]);
    await run.until(/"type":"outage-continues"/);
    run.child.kill("SIGKILL");
    expect((await run.ended).signal).toBe("SIGKILL");
    back();
    const second = await stage.events(batch);
    expect([second.code, launches(second.events), stage.landed()]).toEqual([0, 0, ["T-1"]]);
    expect(of(second.events, "outage-started")).toEqual([]);
    expect(ticket()).toContain("state: done");
  });

  test("a stop ends the wait at once", { timeout: 300_000 }, async () => {
    const { stage, batch } = withTracker(5);
    using _ = stage;
    const run = stage.start([batch, "--json"]);
    await run.until(/"type":"outage-started"/);
    run.child.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
  });
});

test("a disk that is full while the oracle is proven leaves it unproven, and the proof is repeated", {
  timeout: 300_000,
}, async () => {
  using stage = new Stage(PROGRAM);
  // Only what judges is on the disk, and nothing runs but the proof: neither the journal nor an agent takes space or frees any.
  const runs = stage.path("home", "runs");
  using disk = await SmallDisk.at(runs);
  stage.repo("app");
  stage.agent(HONEST);
  stage.write("tickets/T-1.md", "---\nrepo: app\nstate: done\n---\n# Do T-1\n");
  stage.write("own.mjs", filling(runs));
  const batch = stage.batch([], {
    tracker: { kind: "local", path: "tickets" },
    tickets: undefined,
    oracle: { command: ["node", "own.mjs"] },
    limits: { outageMinutes: 5 },
  });
  const run = stage.start([batch, "--json"], {}, undefined, disk.by);
  await run.until(/"type":"tripwire-ended".*"unproven":true/);
  await disk.grow("128m");
  const { code, stdout } = await run.ended;
  const events = eventsOf(stdout);
  expect(of(events, "tripwire-ended")[0]).toMatchObject({
    ok: false,
    unproven: true,
    problem: expect.stringContaining("ENOSPC"),
  });
  expect(of(events, "outage-started").map(({ what }) => what)).toContain("tripwire");
  const judging = events.filter(({ type }) => type === "tripwire-ended" || type === "oracle-judged");
  expect(judging.slice(-2)).toMatchObject([{ ok: true }, { final: true, judgement: { verdict: "done" } }]);
  expect([of(events, "oracle-judged").length, code]).toEqual([1, 0]);
});

/** The size of the file by which an oracle fills a disk. Bytes. */
const FILLER = 48 * 1024 * 1024;

/**
 * loopdash's oracle, which first fills the disk of these runs if it is no larger than the filler. It also keeps the files of the
 * canary: else their space would do for the next one.
 */
function filling(runs: string): string {
  return `import fs from "node:fs";
const { tracker: { folder } } = JSON.parse(fs.readFileSync(process.argv.at(-1), "utf8"));
const full = ${JSON.stringify(join(runs, "full"))};
const size = () => fs.statSync(full, { throwIfNoEntry: false })?.size ?? 0;
if (size() < ${FILLER}) {
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) fs.linkSync(folder + "/" + name, full + process.pid + name);
  try { while (size() < ${FILLER}) fs.appendFileSync(full, Buffer.alloc(65_536)); }
  catch (error) { if (error.code !== "ENOSPC") throw error; }
}
await import(${JSON.stringify(join(dirname(PROGRAM), "oracle.cjs"))});
`;
}
