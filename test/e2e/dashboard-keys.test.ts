import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { KEYMAP } from "../../src/store/keymap/keymap.ts";
import { VIEWS } from "../../src/store/views/view-name.ts";
import { patientAgent } from "./actors.ts";
import { keysOf, Presser } from "./presser.ts";
import { type Sight, terminals } from "./pty.ts";
import { pidsUnder, Stage } from "./stage.ts";

const open = terminals();
const ESC = "\u001b";
const SIZE = { columns: 160, rows: 40 };
const without = (text: string) => (screen: string) => !screen.includes(text);
const last = (pattern: RegExp) => (screen: string) => pattern.test(screen.split("\n").at(-1) ?? "");
const selects = (id: string) => new RegExp(`▌. ${id} `);

function patientStage(): Stage {
  const stage = new Stage();
  stage.repo("app");
  patientAgent(stage);
  return stage;
}

async function selecting(p: Presser): Promise<void> {
  const { pty } = p;
  const first = () => pty.press("kkkkk", selects("T-1"));
  await pty.press("j", selects("T-1"));
  await p.press("select-next", "down", selects("T-2"));
  await p.press("select-previous", "k", selects("T-1"));
  await p.press("select-next", "j", selects("T-2"));
  await p.press("select-previous", "up", selects("T-1"));
  await p.all("select-page-down", selects("T-4"), first);
  await p.all("select-page-up", selects("T-1"), () => pty.press("jjjjj", selects("T-4")));
  await p.press("open", "enter", "2 TICKET");
  await p.press("back", "escape", "─ AT WORK");
}

