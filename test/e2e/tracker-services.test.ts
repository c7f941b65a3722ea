import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { SERVICES, stagedIn } from "./services.ts";
import { HONEST, PROGRAM } from "./stage.ts";

const LATE = 300_000;

describe.each(SERVICES)("a batch of tickets in %s", { timeout: LATE }, (kind) => {
  test("is worked in the order of its dependencies, and the oracle reads the service by itself", async () => {
    const { stage, service, batch, run } = await stagedIn(kind, [[1], [2, [1]]], {}, PROGRAM);
    stage.agent(`if (!prompt.includes("The words of " + ticket)) process.exit(1); ${HONEST}`);
    const { code, stdout, stderr, events } = await run();
    expect({ code, stderr }, stdout.slice(-3_000)).toEqual({ code: 0, stderr: "" });
    expect(stage.landed()).toEqual([service.id(1), service.id(2)]);
    expect(service.shown().map(({ state }) => state)).toEqual(["done", "done"]);
    expect(service.shown().map(({ comments }) => comments.length)).toEqual([1, 1]);
    expect(service.shown()[0]?.comments[0]).toContain("landed as");
    expect(events.find(({ type }) => type === "tripwire-ended")).toMatchObject({ ok: true });
    const oracle = await stage.run(["oracle", batch], service.env);
    expect(oracle.code, oracle.stderr).toBe(0);
    expect(JSON.parse(oracle.stdout)).toMatchObject({ verdict: "done", counts: { done: 2, gated: 0, open: 0 } });
  });

  test("files what agents find, shows that work has begun, and is read by --dry-run and doctor", async () => {
    const { stage, service, batch, run } = await stagedIn(kind, [[1]], { limits: { attempts: 1 } });
    const found = JSON.stringify(JSON.stringify({ title: "Found it", body: "here", reason: "seen on the way" }));
    stage.agent(
      `${HONEST} if (ticket === "${service.id(1)}") { fs.mkdirSync(process.env.LOOPDASH_OUTBOX + "/discovered", { recursive: true });
      fs.writeFileSync(process.env.LOOPDASH_OUTBOX + "/discovered/1.json", ${found}); }`,
    );
    const plan = await stage.run([batch, "--dry-run"], service.env);
    expect(plan.stdout, plan.stderr).toContain(`${service.id(1)}  [app]  Do 1`);
    const doctor = await stage.run(["doctor", batch], service.env);
    expect(doctor.stdout, doctor.stderr).toMatch(/ok +tracker +1 ticket readable in (?:Linear|GitHub); the oracle says not-done/);
    const { code, stdout, events } = await run();
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(service.shown()).toMatchObject([{ state: "done" }, { state: "done" }]);
    expect(events.flatMap((event) => (event.type === "discovery-filed" ? [event.ticket] : []))).toEqual([`${service.id(1)}-d1`]);
    const again = await stage.run(["oracle", batch], service.env);
    expect(again.code, again.stderr).toBe(0);
  });

  test("leaves a gate that a person sets, with its step, and says what is left", async () => {
    const { service, run } = await stagedIn(kind, [[1], [2]]);
    service.people.comment(2, "Human step: press the button\n\nThen tell me.");
    service.people.label(2, "human-gated");
    const { code, stdout, events } = await run();
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(service.shown()).toMatchObject([
      { state: "done" },
      { state: "open", labels: expect.arrayContaining(["human-gated"]) },
    ]);
    expect(events.findLast(({ type }) => type === "run-ended")).toBeDefined();
    expect(stdout).toContain("press the button");
  });

  test("survives a kill -9 of its engine, without a doubled landing or comment", async () => {
    const { stage, service, batch, run } = await stagedIn(kind, [[1], [2, [1]]]);
    const first = stage.start([batch, "--json"], service.env);
    await first.until(/"type":"merge-landed"/);
    first.child.kill("SIGKILL");
    await first.ended;
    const { code, stdout } = await run();
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(stage.landed()).toEqual([service.id(1), service.id(2)]);
    expect(service.shown().map(({ state, comments }) => [state, comments.length])).toEqual([
      ["done", 1],
      ["done", 1],
    ]);
  });

  test("does no work on a ticket that is canceled, and says that a person must decide", async () => {
    const { stage, service, run } = await stagedIn(kind, [[1], [2]], { tracker: {} });
    service.people.cancel(2);
    const { code, stdout, events } = await run();
    expect(code, stdout.slice(-3_000)).toBe(1);
    expect(stage.landed()).toEqual([service.id(1)]);
    expect(stdout).toMatch(/a person must decide/);
    expect(events.flatMap((event) => (event.type === "agent-started" ? [event.ticket] : []))).toEqual([service.id(1)]);
    expect(service.shown()).toMatchObject([{ state: "done" }, { state: "canceled" }]);
  });

  test("takes a canceled ticket for settled if the batch says so", async () => {
    const { stage, service, run } = await stagedIn(kind, [[1], [2]], { tracker: { canceled: "settled" } });
    service.people.cancel(2);
    const { code, stdout } = await run();
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(stage.landed()).toEqual([service.id(1)]);
  });

  test("waits for a service that is away, says so, and loses no attempt", async () => {
    const { stage, service, batch } = await stagedIn(kind, [[1]], { limits: { outageMinutes: 2 } });
    const run = stage.start([batch, "--json"], service.env);
    await run.until(/"type":"agent-started"/);
    service.away = true;
    await run.until(/"type":"outage-started","what":"tracker"/);
    service.away = false;
    const { code, stdout } = await run.ended;
    expect(code, stdout.slice(-3_000)).toBe(0);
    expect(stdout.match(/"type":"agent-started"/g)).toHaveLength(1);
    expect(service.shown()).toMatchObject([{ state: "done" }]);
  });

  test("refuses a contract of a ticket that it does not have, and warns of one that the query does not select", async () => {
    const tracker = kind === "linear" ? { label: "now" } : { labels: ["now"] };
    const { stage, service, batch } = await stagedIn(kind, [[1], [2]], { tracker });
    service.people.label(1, "now");
    const [later, missing] = [service.id(2), service.id(77)];
    stage.write("c.md", '---\ncriteria:\n  - {name: unit, command: ["true"]}\n---\n# Done\n');
    const file = JSON.parse(readFileSync(batch, "utf8"));
    const plan = (contracts: object) => {
      writeFileSync(batch, JSON.stringify({ ...file, contracts }));
      return stage.run([batch, "--dry-run"], service.env);
    };
    const warned = await plan({ [service.id(1)]: "c.md", [later]: "c.md" });
    expect(warned.code, warned.stderr).toBe(0);
    expect(warned.stdout + warned.stderr).toContain(`the batch has no ticket "${later}"`);
    const refused = await plan({ [later]: "c.md", [missing]: "c.md" });
    expect(refused.code, refused.stderr).toBe(2);
    expect(refused.stderr).toMatch(new RegExp(`contracts.*(?:Linear|GitHub) has no ticket "${missing}"`));
    expect(refused.stderr).not.toContain(later);
  });

  test("names a token that is missing or refused, and starts nothing", async () => {
    const { stage, service, batch } = await stagedIn(kind, [[1]]);
    const without = await stage.run([batch, "--headless"]);
    expect(without.code).toBe(4);
    expect(without.stderr).toMatch(/LINEAR_API_KEY|GITHUB_TOKEN/);
    const [variable = ""] = Object.keys(service.env);
    const unfit = await stage.run([batch, "--headless"], { [variable]: "lin_api_4711-4711\nsecond-line" });
    expect(unfit.code).toBe(4);
    expect(unfit.stderr).toMatch(/is no token: it has a blank, a line end/);
    expect(unfit.stdout + unfit.stderr).not.toMatch(/4711|second-line/);
    const wrong = await stage.run([batch, "--headless"], { [variable]: "lin_api_wrong-token-0123" });
    expect(wrong.code).toBe(3);
    expect(wrong.stderr).toMatch(/token/);
    expect(wrong.stderr).not.toContain("wrong-token-0123");
  });
});

describe("a person's ticket", { timeout: LATE }, () => {
  test.each(SERVICES)("in %s that was given away during a run is left alone by the next run too", async (kind) => {
    const { stage, service, batch, run } = await stagedIn(kind, [[1], [2]]);
    stage.agent(`if (ticket === "${service.id(2)}") await wait(60_000); ${HONEST}`);
    const first = stage.start([batch, "--json"], service.env);
    await first.until(/"type":"merge-landed"/);
    service.people.assign(2, "ada");
    expect((await first.ended).code).toBe(1);
    stage.agent(HONEST);
    const again = await run();
    expect(again.code, again.stdout.slice(-2_000)).toBe(1);
    expect(again.stdout).toMatch(/it is assigned to .* now, and is left to that person/);
    expect(stage.landed()).toEqual([service.id(1)]);
  });
});
