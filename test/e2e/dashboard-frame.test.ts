import { readFileSync } from "node:fs";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { patientAgent } from "./actors.ts";
import { type Pty, type PtySize, terminals } from "./pty.ts";
import { pidsUnder, Stage } from "./stage.ts";

const open = terminals();
const ESC = "\u001b";
const SMALL = { columns: 80, rows: 24 };
const LARGE = { columns: 160, rows: 50 };

function patientStage(): Stage {
  const stage = new Stage();
  stage.repo("app");
  patientAgent(stage);
  return stage;
}

/** A screen without what time alone changes: numbers, and the blanks that make up for their width. */
function still(pty: Pty): string[] {
  return pty.lines().map((line) =>
    line
      .replace(/\d+[smhd]?|:/g, "#")
      .replace(/#+/g, "#")
      .replace(/ +/g, " "),
  );
}

/** Column and height of the line between workers and queue: every row of it must be in its place. */
function dividerOf(pty: Pty): { readonly column: number; readonly cells: string[] } {
  const lines = pty.lines();
  const column = stringWidth(lines[2]?.split("┬")[0] ?? "");
  const height = lines.findIndex((line) => line.startsWith("─ OUTCOMES")) - 2;
  return { column, cells: Array.from({ length: height }, (_, i) => pty.cell(column, i + 2)) };
}

/** The last column of a row in which anything stands. */
function edgeOf(pty: Pty, row: number): number {
  let column = SMALL.columns;
  while (column > 0 && pty.cell(column, row).trim() === "") column--;
  return column;
}

describe("the frame", { timeout: 300_000 }, () => {
  test("keys in a burst, 60 sizes in a row, too small and back: then it shows what a fresh dashboard shows", async () => {
    using stage = patientStage();
    const waiting = Array.from({ length: 20 }, (_, i) => ({ id: `T-${i + 4}`, dependsOn: ["T-1"] }));
    // On a slow machine it takes longer than an attempt has elsewhere.
    const limits = { minutesPerAttempt: 30, silenceMinutes: 30 };
    const pty = open(stage, [stage.batch(["T-1", "T-2", "T-3", ...waiting], { limits })]);
    await pty.waitFor(/READY T-1[^]*READY T-2[^]*READY T-3[^]*oracle: not done/);
    await pty.press("jjjj", /▌· T-4 /);
    await pty.press("kk", /▌▶ T-2/);
    for (let i = 0; i < 60; i++) {
      pty.resize({ columns: 60 + ((i * 37) % 141), rows: 15 + ((i * 17) % 46) });
      if (i % 6 === 5) await pty.settled();
    }
    for (const size of [{ columns: 60, rows: 15 }, { columns: 200, rows: 60 }, LARGE, SMALL] satisfies PtySize[]) {
      pty.resize(size);
      await pty.settled();
      await pty.press("?", /Keys/);
      await pty.press(ESC, (screen) => !screen.includes("Keys"));
      await pty.press("\r", /2 TICKET[^]*T-2 Do T-2/);
      await pty.press(ESC, (screen) => screen.includes("AT WORK"));
    }
    pty.resize({ columns: 50, rows: 10 });
    await pty.waitFor("terminal too small (need 60×15)");
    // A size may be heard of before keys that were typed ahead of it: these are taken once the next small size is drawn.
    pty.type("xyjj\r");
    const drawn = pty.raw.length;
    pty.resize({ columns: 51, rows: 11 });
    await pty.waitFor(() => pty.raw.length > drawn);
    pty.resize(SMALL);
    await pty.settled();
    expect(pty.text()).toMatch(/▌▶ T-2/);

    const fresh = open(stage, ["attach"]);
    await fresh.waitFor(/READY T-1[^]*READY T-2[^]*READY T-3[^]*oracle: not done/);
    await fresh.press("jj", /▌▶ T-2/);
    await pty
      .waitFor(() => still(pty).join("\n") === still(fresh).join("\n"))
      .catch((cause: unknown) => Promise.reject(new Error(`the fresh one shows\n${fresh.text()}`, { cause })));
    stage.write("go", "");
    await pty.waitFor(/^ ✔ DONE[^]*─ TICKETS 23/);
    pty.type("q");
    expect(await pty.exitCode()).toBe(0);
  });

  test("hostile titles, output and file names stay text: nothing moves, nothing reads backwards, nothing is obeyed", async () => {
    using stage = new Stage();
    stage.repo("app");
    const orders = `${ESC}]0;owned\u0007${ESC}[2J${ESC}[H${ESC}[31m${ESC}[?1049l\u009b5A\u202etxt.evil\u2066`;
    const wide = "漢字ｗｉｄｅ".repeat(20);
    const odd = `👩‍👩‍👧‍👦👍🏽🇩🇪 ${"한글".normalize("NFD")} e${"\u0301".repeat(40)} עברית \u202Eевил`;
    const says = [
      orders,
      `${wide}${orders}`,
      odd,
      `a\tb\u000b\r${orders}\rL3 over`,
      "漢".repeat(30_000),
      `${"x".repeat(500)}${odd}`,
    ];
    stage.agent(`
      const pass = async (name) => { while (!fs.existsSync(${JSON.stringify(stage.root)} + "/" + name)) await wait(20); };
      process.stdout.write(Buffer.from([0xff, 0xfe, 0x9b, 0x33, 0x41, 0x0a]));
      for (const [i, line] of ${JSON.stringify(says)}.entries()) { process.stdout.write("L" + i + " " + line + "\\n"); await pass("line-" + i); }
      fs.writeFileSync("\\u001b[31m\\u202ename.txt", "x");`);
    const tickets = [wide, odd, "plain", `\u202e${wide}`, odd, wide].map((title, i) => ({
      id: `T-${i + 1}`,
      title,
      ...(i > 2 ? { dependsOn: ["T-1"] } : {}),
    }));
    const large = open(stage, [stage.batch(tickets, { protect: ["*name*"], limits: { attempts: 1 } })], LARGE);
    await large.waitFor(/L0[^]*L0[^]*L0/);
    const small = open(stage, ["attach"], SMALL);
    const both = [large, small];
    for (const i of says.keys()) {
      for (const pty of both) {
        await pty.waitFor(new RegExp(`("L${i} [^]*){3}`));
        expect(pty.isWhole()).toBe(true);
      }
      // Beside another block or at the edge of the terminal: a line ends where it should, whatever is said in it.
      const edges = small.lines().flatMap((line, y) => (line.includes(`"L${i} `) ? [edgeOf(small, y)] : []));
      expect(edges.map((edge) => edge - (edges[0] ?? 0))).toEqual([0, 0, 0]);
      expect(small.lines().filter((line) => /^.▶ T-\d .* \d\d:\d\d$/.test(line))).toHaveLength(3);
      const { column, cells } = dividerOf(large);
      expect(column).toBe(96);
      expect(cells.join("")).toMatch(/^┬[│├]+$/);
      stage.write(`line-${i}`, "");
    }
    await Promise.all(both.map((pty) => pty.waitFor(/^ ✖ NOT DONE[^]*protected[^]*name\.txt/)));
    for (const pty of both) {
      pty.type("q");
      expect(await pty.exitCode()).toBe(1);
      expect(pty.raw).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      // The only commands to the terminal are titles and one question for its ground, and nothing that anybody wrote is in them.
      const commands = pty.raw.split(`${ESC}]`).slice(1);
      for (const command of commands) expect(command).toMatch(/^(?:11;\?\u001b|2;[^\u0007\u001b]* (?:test|loopdash)\u0007)/);
      for (const order of [`${ESC}]0;`, `${ESC}[2J${ESC}[H`, `${ESC}[31mname`, "\u009b"]) expect(pty.raw).not.toContain(order);
    }
  });

  test("64 workers and 300 tickets: the frame holds, and what does not fit is counted", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.write("agent.sh", 'echo "up $LOOPDASH_TICKET"\nexec sleep 600\n');
    const agent = { kind: "command", command: ["/bin/sh", "agent.sh"] };
    const tickets = Array.from({ length: 300 }, (_, i) => `T-${i + 1}`);
    const pty = open(stage, [stage.batch(tickets, { agent, limits: { workers: 64 } })], SMALL);
    for (const size of [SMALL, LARGE, { columns: 60, rows: 15 }]) {
      pty.resize(size);
      await pty.settled();
      const screen = await pty.waitFor(/AT WORK 64 of 64 agents(?=[^]*\n {3}\+\d+ more)[^]*NEXT/);
      const [hidden] = /^ {3}\+(\d+) more/m.exec(screen)?.slice(1).map(Number) ?? [];
      const shown = screen.split("\n").filter((line) => /^.[◌▶»] T-\d+ /.test(line)).length;
      expect((hidden ?? 0) + shown).toBe(64);
    }
    await pty.press("q", "64 agents at work");
    pty.type("s");
    expect(await pty.exitCode(60_000)).toBe(130);
    expect(pidsUnder(stage.root).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sleep"))).toEqual([]);
  });
});