async function filtering(p: Presser): Promise<void> {
  const { pty } = p;
  const opens = () => p.press("filter", "/", last(/^ \//));
  await opens();
  await pty.press("T-3x", last(/^ \/T-3x█ .*0 of 4/));
  await p.press("delete-back", "backspace", last(/^ \/T-3█ .*1 of 4/));
  await p.press("keep-filter", "enter", last(/enter open/));
  await p.press("clear-filter", "escape", without("FILTER"));
  await opens();
  await pty.press("T-3", "FILTER T-3");
  await p.press("give-up", "escape", without("FILTER"));
}

async function viewing(p: Presser): Promise<void> {
  for (const [i, view] of VIEWS.entries())
    await p.press(`view-${view}`, String(i + 1), view === "overview" ? "─ AT WORK" : `${i + 1} ${view.toUpperCase()}`);
  await p.press("next-view", "tab", "─ AT WORK");
  await p.press("previous-view", "shift-tab", "7 RUNS");
  await p.press("back", "escape", "─ AT WORK");
  for (const key of keysOf("palette")) {
    await p.press("palette", key, "─ Command ─");
    await p.press("give-up", key === ":" ? "escape" : "ctrl-p", without("─ Command ─"));
  }
  for (const key of ["escape", "enter", " ", "w"]) {
    await p.press("away", "w", "While you were away");
    await p.press("give-up", key, without("While you were away"));
  }
  for (const key of ["escape", "?", "q", "enter"]) {
    await p.press("help", "?", "─ Keys ─");
    await p.press("give-up", key, without("─ Keys ─"));
  }
}

async function inPalette(p: Presser): Promise<void> {
  const chosen = (name: string): RegExp => new RegExp(`▌${name} `);
  await p.press("palette", ":", "─ Command ─");
  await p.press("choose-next", "down", chosen("events"));
  await p.press("choose-next", "tab", chosen("kill"));
  await p.press("choose-previous", "up", chosen("events"));
  await p.press("choose-previous", "shift-tab", chosen("filter"));
  await p.press("choose-page-down", "pagedown", without("▌filter"));
  await p.press("choose-page-up", "pageup", chosen("filter"));
  await p.pty.press("view ledger", chosen("view ledger"));
  await p.press("give", "enter", "6 LEDGER");
  await p.press("back", "escape", "─ AT WORK");
}

/** Every key of a field, on the note of an intervention. */
async function writing(p: Presser): Promise<void> {
  const { pty } = p;
  await p.press("note", "i", "Note an intervention");
  await p.press("note-kind", "tab", "tending the machinery");
  await pty.press("abcd", "abcd█");
  await p.press("char-left", "left", without("abcd█"));
  await pty.press("X", "abcXd");
  await p.press("char-right", "right", "abcXd█");
  for (const [start, end] of [
    ["home", "end"],
    ["ctrl-a", "ctrl-e"],
  ] as const) {
    await p.press("line-start", start, without("abcXd█"));
    await pty.press("Y", /YY?abcXd/);
    await p.press("line-end", end, /abcXd█/);
  }
  await p.press("line-start", "home", without("abcXd█"));
  await p.press("delete-on", "delete", without("YYabc"));
  await p.press("delete-all", "ctrl-u", "0 of 500");
  await p.press("record", "enter", "say");
  await pty.press("restarted the registry", "registry█");
  await p.press("record", "enter", /a person: restarted the registry/);
}

async function asking(p: Presser): Promise<void> {
  const { pty } = p;
  await pty.press("kkkkk", selects("T-1"));
  for (const key of ["n", "escape"]) {
    await p.press("kill", "x", "End the attempt at T-1?");
    await p.press("no", key, without("End the attempt"));
  }
  await p.press("heal", "h", "Heal the harness?");
  await p.press("no", "n", without("Heal the harness?"));
  await p.press("retry", "r", "an attempt at T-1 is under way");
  await p.press("gate", "g", "Leave T-1 to a person");
  await p.press("give-up", "escape", without("Leave T-1"));
  await p.press("add", "a", "Add a ticket");
  await p.press("ticket-repo", "tab", "It changes app");
  await p.press("give-up", "escape", without("Add a ticket"));
  await p.press("pause", "p", /^ ⏸ PAUSED/);
  await p.press("pause", "p", /^ ● RUNNING/);
  await p.press("more-workers", "+", "of 3 agents");
  await p.press("more-workers", "=", "of 4 agents");
  await p.press("fewer-workers", "-", "of 3 agents");
  await p.press("oracle", "o", "the oracle was asked");
  for (const key of ["escape", "q"]) {
    await p.press("leave", "q", "Leave the dashboard");
    await p.press("give-up", key, without("Leave the dashboard"));
  }
}

async function searching(p: Presser): Promise<void> {
  await p.pty.press("kkkkk", selects("T-1"));
  await p.press("view-ticket", "2", "READY T-1");
  await p.press("search", "/", last(/^ \/█/));
  await p.pty.press("READY", last(/^ \/READY█/));
  await p.press("find", "enter", (screen) => !last(/^ \//)(screen));
  await p.press("back", "escape", "─ AT WORK");
}

/** A ticket whose only attempt was killed is stalled, and tried again. */
async function retrying(p: Presser): Promise<void> {
  const { pty } = p;
  await pty.press("j", selects("T-2"));
  await p.press("kill", "x", "End the attempt at T-2?");
  await p.press("yes", "y", /! T-2 /);
  await p.press("retry", "r", "Retry T-2?");
  await p.press("yes", "y", (screen) => !/! T-2 /.test(screen) && !screen.includes("Retry T-2?"));
}

describe("every key", { timeout: 300_000 }, () => {
  test("of every view does on a real terminal what it says", async () => {
    using stage = patientStage();
    const batch = stage.batch(["T-1", "T-2", { id: "T-3", dependsOn: ["T-1"] }, { id: "T-4", dependsOn: ["T-1"] }], {
      limits: { workers: 2, attempts: 1, heals: 1, minutesPerAttempt: 30, silenceMinutes: 30 },
    });
    const pty = open(stage, [batch], SIZE);
    const p = new Presser(pty);
    await pty.waitFor(/READY T-1[^]*READY T-2/);
    await selecting(p);
    await filtering(p);
    await viewing(p);
    await inPalette(p);
    await writing(p);
    await asking(p);
    await searching(p);
    await retrying(p);
    for (const [i, view] of VIEWS.entries()) {
      await pty.press(String(i + 1), view === "overview" ? "─ AT WORK" : `${i + 1} ${view.toUpperCase()}`);
      await p.survives(KEYMAP[view]);
    }
    await pty.press("1", "─ AT WORK");
    await p.press("quit", "ctrl-c", "Leave the dashboard");
    await p.press("detach", "d", /attach/);
    expect(await pty.exitCode()).toBe(130);

    const again = new Presser(open(stage, ["attach"], SIZE));
    // Until it is connected there is nothing to ask, and it is left at once.
    await again.pty.waitFor(/─ AT WORK[^]* p pause /);
    await again.pty.press("q", "Leave the dashboard");
    await again.press("stop", "s", /attach|STOPP/);
    expect(await again.pty.exitCode()).toBe(130);
    const ended = new Presser(open(stage, ["attach"], SIZE));
    await ended.pty.waitFor(/^ ■ STOPPED/);
    await ended.survives(KEYMAP.summary.filter(({ name, keys }) => keys.some((key) => !p.has(name, key))));
    await ended.press("leave", "q", /STOPPED|stopped/);
    await ended.pty.exitCode();

    const { replay: _, ...others } = KEYMAP;
    const all = Object.values(others).flatMap((bindings) =>
      bindings.flatMap(({ name, keys }) => keys.map((key) => ({ name, key }))),
    );
    const missed = all.filter(
      ({ name, key }) => ![p, again, ended].some((presser) => presser.has(name, key)) && name !== "suspend",
    );
    expect(missed).toEqual([]);
  });

  test("bound to another one is that one, in the last line as well", async () => {
    using stage = patientStage();
    stage.write("keys.json", '{\n  // not so easily\n  "kill": ["D"], "leave": ["Q"]\n}\n');
    const pty = open(stage, [stage.batch(["T-1"])], { ...SIZE, env: { LOOPDASH_KEYS: "keys.json" } });
    await pty.waitFor(/READY T-1[^]*Q leave/);
    await pty.press("j", selects("T-1"));
    await pty.waitFor(/D kill/);
    pty.type("xq");
    await pty.press("D", "End the attempt at T-1?");
    await pty.press("n", without("End the attempt"));
    await pty.press("Q", "Leave the dashboard");
    pty.type("d");
    expect(await pty.exitCode()).toBe(130);
  });

  test("that cannot be bound is refused before anything starts, with its line", async () => {
    using stage = patientStage();
    stage.write(".config/loopdash/keys.json", '{\n  "kil": ["D"]\n}\n');
    const pty = open(stage, [stage.batch(["T-1"])], SIZE);
    expect(await pty.exitCode()).toBe(2);
    expect(pty.alternateSeen).toBe(false);
    expect(pty.main()).toMatch(/^loopdash: the keys in [^]*why: [^]*keys\.json:2:10[^]*did you mean "kill"\?[^]*do: /);
    expect(existsSync(stage.path("home/runs"))).toBe(false);
    expect(pidsUnder(stage.root)).toEqual([]);
  });
});

describe("the mouse", { timeout: 300_000 }, () => {
  test("selects, opens, turns and presses; text that looks like it confirms nothing", async () => {
    using stage = patientStage();
    const pty = open(stage, [stage.batch(["T-1", "T-2"])], { columns: 100, rows: 30 });
    await pty.waitFor(/READY T-1[^]*READY T-2/);
    const cell = (text: string): string => {
      const row = pty.lines().findIndex((line) => line.includes(text));
      expect(row, text).toBeGreaterThanOrEqual(0);
      return `${(pty.lines()[row] ?? "").indexOf(text) + 1};${row + 1}`;
    };
    const click = (text: string, sight: Sight) => pty.press(`${ESC}[<0;${cell(text)}M${ESC}[<0;${cell(text)}m`, sight);
    await click("T-2 ", selects("T-2"));
    await pty.press(`${ESC}[<64;5;5M`, selects("T-1"));
    await click("T-1 ", "2 TICKET");
    await click("1 overview", "─ AT WORK");
    await click("p pause", /^ ⏸ PAUSED/);
    await click("p unpause", /^ ● RUNNING/);
    await pty.press("x", "End the attempt at T-1?");
    const yes = `${ESC}[<0;${cell("y kill  n keep")}M`;
    await pty.press(yes, "press y for that");
    pty.type(`${ESC}[200~${yes}${ESC}[201~`);
    for (const half of [yes.slice(0, 5), yes.slice(5)]) pty.type(half);
    await pty.press("n", without("End the attempt"));
    // Commands keep their order: a kill would have come before the pause.
    await pty.press("p", /^ ⏸ PAUSED/);
    await pty.press("p", /^ ● RUNNING/);
    expect(pty.text()).toMatch(/T-1 .*a(?:ttempt )?1 /);
    await pty.press("q", "Leave the dashboard");
    pty.type("d");
    expect(await pty.exitCode()).toBe(130);
  });
});
