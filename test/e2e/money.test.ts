import { describe, expect, test } from "vitest";
import { HONEST, Stage } from "./stage.ts";

const agent = { kind: "command", command: [process.execPath, "agent.mjs"], usdPerAttempt: 2 } as const;
const FAILS = `say("try " + attempt); process.exitCode = 1;`;

/** How often an agent was started. */
const launches = (events: readonly { readonly type: string }[]) => events.filter((e) => e.type === "agent-launching").length;

describe("a cap that is reached parks the run with exit 1, and says which and what is left", () => {
  test.for([
    ["usdPerRun", { usdPerRun: 5 }, "1 of 3 tickets is open: T-3 one more attempt could exceed limits.usdPerRun ($5)"],
    ["usdPerTicket", { usdPerTicket: 3 }, "1 of 3 tickets is open: T-1 one more attempt could exceed limits.usdPerTicket ($3)"],
    ["usdPerDay", { usdPerDay: 5 }, "1 of 3 tickets is open: T-3 one more attempt could exceed limits.usdPerDay ($5)"],
  ] as const)("%s", async ([cap, limits, left]) => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`if (ticket === "T-1" && ${cap === "usdPerTicket"}) { ${FAILS} } else { ${HONEST} }`);
    const batch = stage.batch(["T-1", "T-2", "T-3"], { agent, limits: { workers: 1, attempts: 5, ...limits } });
    const { code } = await stage.events(batch);
    expect(code).toBe(1);
    const { reason, verdict, costUsd } = await stage.report();
    expect(verdict).toBe("not-done");
    expect(reason).toContain(left);
    expect(costUsd).toBe(cap === "usdPerTicket" ? 6 : 4);
  });
});

describe("the money of a day", () => {
  test("is that of all runs: the second one finds what the first has left of it", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(HONEST);
    const limits = { usdPerDay: 5, workers: 1 };
    const first = await stage.events(stage.batch(["T-1", "T-2"], { agent, limits }));
    expect([first.code, launches(first.events)]).toEqual([0, 2]);
    const second = await stage.events(stage.batch(["T-3"], { agent, limits }));
    expect([second.code, launches(second.events)]).toEqual([1, 0]);
    expect((await stage.report()).reason).toContain(
      "1 of 1 ticket is open: T-3 one more attempt could exceed limits.usdPerDay ($5)",
    );
    // More of it, and the same ticket ships.
    const third = await stage.events(stage.batch(["T-3"], { agent, limits: { ...limits, usdPerDay: 6 } }));
    expect([third.code, launches(third.events)]).toEqual([0, 1]);
  });

  test("counts an attempt whose engine was killed at all that it could have cost", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`if (attempt === 1) { say("READY"); await wait(600_000); } ${HONEST}`);
    const batch = stage.batch(["T-1"], { agent, limits: { usdPerDay: 3 } });
    const run = stage.start([batch, "--json"]);
    await run.until(/"text":"READY"/);
    run.child.kill("SIGKILL");
    await run.ended;
    const { code, events } = await stage.events(batch);
    expect([code, launches(events)]).toEqual([1, 0]);
    expect(await stage.report()).toMatchObject({ costUsd: 2, reason: expect.stringContaining("usdPerDay") });
  });
});

describe("breakers", () => {
  test("an agent that fails alike three times is left alone, and one that changes nothing after two", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(
      `if (ticket === "T-1") { say("at " + new Date().toISOString() + " in " + process.cwd()); process.exitCode = 1; }`,
    );
    const { code, events } = await stage.events(stage.batch(["T-1", "T-2"], { limits: { attempts: 8 } }));
    expect(code).toBe(1);
    expect(launches(events)).toBe(5);
    const { tickets } = await stage.report();
    expect(tickets.map(({ stalledReason }) => stalledReason)).toEqual([
      expect.stringMatching(
        /^same-failure: 3 attempts in a row failed alike; the last: the agent exited with code 1; it printed last: "at .*"; 5 attempts left$/,
      ),
      "no-change: 2 attempts in a row changed nothing; 6 attempts left",
    ]);
  });
});
