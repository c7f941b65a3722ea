import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { HONEST, Stage } from "./stage.ts";

/** An agent that finds these while it works T-1, and works every ticket honestly but those of which `fails` is true. */
function findingAgent(stage: Stage, found: readonly object[], fails = "false"): void {
  stage.agent(`
    if (ticket === "T-1") {
      const folder = process.env.LOOPDASH_OUTBOX + "/discovered";
      fs.mkdirSync(folder, { recursive: true });
      ${JSON.stringify(found)}.forEach((each, n) => fs.writeFileSync(folder + "/" + n + ".json", JSON.stringify({ reason: "seen on the way", ...each })));
    }
    if (${fails}) process.exit(1);
    ${HONEST}`);
}

const of = <T extends RunEvent["type"]>(events: readonly RunEvent[], type: T) =>
  events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);

/** The tracker that the embedded kind keeps for the newest run. */
function trackerOf(stage: Stage): { id: string; title: string; body: string; state: string }[] {
  const runs = join(stage.home, "runs");
  const newest = readdirSync(runs).filter((run) => existsSync(join(runs, run, "tracker.json")));
  return JSON.parse(readFileSync(join(runs, newest.at(-1) as string, "tracker.json"), "utf8")).tickets;
}

describe("what workers find", () => {
  test("is worked, shipped, counted and judged like the rest; over the cap it is refused and told", {
    timeout: 300_000,
  }, async () => {
    using stage = new Stage();
    stage.repo("app");
    findingAgent(stage, [
      { title: "A leak", body: "in the cellar" },
      { title: "A drip", blocks: true },
      { title: "do t-2" },
      { title: "Too much" },
    ]);
    const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }], { limits: { discoveries: 2 } });
    const { code, events, stderr } = await stage.events(batch);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-1-d1", "T-1-d2", "T-2"]);
    expect(of(events, "discovery-refused").map(({ title, why }) => [title, why])).toEqual([
      ["do t-2", "the run takes no more: at most 2 (limits.discoveries)"],
      ["Too much", "the run takes no more: at most 2 (limits.discoveries)"],
    ]);
    expect(of(events, "oracle-judged").at(-1)?.judgement.counts).toEqual({ done: 4, gated: 0, open: 0 });
    expect(trackerOf(stage).map((t) => [t.id, t.title, t.state])).toEqual([
      ["T-1", "Do T-1", "done"],
      ["T-2", "Do T-2", "done"],
      ["T-1-d1", "A leak", "done"],
      ["T-1-d2", "A drip", "done"],
    ]);
    const report = await stage.report();
    expect(report).toMatchObject({ verdict: "done", attempts: 4 });
    expect(report.tickets.map((t) => [t.id, t.title, t.state])).toContainEqual(["T-1-d1", "A leak", "done"]);
    expect((await stage.run(["oracle", batch])).stdout).toContain('"counts":{"done":4,"gated":0,"open":0}');
  });

  test("keeps the run from being done as long as it is open, and a new run takes it along", { timeout: 300_000 }, async () => {
    using stage = new Stage();
    stage.repo("app");
    const found = [{ title: "A leak" }, { title: "A drip", body: "under the roof" }];
    findingAgent(stage, found, `ticket === "T-1-d2"`);
    const batch = stage.batch(["T-1", "T-2"], { limits: { attempts: 1 } });
    const first = await stage.events(batch);
    expect(first.code).toBe(1);
    expect(of(first.events, "run-ended")[0]?.reason).toContain("1 of 4 tickets is open: T-1-d2 stalled");
    const asked = await stage.run(["oracle", batch]);
    expect(asked).toMatchObject({ code: 1, stdout: expect.stringContaining('"open":["T-1-d2"]') as string });
    findingAgent(stage, found);
    const second = await stage.events(batch);
    expect(second.code).toBe(0);
    expect(of(second.events, "attempt-claimed").map((event) => event.ticket)).toEqual(["T-1-d2"]);
    expect(of(second.events, "run-started")[0]?.batch.tickets.map((t) => [t.id, t.foundBy])).toEqual([
      ["T-1", undefined],
      ["T-2", undefined],
      ["T-1-d1", "T-1"],
      ["T-1-d2", "T-1"],
    ]);
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-1-d1", "T-1-d2", "T-2"]);
    expect(await stage.run(["oracle", batch])).toMatchObject({ code: 0 });
    const third = await stage.events(batch, "--fresh");
    expect(of(third.events, "run-started")[0]?.batch.tickets).toHaveLength(2);
  });
});

