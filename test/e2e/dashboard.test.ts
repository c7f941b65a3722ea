import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { agentPid, isAlive, patientAgent, until } from "./actors.ts";
import { terminals } from "./pty.ts";
import { HONEST, pidsUnder, Stage } from "./stage.ts";

const open = terminals();
const ESC = "\u001b";
const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 160, rows: 50 },
] as const;

function patientStage(): Stage {
  const stage = new Stage();
  stage.repo("app");
  patientAgent(stage);
  return stage;
}

const without = (text: string) => (screen: string) => !screen.includes(text);

describe("a run on a terminal", { timeout: 300_000 }, () => {
  test.each(SIZES)("$columns×$rows: from start to done, and the terminal is given back", async (size) => {
    using stage = patientStage();
    const tickets = [
      "T-1",
      { id: "T-2", dependsOn: ["T-1"] },
      { id: "T-3", exclusive: ["db"] },
      { id: "T-4", exclusive: ["db"] },
      "T-5",
      "T-6",
    ];
    const batch = stage.batch(tickets);
    const script = 'a=$(stty -g); "$@"; echo "exit code $?"; [ "$a" = "$(stty -g)" ] && echo "modes as before"';
    const pty = open(stage, [], { ...size, argv: ["/bin/sh", "-c", script, "sh", process.execPath, stage.program, batch] });
    const working = await pty.waitFor(
      /ORACLE +not done[^]*READY T-1[^]*READY T-3[^]*READY T-5[^]*OUTCOMES[^]*oracle: not done, 0 done, 0 gated, 6 open/,
    );
    expect(pty.isWhole()).toBe(true);
    expect(working).toMatch(/^ ● RUNNING +test · .*unsandboxed +interventions 0/);
    expect(working).toContain("0 done · 0 gated · 6 open");
    for (const text of ["AT WORK 3 of 3", "NEXT 3", "waits for T-1", "db is held by T-3", "ready; all 3 slots are busy"])
      expect(working).toContain(text);

    stage.write("go-T-1", "");
    await pty.waitFor(/DONE 1[^]*✔ T-1 +[0-9a-f]{7}/);
    expect(pty.isWhole()).toBe(true);
    stage.write("go", "");
    const summary = await pty.waitFor(/^ ✔ DONE[^]*─ TICKETS 6/);
    expect(summary).not.toContain("AT WORK");
    expect(pty.isWhole()).toBe(true);
    expect(pty.exited).toBe(false);

    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
    expect(pty.isAlternate).toBe(false);
    const left = pty.main();
    expect(left).toMatch(/(?:^|\n)✔ DONE, says the oracle {3}test .* 6 tickets: 6 shipped, 0 left to a person, 0 open\n/);
    expect(left).toMatch(/interventions 0 \(0 work, 0 harness\)\n[^]*exit code 0\nmodes as before$/);
    expect(pty.raw.lastIndexOf(`${ESC}[?25h`)).toBeGreaterThan(pty.raw.lastIndexOf(`${ESC}[?25l`));
    expect(stage.landed()).toHaveLength(6);
  });

  test("kill a worker: asked first, refused by n, never by a burst; then dead, and the ticket goes on with try 2", async () => {
    using stage = patientStage();
    const pty = open(stage, [stage.batch(["T-1", "T-2"])]);
    await pty.waitFor(/READY T-1[^]*READY T-2/);
    const pid = agentPid(stage, "T-1");
    await pty.press("j", /▌▶ T-1/);
    await pty.press("j", /▌▶ T-2/);
    await pty.press("k", /▌▶ T-1/);
    for (const unwanted of ["xy", "xyxyy", "xn", `${ESC}[200~xy\rys${ESC}[201~`]) {
      const asks = unwanted.startsWith("xy");
      pty.type(unwanted);
      if (asks) await pty.waitFor("End the attempt at T-1?");
      await pty.press(asks ? ESC : "?", asks ? without("End the attempt") : "╭─ Keys");
      if (!asks) await pty.press(ESC, without("╭─ Keys"));
    }
    await pty.press("x", "End the attempt at T-1?");
    await pty.press("n", without("End the attempt"));
    // Commands keep their order: had one of the keys above sent a kill, it would have come before the pause.
    await pty.press("p", "PAUSED");
    await pty.press("p", "RUNNING");
    expect(isAlive(pid)).toBe(true);

    await pty.press("x", "End the attempt at T-1?");
    await pty.press("y", /T-1 .* a2 .*agent/);
    expect(isAlive(pid)).toBe(false);
    stage.write("go", "");
    await pty.waitFor(/^ ✔ DONE/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
    const report = await stage.report();
    expect(report.interventions).toMatchObject({ byClass: { I2: 1, I5: 1 } });
    expect(report.tickets.map((t) => t.attempts)).toEqual([2, 1]);
  });

  test("gate: an empty step is refused with words; a written and a pasted one are in the tracker, and count", async () => {
    using stage = patientStage();
    const pty = open(stage, [stage.batch(["T-1", "T-2", { id: "T-3", dependsOn: ["T-1"] }])]);
    await pty.waitFor(/READY T-1[^]*READY T-2/);
    const pids = [agentPid(stage, "T-1"), agentPid(stage, "T-2")];
    await pty.press("j", /▌▶ T-1/);
    await pty.press("g", "Leave T-1 to a person");
    await pty.press("\r", "say the exact step that is left");
    await pty.press("sign the contract", "sign the contract");
    await pty.press("\r", /NEEDS YOU[^]*T-1[^]*sign the contract/);
    await pty.waitFor("waits for T-1, which a person must finish");

    await pty.waitFor(/▶ T-2/);
    await pty.press("j", /▌▶ T-2/);
    await pty.press("g", "Leave T-2 to a person");
    await pty.press("approve the\rDNS change\r", /Leave T-2 to a person[^]*approve the DNS change/);
    expect((await stage.report()).tickets[1]).toMatchObject({ state: "open", humanStep: null });
    await pty.press("\u0015", without("approve the DNS"));
    await pty.press(`${ESC}[200~approve the\nnew ${ESC}[31mDNS entry\r${ESC}[201~`, "approve the new DNS entry");
    await pty.press("\r", /✖ NOT DONE[^]*YOURS NOW 2/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(1);
    expect(pty.main()).toMatch(/yours:\s+approve the new DNS entry/);
    expect(pids.map(isAlive)).toEqual([false, false]);
    const report = await stage.report();
    expect(report.tickets).toMatchObject([
      { state: "human-gated", humanStep: "sign the contract" },
      { state: "human-gated", humanStep: "approve the new DNS entry" },
      { state: "open" },
    ]);
    expect(report.interventions).toMatchObject({ total: 2, work: 2, byClass: { I7: 2 } });
    const after = open(stage, ["attach"]);
    await after.waitFor(/^ ✖ NOT DONE[^]*YOURS NOW 2/);
    after.type("q");
    expect(await after.exitCode()).toBe(1);
  });

  test("pause: what runs goes on, nothing starts, and it says so; unpause goes on", async () => {
    using stage = patientStage();
    const pty = open(stage, [stage.batch(["T-1", "T-2"], { limits: { workers: 1 } })]);
    await pty.waitFor("READY T-1");
    await pty.press("p", /^ ⏸ PAUSED[^]*ready; the run is paused[^]*p unpause/);
    stage.write("go-T-1", "");
    await pty.waitFor(/AT WORK 0 of 1[^]*ready; the run is paused[^]*✔ T-1/);
    expect(existsSync(stage.path("pid-T-2-1"))).toBe(false);
    await pty.press("p", /^ ● RUNNING[^]*READY T-2/);
    stage.write("go", "");
    await pty.waitFor(/^ ✔ DONE/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
    expect(stage.landed()).toEqual(["T-1", "T-2"]);
  });

  test("two dashboards on one run: both live, and what one does the other shows", async () => {
    using stage = patientStage();
    expect((await stage.run([stage.batch(["T-1", "T-2"]), "--detach"])).code).toBe(0);
    const [left, right] = SIZES.map((size) => open(stage, ["attach"], size));
    if (left === undefined || right === undefined) throw new Error("two sizes, two terminals");
    await Promise.all([left.waitFor("READY T-2"), right.waitFor("READY T-2")]);
    left.type("p");
    await Promise.all([left.waitFor(/^ ⏸ PAUSED/), right.waitFor(/^ ⏸ PAUSED/)]);
    right.type("p");
    await Promise.all([left.waitFor(/^ ● RUNNING/), right.waitFor(/^ ● RUNNING/)]);
    await right.press("j", /▌▶ T-1/);
    await right.press("x", "End the attempt at T-1?");
    right.type("y");
    await left.waitFor(/T-1 .*a(?:ttempt )?2 .*agent/);
    stage.write("go", "");
    await Promise.all([left.waitFor(/^ ✔ DONE/), right.waitFor(/^ ✔ DONE/)]);
    left.type("q");
    expect(await left.exitCode()).toBe(0);
    right.type("q");
    expect(await right.exitCode()).toBe(0);
  });
});

describe("what will not be shown", { timeout: 300_000 }, () => {
  test("a bad batch file: the reason on the screen that was there, exit 2", async () => {
    using stage = patientStage();
    stage.write("batch.json", '{"name": ');
    const pty = open(stage, ["batch.json"]);
    expect(await pty.exitCode()).toBe(2);
    expect(pty.alternateSeen).toBe(false);
    expect(pty.main()).toMatch(/^loopdash: .*\n {2}why: [^]*batch\.json:1:\d+[^]*\n {2}do: {2}/);
    expect(existsSync(stage.path("home/runs"))).toBe(false);
  });

  test("a dirty repository: exit 4, and nothing was started", async () => {
    using stage = patientStage();
    stage.write("app/README.md", "changed");
    const pty = open(stage, [stage.batch(["T-1"])]);
    expect(await pty.exitCode()).toBe(4);
    expect(pty.alternateSeen).toBe(false);
    expect(pty.main()).toContain("uncommitted");
    expect(pidsUnder(stage.root)).toEqual([]);
  });

  test("a terminal that is too small: exit 2 and what to do, nothing started", async () => {
    using stage = patientStage();
    const pty = open(stage, [stage.batch(["T-1"])], { columns: 40, rows: 10 });
    expect(await pty.exitCode()).toBe(2);
    expect(pty.alternateSeen).toBe(false);
    expect(pty.main()).toMatch(/too small[^]*40 columns and 10 rows; 60 and 15[^]*--headless/);
    expect(existsSync(stage.home)).toBe(false);
  });

  test("NO_COLOR: a dashboard without a single colour code", async () => {
    using stage = patientStage();
    stage.agent(HONEST);
    const pty = open(stage, [stage.batch(["T-1"])], { env: { NO_COLOR: "1" } });
    await pty.waitFor(/^ ✔ DONE/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
    expect(pty.alternateSeen).toBe(true);
    expect(pty.raw).toContain(`${ESC}[1m`);
    expect(pty.raw).not.toMatch(new RegExp(`${ESC}\\[(?:\\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]`));
  });

  test.each([
    ["TERM=dumb", { TERM: "dumb" }, undefined],
    ["CI=1", { CI: "1" }, undefined],
    ["standard output that is a pipe", {}, '"$@" | cat'],
    ["standard input that is a file", {}, '"$@" </dev/null'],
  ])("%s: plain lines to the end", async (_, env, script) => {
    using stage = patientStage();
    stage.agent(HONEST);
    const program = [process.execPath, stage.program, stage.batch(["T-1"])] as const;
    const pty = open(stage, [], { env, argv: script === undefined ? program : ["/bin/sh", "-c", script, "sh", ...program] });
    expect(await pty.exitCode()).toBe(0);
    expect(pty.raw).not.toContain(ESC);
    expect(pty.main()).toMatch(/^loopdash .*\n[^]*run started: 1 ticket[^]*✔ DONE, says the oracle/);
  });
});

test("the program leaves its engine's log empty", { timeout: 300_000 }, async () => {
  using stage = patientStage();
  stage.agent(HONEST);
  const pty = open(stage, [stage.batch(["T-1"])]);
  await pty.waitFor(/^ ✔ DONE/);
  pty.type("q");
  expect(await pty.exitCode()).toBe(0);
  await until(() => pidsUnder(stage.root).length === 0, "the engine ends");
  expect(readFileSync(stage.path("home/engine.log"), "utf8")).toBe("");
});
