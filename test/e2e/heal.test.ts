import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { agentPid, isAlive, until } from "./actors.ts";
import { eventsOf, HONEST, Stage } from "./stage.ts";

const HINT = "Every ticket wants a file of its name.";
/** Works a ticket only where its prompt says what is wanted; as a healer it does `then`. */
const unknowing = (then: string) => `
  if (heal) { ${then} }
  else if (prompt.includes(${JSON.stringify(HINT)})) { ${HONEST} }
  else { say("what is wanted?"); process.exit(1); }`;
const ADDS_HINT = `fs.appendFileSync("hints.md", ${JSON.stringify(`${HINT}\n`)}); say("added a hint");`;
const LIMITS = { attempts: 2, heals: 2 };

function healed(then: string, over: Record<string, unknown> = {}): { stage: Stage; batch: string } {
  const stage = new Stage();
  stage.repo("app");
  stage.agent(unknowing(then));
  return { stage, batch: stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }], { limits: LIMITS, ...over }) };
}

const kept = (stage: Stage, file: string) => stage.path("home", "harness", file);
const told = (events: readonly { type: string }[]) => events.filter(({ type }) => type.startsWith("heal-"));

describe("a run that would end not done because its prompt lacks a sentence", { timeout: 120_000 }, () => {
  test.each(["off", "required"])("is healed, and goes on to done without anybody (sandbox %s)", async (sandbox) => {
    const { stage, batch } = healed(ADDS_HINT, { sandbox });
    using _ = stage;
    const { code, events, stderr } = await stage.events(batch);
    expect([code, stderr]).toEqual([0, ""]);
    expect(told(events)).toMatchObject([
      { type: "heal-started", n: 1, reason: expect.stringContaining("T-1 stalled (2 attempts failed") },
      { type: "heal-agent-started" },
      { type: "heal-ended", outcome: "accepted", changed: ["hints.md"] },
    ]);
    expect(stage.landed()).toEqual(["T-1", "T-2"]);
    expect(await stage.report()).toMatchObject({
      verdict: "done",
      exitCode: 0,
      heals: 1,
      healsAccepted: 1,
      incidents: 0,
      interventions: { total: 0 },
      tickets: [
        { id: "T-1", state: "done", attempts: 3, stalledReason: null },
        { id: "T-2", attempts: 1 },
      ],
    });
    // No verdict counts before the oracle was proven after the heal.
    const types = events.map(({ type }) => type);
    expect(types.slice(types.indexOf("heal-ended"), types.lastIndexOf("oracle-asked"))).toContain("tripwire-ended");
    expect(readFileSync(kept(stage, "hints.md"), "utf8")).toBe(`${HINT}\n`);
    const next = await stage.events(stage.batch(["T-3"], { name: "next" }));
    expect(next.code).toBe(0);
    expect(told(next.events)).toEqual([]);
  });

  test("is told of in plain lines", async () => {
    const { stage, batch } = healed(ADDS_HINT);
    using _ = stage;
    const { stdout } = await stage.run([batch, "--headless"]);
    expect(stdout).toMatch(/heal 1 begins: 2 of 2 tickets are open: T-1 stalled/);
    expect(stdout).toMatch(/heal 1 accepted: it changed hints\.md/);
    expect(stdout).toMatch(/heals 1, accepted 1/);
  });

  test.each([
    ["writes a template that cannot be filled", 'fs.writeFileSync("worker.md", "{{id}} {{oracle}}");', "rejected"],
    ["changes nothing", 'say("it is a wall");', "nothing"],
    ["gives up", `${ADDS_HINT} process.exit(1);`, "failed"],
  ])("ends with its real stop where the healer %s, and later runs know nothing of it", async (_, then, outcome) => {
    const { stage, batch } = healed(then);
    using __ = stage;
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    expect(told(events).at(-1)).toMatchObject({ type: "heal-ended", outcome });
    expect(events.at(-1)).toMatchObject({ type: "run-ended", reason: expect.stringContaining("T-1 stalled (2 attempts failed") });
    expect(await stage.report()).toMatchObject({ heals: 1, healsAccepted: 0 });
    expect(existsSync(kept(stage, "worker.md"))).toBe(false);
  });

  test("is not healed where no heal may be", async () => {
    const { stage, batch } = healed(ADDS_HINT, { limits: { ...LIMITS, heals: 0 } });
    using _ = stage;
    const { code, events } = await stage.events(batch);
    expect([code, told(events)]).toEqual([1, []]);
    expect(await stage.report()).toMatchObject({ heals: 0, healsAccepted: 0 });
  });

  test("is healed as often as may be, and no more", async () => {
    const { stage, batch } = healed('fs.appendFileSync("hints.md", "Try harder.\\n");');
    using _ = stage;
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    expect(events.filter(({ type }) => type === "heal-started")).toHaveLength(2);
    expect(await stage.report()).toMatchObject({ heals: 2, healsAccepted: 2, tickets: [{ attempts: 6 }, { attempts: 0 }] });
  });
});

test("kill -9 in the middle of a heal: its agent is ended, the heal is used up, the harness is as it was, and another may follow", {
  timeout: 120_000,
}, async () => {
  const { stage, batch } = healed("");
  using _ = stage;
  stage.agent(
    unknowing(`fs.writeFileSync("hints.md", "half a hi");
      fs.writeFileSync(${JSON.stringify(stage.root)} + "/pid-heal-" + heal, String(process.pid));
      if (heal === "1") await wait(600_000);
      fs.writeFileSync("hints.md", ${JSON.stringify(HINT)});`),
  );
  const first = stage.start([batch, "--json"]);
  await until(() => existsSync(stage.path("pid-heal-1")), "the healer");
  await first.until(/heal-agent-started/);
  first.child.kill("SIGKILL");
  await first.ended;
  const { code, stdout } = await stage.run([batch, "--json"]);
  expect(code).toBe(0);
  expect(isAlive(agentPid(stage, "heal"))).toBe(false);
  const ends = eventsOf(stdout).filter((event) => event.type === "heal-ended");
  expect(ends).toMatchObject([
    { n: 1, outcome: "lost" },
    { n: 2, outcome: "accepted" },
  ]);
  expect(
    globSync("runs/*/harness/*/", { cwd: stage.home })
      .map((path) => path.split("/").at(-1))
      .toSorted(),
  ).toEqual(["0", "2"]);
  expect(await stage.report()).toMatchObject({ heals: 2, healsAccepted: 1, interventions: { byClass: { I5: 1 } } });
});
