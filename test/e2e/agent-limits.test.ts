import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { eventsOf, Stage } from "./stage.ts";

const of = <T extends RunEvent["type"]>(events: readonly RunEvent[], type: T) =>
  events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);

/** A batch whose agent writes `half.txt`, says something in its outbox, and goes on by the rest of its body. */
function saying(body: string, limits: Record<string, unknown> = {}, tickets = ["T-1"]) {
  const stage = new Stage();
  stage.repo("app");
  stage.agent(`fs.writeFileSync("half.txt", ticket);
const box = (name, value) => fs.writeFileSync(process.env.LOOPDASH_OUTBOX + "/" + name, typeof value === "string" ? value : JSON.stringify(value));
const inHours = (hours) => new Date(Date.now() + hours * 3_600_000).toISOString();
${body}`);
  return { stage, batch: stage.batch(tickets, { limits: { attempts: 2, ...limits } }) };
}

describe("a command agent that says it met a usage limit", () => {
  test.each([
    ["by limit.json, with exit code 0", `box("limit.json", { until: inHours(24), reason: "five hours are used up" });`],
    [
      "by limit.json, with exit code 1",
      `box("limit.json", { until: inHours(24), reason: "five hours are used up" }); process.exit(1);`,
    ],
  ])("%s: nothing lands, no attempt is charged, and the same command continues", { timeout: 120_000 }, async (_, body) => {
    const { stage, batch } = saying(body);
    using __ = stage;
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    expect(of(events, "agent-launching")).toHaveLength(1);
    expect(of(events, "run-ended")[0]?.reason).toMatch(/rate-limited\): five hours are used up; try again after \d{4}-/);
    expect(of(events, "work-kept")).toMatchObject([{ files: 1 }]);
    expect(stage.landed()).toEqual([]);
    stage.agent(`fs.writeFileSync("whole.txt", ticket);`);
    const again = await stage.run([batch, "--headless"]);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("run resumed")]);
    expect(stage.landed()).toEqual(["T-1"]);
  });

  test("by exit code 75: it waits, and the next agent is told the session", { timeout: 120_000 }, async () => {
    const { stage, batch } = saying(`if (attempt === 1) { box("session.json", { id: "s-42" }); process.exit(75); }
fs.writeFileSync("session.txt", process.env.LOOPDASH_SESSION ?? "none");`);
    using _ = stage;
    const { code, events } = await stage.events(batch);
    expect([code, stage.git("app", "show", "main:session.txt")]).toEqual([0, "s-42"]);
    const [wait] = of(events, "backoff-started");
    expect(wait?.reason).toBe("an agent asks to wait (rate-limited): its program ended with exit code 75: try later");
    expect((wait?.until ?? 0) - (wait?.at ?? 0)).toBeGreaterThan(25_000);
  });

  test.each([
    ["no JSON", "soon", "is not valid JSON"],
    ["a time too far ahead", { until: "2999-01-01T00:00:00Z" }, "seven days from now"],
    ["an unknown key", { till: 3 }, "till"],
  ])("with %s: it is refused in a line, and nothing lands", { timeout: 120_000 }, async (_, limit, why) => {
    const { stage, batch } = saying(`box("limit.json", ${JSON.stringify(limit)});`);
    using __ = stage;
    const run = stage.start([batch, "--json"]);
    await run.until(/"type":"backoff-started"/);
    run.child.kill("SIGTERM");
    await run.ended;
    expect(of(eventsOf(run.stdout()), "outbox-refused")).toMatchObject([
      { file: "limit.json", why: expect.stringContaining(why) },
    ]);
    expect(stage.landed()).toEqual([]);
  });
});

describe("what a command agent prints", () => {
  test("of a limit is shown, sanitized, with what to write; it opens nothing", { timeout: 120_000 }, async () => {
    const { stage, batch } = saying(`say("\\u001b[31mClaude usage limit reached, resets at 3pm\\u001b[0m"); process.exit(1);`);
    using _ = stage;
    const { code, stdout } = await stage.run([batch, "--headless"]);
    const told =
      'the agent exited with code 1; it printed last: "Claude usage limit reached, resets at 3pm"; its words look like a usage limit';
    expect(code).toBe(1);
    expect(stdout.split("\n").filter((line) => line.includes(`attempt failed: ${told}`))).toHaveLength(2);
    expect(stdout).toContain("let the agent write limit.json, or exit with code 75");
    expect(stdout).not.toContain("\u001b");
    expect((await stage.run(["report"])).stdout).toContain(told);
    expect((await stage.report()).tickets[0]).toMatchObject({ state: "open", attempts: 2 });
  });

  test("of a limit before it claims to be done is a hint, and no more", { timeout: 120_000 }, async () => {
    const { stage, batch } = saying(`say("429 Too Many Requests");`);
    using _ = stage;
    const { code, events } = await stage.events(batch);
    expect([code, stage.landed()]).toEqual([0, ["T-1"]]);
    expect(of(events, "outbox-refused")).toMatchObject([
      { file: "limit.json", why: expect.stringContaining("words decide nothing") },
    ]);
  });
});

describe("what a command agent says it cost", () => {
  test("counts in the ledger, and against a cap", { timeout: 120_000 }, async () => {
    const { stage, batch } = saying(`box("cost.json", { usd: 3 }); process.exit(1);`, { attempts: 5, usdPerTicket: 5 });
    using _ = stage;
    const { code, events } = await stage.events(batch);
    expect([code, of(events, "agent-ended").map(({ costUsd }) => costUsd)]).toEqual([1, [3, 3]]);
    expect(of(events, "run-ended")[0]?.reason).toContain("limits.usdPerTicket ($5)");
    expect((await stage.run(["report"])).stdout).toContain("$ 6.00");
  });

  test("never lowers the price of the batch, and cannot be negative", { timeout: 120_000 }, async () => {
    const { stage, batch } = saying(`box("cost.json", { usd: ticket === "T-1" ? 0.5 : -4 });`, {}, ["T-1", "T-2"]);
    using _ = stage;
    const priced = JSON.parse(readFileSync(batch, "utf8"));
    stage.write("batch.json", JSON.stringify({ ...priced, agent: { ...priced.agent, usdPerAttempt: 2 } }));
    const { events } = await stage.events(batch);
    expect(new Set(of(events, "agent-ended").map(({ costUsd }) => costUsd))).toEqual(new Set([2]));
    expect(of(events, "outbox-refused")[0]).toMatchObject({ ticket: "T-2", file: "cost.json" });
  });
});
