import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { agentPid, enginePid, isAlive, patientAgent, until } from "./actors.ts";
import { type Pty, terminals } from "./pty.ts";
import { pidsUnder, Stage } from "./stage.ts";

const open = terminals();
const ESC = "\u001b";
const CTRL_Z = "\u001a";
/** What the dashboard changes of a terminal beside its screen, and what undoes it. */
const TAKEN = ["[22;0t", "[?1000h", "[?1006h", "[8l"];
const GIVEN = ["[8h", "[?1006l", "[?1000l", "[23;0t"];

function patientStage(): Stage {
  const stage = new Stage();
  stage.repo("app");
  patientAgent(stage);
  return stage;
}

const times = (text: string, part: string): number => text.split(part).length - 1;

/** Asserts that all that was changed of the terminal has been undone since, and that its screen is the main one. */
function expectGivenBack(pty: Pty): void {
  for (const code of [...TAKEN, ...GIVEN]) expect(times(pty.raw, ESC + code), code).toBeGreaterThan(0);
  for (const [i, code] of TAKEN.entries()) {
    const undo = GIVEN.toReversed()[i] ?? "";
    expect(pty.raw.lastIndexOf(ESC + undo), `${undo} after ${code}`).toBeGreaterThan(pty.raw.lastIndexOf(ESC + code));
  }
  expect(pty.raw.lastIndexOf(`${ESC}[?25h`)).toBeGreaterThan(pty.raw.lastIndexOf(`${ESC}[?25l`));
  expect(pty.isAlternate).toBe(false);
}

/** The state of a process as the kernel has it: T is stopped. */
function stateOf(pid: number): string {
  return /^\d+ \(.*\) (\S)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1] ?? "";
}

function dashboardPid(stage: Stage): number {
  const found = pidsUnder(stage.root).find((pid) => {
    const argv = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return argv[1] === stage.program && argv[2]?.endsWith("batch.json");
  });
  if (found === undefined) throw new Error("no dashboard is running");
  return found;
}

