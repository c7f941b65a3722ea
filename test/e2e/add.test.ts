import { describe, expect, test } from "vitest";
import { eventsOf, HONEST, Stage, type Started } from "./stage.ts";

/** A run of T-1, whose agent waits for a file, and whose run is named. */
async function begun(
  over: Record<string, unknown> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<{ stage: Stage; batch: string; started: Started; run: string }> {
  const stage = new Stage();
  stage.repo("app");
  for (const [name, text] of Object.entries(files)) stage.write(name, text);
  stage.agent(`while (!fs.existsSync("${stage.path("GO")}")) await wait(20); ${HONEST}`);
  const batch = stage.batch(["T-1"], over);
  const started = stage.start([batch, "--json"]);
  await started.until(/"agent-started"/);
  const [first] = eventsOf(`${started.stdout().split("\n")[0]}`);
  return { stage, batch, started, run: first?.type === "run-started" ? first.run : "" };
}

const ticket = (stage: Stage, value: unknown): string =>
  stage.write("ticket.json", typeof value === "string" ? value : JSON.stringify(value));

async function stopped(
  over: Record<string, unknown> = {},
  { signal = "SIGINT", files = {} }: { signal?: NodeJS.Signals; files?: Readonly<Record<string, string>> } = {},
) {
  const given = await begun(over, files);
  given.started.child.kill(signal);
  await given.started.ended;
  given.stage.write("GO", "");
  return given;
}

describe("loopdash add", () => {
  test("files a ticket for a run at work, which the oracle judges and the ledger counts", async () => {
    const { stage, started, run } = await begun();
    using _ = stage;
    const file = ticket(stage, { id: "T-9", title: "One more", body: "Do it.", dependsOn: ["T-1"] });
    const added = await stage.run(["add", "test", file]);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toBe(`T-9 is added to the run ${run}; it is filed in the tracker now\n`);
    expect(await stage.run(["add", run, file])).toMatchObject({ code: 0, stdout: `T-9 is in the run ${run} already\n` });
    stage.write("GO", "");
    const { code, stdout } = await started.ended;
    expect(code).toBe(0);
    expect(stage.landed()).toEqual(["T-1", "T-9"]);
    const report = await stage.report();
    expect(report.tickets.map(({ id, state }) => [id, state])).toEqual([
      ["T-1", "done"],
      ["T-9", "done"],
    ]);
    expect(report.interventions).toMatchObject({ total: 1, byClass: { I2: 1 } });
    const events = eventsOf(stdout);
    expect(events.filter(({ type }) => type === "ticket-added" || type === "discovery-filed")).toHaveLength(2);
    expect(events.findLast(({ type }) => type === "oracle-judged")).toMatchObject({
      judgement: { counts: { done: 2, open: 0 } },
    });
  });

  test.each([
    ["a wrong dependency", { title: "x", dependsOn: ["T-7"] }, "dependsOn: the run has no ticket T-7"],
    ["an unknown key", { title: "x", prio: 1 }, 'unknown key "prio"'],
    ["no title", { body: "x" }, "title is missing"],
    ["an id that is taken", { id: "t-1", title: "x" }, "the run has a ticket T-1 already"],
    ["a finish line that never lands", { title: "x", finish: [{ step: "gates" }] }, "finish has no merge"],
    ["no JSON", "{", "line 1: "],
  ])("refuses %s by one error, and the run continues", async (_, value, why) => {
    const { stage, started } = await begun();
    using _stage = stage;
    const { code, stderr } = await stage.run(["add", "test", ticket(stage, value)]);
    expect(code).toBe(2);
    expect(stderr.match(/ why: /g)).toHaveLength(1);
    expect(stderr).toContain(why);
    stage.write("GO", "");
    expect((await started.ended).code).toBe(0);
    expect(stage.landed()).toEqual(["T-1"]);
  });

  test("a ticket with a finish line of its own counts as a waiver too", async () => {
    const { stage, started } = await begun();
    using _ = stage;
    const own = {
      title: "Own rules",
      finish: [{ step: "gates" }, { step: "check", name: "own", command: ["true"] }, { step: "merge" }],
    };
    expect((await stage.run(["add", "test", ticket(stage, own)])).stdout).toMatch(/^added-1 is added/);
    stage.write("GO", "");
    expect((await started.ended).code).toBe(0);
    expect((await stage.report()).interventions.byClass).toMatchObject({ I2: 1, I8: 1 });
  });

  test.each(["SIGINT", "SIGKILL"] as const)("a ticket for a run that stopped by %s waits in its journal", async (signal) => {
    const { stage, batch, run } = await stopped({}, { signal });
    using _ = stage;
    const file = ticket(stage, { id: "T-9", title: "One more" });
    const added = await stage.run(["add", run, file]);
    expect([added.code, added.stderr]).toEqual([0, ""]);
    expect(added.stdout).toContain(`it is filed and worked once the run continues: loopdash ${batch}`);
    expect((await stage.run(["add", run, file])).stdout).toContain("already");
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-9"]);
    expect(events.filter(({ type }) => type === "discovery-filed")).toHaveLength(1);
    const late = await stage.run(["add", run, file]);
    expect(late.code).toBe(4);
    expect(late.stderr).toMatch(/takes no tickets any more[\s\S]*a new run continues/);
  });

  test("an engine that is killed as soon as it has the ticket loses it not, and files it once", async () => {
    const { stage, batch, started, run } = await begun();
    using _ = stage;
    expect((await stage.run(["add", run, ticket(stage, { id: "T-9", title: "One more" })])).code).toBe(0);
    started.child.kill("SIGKILL");
    await started.ended;
    stage.write("GO", "");
    expect((await stage.events(batch)).code).toBe(0);
    expect(stage.landed().toSorted()).toEqual(["T-1", "T-9"]);
    expect((await stage.report()).tickets).toHaveLength(2);
  });
});

describe("a batch file that was changed since its unfinished run began", () => {
  const limits = { attempts: 2 };

  test("new tickets come along with --accept-changes, as added ones", async () => {
    const { stage, batch } = await stopped();
    using _ = stage;
    stage.batch(["T-1", { id: "T-2", dependsOn: ["T-3"] }, "T-3"]);
    const refused = await stage.run([batch, "--headless"]);
    expect(refused.code).toBe(4);
    expect((await stage.run([batch, "--dry-run"])).stdout).toMatch(
      /a start would be refused: the unfinished run \S+ cannot continue/,
    );
    const accepted = await stage.run([batch, "--dry-run", "--accept-changes"]);
    expect(accepted.stdout).toMatch(/a start continues the unfinished run/);
    expect((await stage.run([batch, "--dry-run", "--fresh"])).stdout).toMatch(/a start gives up the unfinished run/);
    expect(refused.stderr).toContain("the batch file was changed since the run began: ticket T-3 is new, ticket T-2 is new");
    expect(refused.stderr).toContain("--accept-changes");
    const { code, events } = await stage.events(batch, "--accept-changes");
    expect(code).toBe(0);
    expect(stage.landed()).toHaveLength(3);
    expect(events.filter(({ type }) => type === "ticket-added")).toHaveLength(2);
    expect((await stage.report()).interventions.byClass).toEqual({ I2: 1, I5: 1 });
  });

  test("what loosens needs the flag, is an event with the frozen set before and after, and counts as I6 and I8", async () => {
    const check = { step: "check", name: "tests", command: ["true"] };
    const finish = [{ step: "gates" }, check, { step: "merge" }];
    const { stage, batch } = await stopped({ limits, finish, protect: ["secret/**", "*.lock"] });
    using _ = stage;
    stage.batch(["T-1"], { limits: { attempts: 5 }, finish: [{ step: "gates" }, { step: "merge" }], protect: ["*.lock"] });
    const refused = await stage.run([batch, "--headless"]);
    expect(refused.code).toBe(4);
    for (const what of [
      "limits.attempts: 2 → 5",
      "protect: without secret/**",
      "finish of T-1: gates tests merge assert → gates merge assert",
    ])
      expect(refused.stderr).toContain(what);
    const { code, events } = await stage.events(batch, "--accept-changes");
    expect(code).toBe(0);
    const changed = events.find((event) => event.type === "batch-changed");
    expect(changed).toMatchObject({
      limits: { attempts: 5 },
      protect: ["*.lock"],
      finish: { batch: [{ step: "gates" }, { step: "merge" }, { step: "assert" }] },
    });
    const { before, after } = changed?.frozen ?? {};
    expect([before?.limits === after?.limits, before?.guard === after?.guard]).toEqual([false, false]);
    expect([before?.oracle === after?.oracle, before?.tripwire === after?.tripwire]).toEqual([true, true]);
    expect(events.find(({ type }) => type === "tripwire-ended")).toMatchObject({ ok: true });
    expect((await stage.report()).interventions.byClass).toEqual({ I5: 1, I6: 1, I8: 2 });
  });

  test("what tightens goes without the flag and counts as I2; a comment is no change", async () => {
    const { stage, batch } = await stopped({ limits: { attempts: 3, usdPerRun: 9 } });
    using _ = stage;
    stage.batch(["T-1"], { limits: { attempts: 1, usdPerRun: 9 }, protect: ["{defaults}", "docs/**"] });
    const { code, events } = await stage.events(batch);
    expect(code).toBe(0);
    expect(events.find(({ type }) => type === "batch-changed")).toMatchObject({ limits: { attempts: 1 } });
    expect((await stage.report()).interventions.byClass).toEqual({ I2: 2, I5: 1 });
  });

  test("what no run can change is refused whatever is accepted, and named", async () => {
    const { stage, batch } = await stopped();
    using _ = stage;
    stage.batch([{ id: "T-1", title: "Another" }], { sandboxPolicy: { read: ["/srv"] } });
    const { code, stderr } = await stage.run([batch, "--headless", "--accept-changes"]);
    expect(code).toBe(4);
    expect(stderr).toContain("tickets.T-1.title");
    expect(stderr).toContain("sandboxPolicy");
  });

  test("another source of a secret is refused whatever is accepted; a new value of the same source needs no change", async () => {
    const secrets = (file: string) => ({ secrets: { staging: { file } } });
    const { stage, batch } = await stopped(secrets("token"), { files: { token: "first-value-of-it", other: "another-value" } });
    using _ = stage;
    stage.batch(["T-1"], secrets("other"));
    const { code, stderr } = await stage.run([batch, "--headless", "--accept-changes"]);
    expect(code).toBe(4);
    expect(stderr).toContain("secrets.staging.file");
    expect(stderr).toContain("A new value of a secret needs no change");
    stage.write("token", "second-value-of-it");
    stage.batch(["T-1"], secrets("token"));
    expect((await stage.run([batch, "--headless"])).code).toBe(0);
  });
});
