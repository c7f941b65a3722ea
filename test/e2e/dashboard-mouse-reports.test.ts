import { describe, expect, test } from "vitest";
import { patientAgent } from "./actors.ts";
import { atWork, leaves, recorded, selects, WIDE, without } from "./mouse-scenes.ts";
import { pressAt } from "./pointer.ts";
import { type Pty, terminals } from "./pty.ts";
import { Stage } from "./stage.ts";

const open = terminals();
const ESC = "\u001b";
const ON = [`${ESC}[?1000h`, `${ESC}[?1006h`];
const OFF = [`${ESC}[?1006l`, `${ESC}[?1000l`];
/** In every line of the screen and in every way outside of it; the button's and each way of the wheel together. */
const IMPOSSIBLE = [0, 64, 65].map((button) => {
  const rows = Array.from({ length: WIDE.rows }, (_, i) => i + 1);
  const beside = rows.flatMap((row) => [`9999;${row}`, `${WIDE.columns + 1};${row}`]);
  const others = ["0;0", "0;5", "5;0", "5;9999", `5;${WIDE.rows + 1}`, "9999;9999", "99999;5", "5;-5"];
  return [...beside, ...others].map((cell) => `${ESC}[<${button};${cell}M`).join("");
});
/** What is not a report of this mode; the last two are those of the mode that came before it. */
const GARBLED = ["[<M", "[<;;M", "[<0;4M", "[<0;4;5;6M", "[<?;4;5M", "[<0;4;5X", "[M 55", "[M#55"].map((text) => ESC + text);

describe("mouse reports", { timeout: 300_000 }, () => {
  test("are asked for before the first frame, and given back when the dashboard is left", async () => {
    using stage = new Stage();
    const { pty } = await atWork(open, stage, ["T-1"]);
    for (const code of ON) {
      expect(pty.raw.indexOf(code), code).toBeGreaterThanOrEqual(0);
      expect(pty.raw.indexOf(code), code).toBeLessThan(pty.raw.indexOf("ORACLE"));
    }
    for (const code of OFF) expect(pty.raw, code).not.toContain(code);
    await leaves(pty);
    for (const [i, code] of OFF.entries()) {
      expect(pty.raw.lastIndexOf(code), code).toBeGreaterThan(pty.raw.lastIndexOf(ON[1 - i] ?? ""));
      expect(pty.raw.lastIndexOf(code), code).toBeGreaterThan(pty.raw.lastIndexOf("Leave the dashboard"));
    }
  });

  test("are not asked for where the mouse is to stay the terminal's own", async () => {
    using stage = new Stage();
    stage.repo("app");
    patientAgent(stage);
    const pty = open(stage, [stage.batch(["T-1"])], { env: { LOOPDASH_MOUSE: "0" } });
    await pty.waitFor("READY T-1");
    await leaves(pty);
    for (const code of [...ON, ...OFF]) expect(pty.raw, code).not.toContain(code);
  });
});

/** A piece of input, and so much time that nobody waits for its rest any more: two ticks of the run's clock. */
async function slowly(pty: Pty, piece: string): Promise<void> {
  const clock = (screen: string): string => /\d\d:\d\d:\d\d/.exec(screen)?.[0] ?? "";
  pty.type(piece);
  for (let tick = 0; tick < 2; tick++) {
    const now = clock(pty.text());
    await pty.waitFor((screen) => clock(screen) !== now);
  }
}

const torn = (text: string, at: number): readonly [string, string] => [text.slice(0, at), text.slice(at)];

describe("a report that is torn, impossible or garbled", { timeout: 300_000 }, () => {
  test("torn anywhere is one click, and no key", async () => {
    using stage = new Stage();
    const p = await atWork(open, stage);
    const of = { "T-1": pressAt(p.place(/▶ T-1 /)), "T-2": pressAt(p.place(/▶ T-2 /)) } as const;
    // The first piece alone is Escape, and the last no more than a letter.
    for (const at of [1, 2, 3, 6, of["T-2"].length - 1]) {
      await p.pty.press(of["T-1"], selects("T-1"));
      const [head, tail] = torn(of["T-2"], at);
      await slowly(p.pty, head);
      await p.pty.press(tail, selects("T-2"));
      expect(p.pty.text(), `${at}`).toContain("─ AT WORK");
    }
    for (let at = 1; at < of["T-1"].length; at++) {
      for (const id of ["T-1", "T-2"] as const) {
        for (const piece of torn(of[id], at)) p.pty.type(piece);
        await p.pty.waitFor(selects(id));
      }
      expect(p.pty.text(), `${at}`).toContain("─ AT WORK");
    }
    await leaves(p.pty);
  });

  test("none of them types anything into an open dialog, or closes it", async () => {
    using stage = new Stage();
    const p = await atWork(open, stage);
    await p.pty.press("i", "Note an intervention");
    const whole = pressAt(p.place("Note an intervention"));
    for (const at of [2, 3, 6, whole.length - 1]) {
      const [head, tail] = torn(whole, at);
      await slowly(p.pty, head);
      p.pty.type(tail);
    }
    p.pty.type([...IMPOSSIBLE, ...GARBLED].join(""));
    // It never goes on.
    await slowly(p.pty, `${ESC}[<0;4;5`);
    await p.pty.press("abc", "abc█");
    expect(p.pty.text()).toMatch(/│ abc█ /);
    expect(p.pty.text()).toContain("3 of 500");
    await p.pty.press(ESC, without("Note an intervention"));
    await leaves(p.pty);
  });

  test("outside the screen it selects, opens and turns nothing, and garbage is no key", async () => {
    using stage = new Stage();
    const p = await recorded(open, stage);
    await p.click(/▶ T-6 /, selects("T-6"));
    for (const text of [...IMPOSSIBLE, ...GARBLED]) await p.changesNothing(text);
  });
});