describe("beside the screen", { timeout: 300_000 }, () => {
  test("title, bar and notices follow the run; each thing is called out once; all is given back", async () => {
    using stage = patientStage();
    const env = { TERM_PROGRAM: "ghostty" };
    const pty = open(stage, [stage.batch(["T-1", "T-2"])], { env });
    await pty.waitFor(/READY T-1[^]*READY T-2/);
    await pty.waitFor(() => pty.raw.includes(`${ESC}]2;● 0/2 test\u0007`) && pty.raw.includes(`${ESC}]9;4;1;0\u0007`));
    expect(pty.raw).not.toContain(`${ESC}]9;loopdash`);
    await pty.press("j", /▌▶ T-1/);
    await pty.press("g", "Leave T-1 to a person");
    pty.type("press the red button");
    await pty.waitFor("press the red button");
    pty.type("\r");
    await pty.waitFor(() => pty.raw.includes(`${ESC}]9;loopdash: test: T-1 needs you\u0007`));
    await pty.waitFor(() => pty.raw.includes(`${ESC}]2;! needs you 1/2 test\u0007`) && pty.raw.includes(`${ESC}]9;4;1;50\u0007`));

    const late = open(stage, ["attach"], { env });
    await late.waitFor(/NEEDS YOU/);
    stage.write("go", "");
    for (const each of [pty, late]) {
      await each.waitFor(/^ ✔ DONE/);
      await each.waitFor(() => each.raw.includes(`${ESC}]2;✔ done 2/2 test\u0007`));
      each.type("q");
      expect(await each.exitCode()).toBe(0);
      expect(times(each.raw, `${ESC}]9;loopdash: test: done. 1 of 2 tickets done, 1 left to you\u0007`)).toBe(1);
      expect(each.raw.lastIndexOf(`${ESC}]9;4;0;0\u0007`)).toBeGreaterThan(each.raw.lastIndexOf(`${ESC}]9;4;1;`));
      expectGivenBack(each);
    }
    expect(times(pty.raw, "T-1 needs you\u0007")).toBe(1);
    expect(late.raw).not.toContain("T-1 needs you\u0007");
  });

  test("within tmux: a bell in the place of a notice, and no bar", async () => {
    using stage = patientStage();
    const pty = open(stage, [stage.batch(["T-1"])], { env: { TERM_PROGRAM: "ghostty", TMUX: "/tmp/none,1,0" } });
    await pty.waitFor("READY T-1");
    stage.write("go", "");
    await pty.waitFor(/^ ✔ DONE/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
    expect(pty.raw).not.toContain(`${ESC}]9;`);
    // Every other bell ends a title.
    expect(times(pty.raw, "\u0007") - times(pty.raw, `${ESC}]2;`)).toBe(1);
  });

  test.each([
    ["LANG=C", { LANG: "C" }],
    ["LOOPDASH_ASCII=1 and NO_COLOR=1", { LOOPDASH_ASCII: "1", NO_COLOR: "1" }],
  ])("%s: no byte but ASCII, title and dialogs included", async (_, env) => {
    using stage = new Stage();
    stage.repo("app");
    patientAgent(stage);
    const pty = open(stage, [stage.batch([{ id: "T-1", title: "署名鍵 é שלום 👩" }])], { env });
    await pty.waitFor(/o RUNNING[^]*\* ORACLE[^]*T-1 +\?\?\?\?\?\? e \?\?\?\? \?\?/);
    await pty.press("q", /\+- Leave the dashboard -+\+/);
    pty.type("d");
    expect(await pty.exitCode()).toBe(130);
    expect(pty.raw).toContain(`${ESC}]2;o 0/1 test\u0007`);
    const [screen = ""] = pty.raw.split(`${ESC}[?1049l`);
    expect(screen).toMatch(/^[\u0000-\u007e]*$/);
    if ("NO_COLOR" in env) expect(screen).not.toMatch(/\u001b\[(?:[349]\d|10\d)(?:;|m)/);
  });
});

describe("job control", { timeout: 300_000 }, () => {
  test("Ctrl-Z gives the shell its terminal, fg brings the dashboard back at the size that it has by then", async () => {
    using stage = patientStage();
    const batch = stage.batch(["T-1"]);
    const env = { PS1: "prompt> ", HISTFILE: "/dev/null" };
    const pty = open(stage, [], { argv: ["/bin/bash", "--norc", "--noprofile", "-i"], env });
    await pty.waitFor("prompt>");
    pty.type(`stty -a | grep -o -e '-echo '; ${process.execPath} ${stage.program} ${batch}\r`);
    await pty.waitFor("READY T-1");
    const pid = dashboardPid(stage);
    await pty.press("j", /▌▶ T-1/);
    for (const size of [
      { columns: 100, rows: 40 },
      { columns: 60, rows: 15 },
    ]) {
      pty.type(CTRL_Z);
      await pty.waitFor(() => !pty.isAlternate && /Stopped/.test(pty.main().split("\n").slice(-4).join("\n")));
      expect(stateOf(pid)).toBe("T");
      expectGivenBack(pty);
      expect(isAlive(enginePid(stage))).toBe(true);
      expect(stateOf(agentPid(stage, "T-1"))).not.toBe("T");
      await pty.press(`echo "still $((40 + 2))"\r`, "still 42");
      pty.resize(size);
      pty.type("fg\r");
      await pty.settled();
      await pty.press("j", /▌▶ T-1/);
      await pty.press("?", /Keys/);
      await pty.press(ESC, (screen) => !screen.includes("Keys"));
    }
    stage.write("go", "");
    await pty.waitFor(/^ ✔ DONE/);
    pty.type("q");
    await pty.waitFor(() => !pty.isAlternate && pty.main().endsWith("prompt>"));
    expectGivenBack(pty);
    pty.type("exit\r");
    expect(await pty.exitCode()).toBe(0);
  });

  test("a stop by signal from elsewhere does the same, and after one that cannot be heard the screen is drawn again", async () => {
    using stage = patientStage();
    const batch = stage.batch(["T-1"]);
    const pty = open(stage, [], { argv: ["/bin/bash", "--norc", "--noprofile", "-i"], env: { PS1: "prompt> " } });
    await pty.waitFor("prompt>");
    pty.type(`${process.execPath} ${stage.program} ${batch}\r`);
    await pty.waitFor("READY T-1");
    const pid = dashboardPid(stage);
    process.kill(pid, "SIGTSTP");
    await pty.waitFor(() => !pty.isAlternate && pty.main().includes("Stopped"));
    expectGivenBack(pty);
    await pty.press("fg\r", "READY T-1");
    process.kill(pid, "SIGSTOP");
    await until(() => stateOf(pid) === "T", "the dashboard is stopped");
    await pty.waitFor(() => pty.raw.lastIndexOf("Stopped") > pty.raw.lastIndexOf(`${ESC}[?1049h`));
    const before = times(pty.raw, `${ESC}[?1049h`);
    pty.type("fg\r");
    await pty.waitFor(() => times(pty.raw, `${ESC}[?1049h`) > before && pty.isWhole());
    // What the shell wrote over a screen that nobody could give back is its own doing.
    pty.faults.splice(0);
    await pty.press("q", "Leave the dashboard");
    pty.type("d");
    await pty.waitFor(() => !pty.isAlternate && pty.main().endsWith("prompt>"));
    expectGivenBack(pty);
  });

  test("without a shell that waits for it, Ctrl-Z says so and the dashboard stays", async () => {
    using stage = patientStage();
    const pty = open(stage, [stage.batch(["T-1"])]);
    await pty.waitFor("READY T-1");
    await pty.press(CTRL_Z, "nobody waits for this program as a shell does");
    expect(pty.isWhole()).toBe(true);
    await pty.press("q", "Leave the dashboard");
    pty.type("d");
    expect(await pty.exitCode()).toBe(130);
    expectGivenBack(pty);
  });
});

describe("signals", { timeout: 300_000 }, () => {
  test.each(["SIGHUP", "SIGTERM", "SIGINT"] as const)("%s: the terminal is as it was, and the run continues", async (signal) => {
    using stage = patientStage();
    const pty = open(stage, [stage.batch(["T-1"])]);
    await pty.waitFor("READY T-1");
    process.kill(pty.pid, signal);
    const { code, signal: by } = await pty.ended;
    expect([code, by]).toEqual(signal === "SIGHUP" ? [0, 1] : [130, 0]);
    expectGivenBack(pty);
    expect(isAlive(enginePid(stage))).toBe(true);
    expect(isAlive(agentPid(stage, "T-1"))).toBe(true);
  });
});
