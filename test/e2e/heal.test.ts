import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentPid, isAlive, until } from "./actors.ts";
import { eventsOf, HONEST, Stage } from "./stage.ts";

const HINT = "Every ticket wants a file of its name.";
/** Works a ticket only where its prompt says what is wanted; as a healer it does `then`. */
const unknowing = (then: string) => `
  const gap = (over = {}) => fs.writeFileSync("answer.json", JSON.stringify(
    { kind: "gap", rootCause: "no prompt names the file", change: "a hint names it", prediction: ["T-1"], ...over }));
  if (heal) { gap(); ${then} }
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
const changes = async (stage: Stage) => JSON.parse((await stage.run(["harness", "log", "--json"])).stdout);
const told = (events: readonly { type: string }[]) => events.filter(({ type }) => type.startsWith("heal-"));

describe("a run that would end not done because its prompt lacks a sentence", { timeout: 300_000 }, () => {
  test.each(["off", "required"])("is healed, and goes on to done without anybody (sandbox %s)", async (sandbox) => {
    const { stage, batch } = healed(ADDS_HINT, { sandbox });
    using _ = stage;
    const { code, events, stderr } = await stage.events(batch);
    expect([code, stderr]).toEqual([0, ""]);
    expect(told(events)).toMatchObject([
      { type: "heal-started", n: 1, reason: expect.stringMatching(/T-1 stalled \(.* · 2 attempts failed/) },
      { type: "heal-agent-started" },
      { type: "heal-ended", outcome: "accepted", changed: ["hints.md"], answer: { kind: "gap" } },
      { type: "heal-keeping", keep: "auto" },
      { type: "heal-kept", as: "kept" },
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
    expect(existsSync(kept(stage, "hints.md"))).toBe(false);
    expect(await changes(stage)).toMatchObject([
      { state: "kept", repository: { name: "app" }, moved: ["T-1"], files: [{ path: "hints.md", after: `${HINT}\n` }] },
    ]);
    expect((await stage.report()).healResults).toMatchObject([
      { n: 1, repo: "app", kind: "gap", outcome: "accepted", prediction: ["T-1"], stalled: ["T-1"], moved: ["T-1"], kept: "yes" },
    ]);
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
    expect(stdout).toMatch(/heal 1 \(gap, accepted\): no prompt names the file · moved T-1 of 1 stalled ticket · kept: /);
  });

  test.each([
    ["writes a template that cannot be filled", 'fs.writeFileSync("worker.md", "{{id}} {{oracle}}");', "rejected"],
    ["changes nothing", 'say("it is a wall");', "nothing"],
    ["gives no answer", `${ADDS_HINT} fs.rmSync("answer.json");`, "failed"],
    ["gives up", `${ADDS_HINT} process.exit(1);`, "failed"],
  ])("ends with its real stop where the healer %s, and later runs know nothing of it", async (_, then, outcome) => {
    const { stage, batch } = healed(then);
    using __ = stage;
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    expect(told(events).at(-1)).toMatchObject({ type: "heal-ended", outcome });
    expect(events.at(-1)).toMatchObject({
      type: "run-ended",
      reason: expect.stringMatching(/T-1 stalled \(.* · 2 attempts failed/),
    });
    expect(await stage.report()).toMatchObject({ heals: 1, healsAccepted: 0 });
    expect(existsSync(kept(stage, "worker.md"))).toBe(false);
    expect(await changes(stage)).toEqual([]);
  });

  test("is not healed where no heal may be", async () => {
    const { stage, batch } = healed(ADDS_HINT, { limits: { ...LIMITS, heals: 0 } });
    using _ = stage;
    const { code, events } = await stage.events(batch);
    expect([code, told(events)]).toEqual([1, []]);
    expect(await stage.report()).toMatchObject({ heals: 0, healsAccepted: 0 });
  });

  test("is healed as often as may be, and no more", async () => {
    const { stage, batch } = healed('fs.appendFileSync("hints.md", "Wear a red hat.\\n");');
    using _ = stage;
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    expect(events.filter(({ type }) => type === "heal-started")).toHaveLength(2);
    expect(await stage.report()).toMatchObject({ heals: 2, healsAccepted: 2, tickets: [{ attempts: 6 }, { attempts: 0 }] });
    // What moved nothing is told to no later run.
    expect(await changes(stage)).toEqual([]);
    const home = globSync("harness/**", { cwd: stage.home }).filter((path) => path.includes("."));
    expect(home).toEqual([]);
  });
});

describe("a heal that moved its stall", { timeout: 300_000 }, () => {
  const hinted = async (stage: Stage, repo: string, name: string) => {
    stage.repo(repo);
    const batch = stage.batch(["T-9"], { name, repos: { app: { path: repo } } });
    await stage.events(batch);
    const [prompt = ""] = globSync(`runs/${name}-*/tickets/T-9/attempt-1/prompt.md`, { cwd: stage.home });
    return readFileSync(join(stage.home, prompt), "utf8").includes(HINT);
  };

  test("waits for a person if the batch asks; keep, --everywhere and revert decide", async () => {
    const { stage, batch } = healed(ADDS_HINT, { heals: { keep: "ask" } });
    using _ = stage;
    const { stdout } = await stage.run([batch, "--headless"]);
    expect(stdout).toContain("1 change waited at the end for you: loopdash harness log, loopdash harness keep");
    expect(await changes(stage)).toMatchObject([{ state: "waiting" }]);
    expect((await stage.run(["harness", "diff"])).stdout).toContain(`+${HINT}`);
    const app = stage.batch(["T-8"], { name: "again" });
    await stage.events(app);
    expect(
      globSync("runs/again-*/harness/app/0/hints.md", { cwd: stage.home }).map((file) =>
        readFileSync(join(stage.home, file), "utf8"),
      ),
    ).toEqual([""]);
    expect(await stage.run(["harness", "keep"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("later runs on app begin with it"),
    });
    expect(await hinted(stage, "other", "other")).toBe(false);
    const [{ id }] = await changes(stage);
    expect(await stage.run(["harness", "keep", id, "--everywhere"])).toMatchObject({ code: 0 });
    expect(await hinted(stage, "third", "third")).toBe(true);
    expect(await stage.run(["harness", "revert", id])).toMatchObject({ code: 0 });
    expect((await stage.run(["harness", "diff"])).stdout).toContain("no change of the harness is in use or waits for you");
    expect(await hinted(stage, "fourth", "fourth")).toBe(false);
    expect(await stage.run(["harness", "keep"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no change of the harness waits"),
    });
    expect(await stage.run(["harness", "keep", "nothing"])).toMatchObject({ code: 2 });
    expect(await stage.run(["harness", "forget"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("log, diff, keep and revert"),
    });
  });

  test("is decided on only once no run holds the harness", async () => {
    const { stage, batch } = healed(ADDS_HINT, { heals: { keep: "ask" } });
    using _ = stage;
    await stage.run([batch, "--json"]);
    stage.agent("await wait(60_000);");
    const going = stage.start([stage.batch(["T-7"], { name: "long" }), "--json"]);
    await going.until(/agent-started/);
    const refused = await stage.run(["harness", "keep"]);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringMatching(/the run long-.* is using it/)]);
    expect((await stage.run(["harness", "log"])).code).toBe(0);
  });
});

test.each(["off", "required"])(
  "a script that a healer adds is offered to workers, and no check finds it (sandbox %s)",
  {
    timeout: 300_000,
  },
  async (sandbox) => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`
    if (heal) {
      fs.writeFileSync("tools/write-it", "#!/bin/sh\\n# writes the file of a ticket\\necho done > $1.txt\\n");
      fs.writeFileSync("answer.json", JSON.stringify({ kind: "gap", rootCause: "r", change: "c", prediction: ["T-1"] }));
    } else {
      const place = /read-only folder (\\S+)\\. No check/.exec(prompt)?.[1];
      if (place === undefined) process.exit(1);
      if (!prompt.includes("- \`write-it\`: writes the file of a ticket")) throw new Error(prompt);
      sh(place + "/write-it", ticket);
      if (${JSON.stringify(sandbox)} === "required") {
        try { fs.writeFileSync(place + "/write-it", "x"); say("WROTE A TOOL"); } catch {}
      }
      fs.writeFileSync("place", place);
    }`);
    const looks =
      'for place in "$(cat place)" /run/harness/tools; do case ":$PATH:" in *":$place:"*) exit 1;; esac; done; [ ! -e /run/harness ] && ! command -v write-it';
    const finish = [{ step: "check", name: "looks", command: ["sh", "-c", looks] }, { step: "merge" }, { step: "assert" }];
    const batch = stage.batch(["T-1"], { sandbox, finish, limits: { attempts: 1, heals: 1 } });
    const { code, events, stdout } = await stage.events(batch);
    expect([code, told(events).at(2)]).toMatchObject([0, { outcome: "accepted", changed: ["tools/write-it"] }]);
    expect(stdout).not.toContain("WROTE A TOOL");
    expect(stage.landed()).toEqual(["T-1"]);
  },
);

test("kill -9 in the middle of a heal: its agent is ended, the heal is used up, the harness is as it was, and another may follow", {
  timeout: 300_000,
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
    globSync("runs/*/harness/app/*/", { cwd: stage.home })
      .map((path) => path.split("/").at(-1))
      .toSorted(),
  ).toEqual(["0", "2"]);
  expect(await stage.report()).toMatchObject({ heals: 2, healsAccepted: 1, interventions: { byClass: { I5: 1 } } });
});