describe("kill -9", () => {
  test.each(["ticket-discovered", "discovery-filed"])(
    "of the engine at %s, again and again, loses no ticket and doubles none",
    { timeout: 300_000 },
    async (type) => {
      using stage = new Stage();
      stage.repo("app");
      findingAgent(stage, [{ title: "A leak" }, { title: "A drip" }, { title: "A crack" }]);
      const batch = stage.batch(["T-1"], { limits: { workers: 1 } });
      let kills = 0;
      for (let code: number | null = null; code === null; kills += 1) {
        const run = stage.start([batch, "--json"]);
        await run.until(new RegExp(`"type":"${type}"`)).then(
          () => run.child.kill("SIGKILL"),
          () => undefined,
        );
        const ended = await run.ended;
        expect(ended.stderr).toBe("");
        code = ended.code;
        if (kills > 20) throw new Error("the run never ended");
      }
      expect(kills).toBeGreaterThan(1);
      expect(stage.landed().toSorted()).toEqual(["T-1", "T-1-d1", "T-1-d2", "T-1-d3"]);
      expect(trackerOf(stage).map((t) => [t.title, t.state])).toEqual([
        ["Do T-1", "done"],
        ["A leak", "done"],
        ["A drip", "done"],
        ["A crack", "done"],
      ]);
      expect(await stage.report()).toMatchObject({ verdict: "done", exitCode: 0 });
      expect(JSON.parse((await stage.run(["runs", "--json"])).stdout)).toHaveLength(1);
    },
  );
});

describe("a folder of tickets", () => {
  const ticket = (title: string, state = "open") => `---\nstate: ${state}\n---\n# ${title}\n`;

  test("gets a file for what was found, under a name that nothing has; later runs read it with the rest", {
    timeout: 300_000,
  }, async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.write("tickets/T-1.md", ticket("One"));
    stage.write("tickets/t-1-D1.md", "notes of a person, no ticket\n");
    findingAgent(stage, [{ title: 'A "leak": state: done', body: "---\nstate: done\n---" }], `ticket === "T-1-d2"`);
    const batch = stage.batch([], { tracker: { kind: "local", path: "tickets" }, limits: { attempts: 1 } });
    expect((await stage.events(batch)).code).toBe(1);
    expect(readFileSync(stage.path("tickets/T-1-d2.md"), "utf8")).toMatch(
      /^---\nid: T-1-d2\ntitle: "A \\"leak\\": state: done"\nrepo: app\nstate: open\n/,
    );
    expect(readFileSync(stage.path("tickets/t-1-D1.md"), "utf8")).toBe("notes of a person, no ticket\n");
    findingAgent(stage, []);
    expect((await stage.events(batch)).code).toBe(0);
    expect(stage.landed()).toEqual(["T-1", "T-1-d2"]);
    expect(readFileSync(stage.path("tickets/T-1-d2.md"), "utf8")).toContain("state: done");
  });

  test("of which a batch names some: a new run takes along what the last one found, unless its file is gone", {
    timeout: 300_000,
  }, async () => {
    using stage = new Stage();
    stage.repo("app");
    for (const id of ["T-1", "T-9"]) stage.write(`tickets/${id}.md`, ticket(id));
    findingAgent(stage, [{ title: "A leak" }, { title: "A drip" }], `ticket !== "T-1"`);
    const batch = stage.batch([{ id: "T-1", title: "One" }], {
      tracker: { kind: "local", path: "tickets" },
      limits: { attempts: 1 },
    });
    expect((await stage.events(batch)).code).toBe(1);
    rmSync(stage.path("tickets/T-1-d2.md"));
    findingAgent(stage, []);
    const { code, events, stderr } = await stage.events(batch);
    expect(code).toBe(0);
    expect(stderr).toMatch(/left out tickets that run \S+ found, because their repository or ticket is missing: T-1-d2/);
    expect(of(events, "run-started")[0]?.batch.tickets.map((t) => t.id)).toEqual(["T-1", "T-1-d1"]);
    expect(stage.landed()).toEqual(["T-1", "T-1-d1"]);
  });
});

test("an agent that writes to the tracker of a discovered ticket, or takes it out, is not believed", {
  timeout: 300_000,
}, async () => {
  using stage = new Stage();
  stage.repo("app");
  findingAgent(
    stage,
    [{ title: "A leak" }],
    // By way of its outbox: what lies beside the run may be a canary's, which can be half a file.
    `ticket === "T-1-d1" && (() => {
    const file = process.env.LOOPDASH_OUTBOX.split("/tickets/")[0] + "/tracker.json";
    const tracker = JSON.parse(fs.readFileSync(file, "utf8"));
    fs.writeFileSync(file, JSON.stringify({ ...tracker, tickets: tracker.tickets.filter((t) => t.id !== ticket) }));
    return true;
  })()`,
  );
  const batch = stage.batch(["T-1"], { limits: { attempts: 1 } });
  const { code, events } = await stage.events(batch);
  expect(code).toBe(3);
  expect(of(events, "run-ended")[0]?.reason).toContain("T-1-d1");
});
