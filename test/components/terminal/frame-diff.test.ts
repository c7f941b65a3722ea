import xterm from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { frameDiffStdout } from "../../../components/terminal/frame-diff.ts";
import { cellsOf } from "../screen/cells.ts";
import { Terminal } from "../terminal.ts";

const COLUMNS = 24;
const ROWS = 5;
const BEGIN = "\u001B[?2026h";
const END = "\u001B[?2026l";

/** A frame as Ink writes it: the last one taken away line by line, then all lines of this one. */
function drawInto(stdout: NodeJS.WritableStream, lines: readonly string[], before = ROWS): void {
  const gone = before === 0 ? "" : `${Array.from({ length: before }, () => "\u001B[2K").join("\u001B[1A")}\u001B[G`;
  stdout.write(BEGIN);
  stdout.write(gone + lines.join("\n"));
  stdout.write(END);
}

/** The same frames on two terminals: on one as Ink writes them whole, on the other through what is tested. */
function pair() {
  const size = { cols: COLUMNS, rows: ROWS, allowProposedApi: true, convertEol: true };
  const whole = new xterm.Terminal(size);
  const screen = new xterm.Terminal(size);
  const terminal = new Terminal(COLUMNS, ROWS);
  const written: string[] = [];
  const stdout = frameDiffStdout(terminal);
  terminal._write = (chunk: string, _encoding, done) => {
    written.push(chunk);
    screen.write(chunk, done);
  };
  let first = true;
  return {
    stdout,
    terminal,
    written,
    async shows(lines: readonly string[]): Promise<void> {
      written.length = 0;
      drawInto(stdout, lines, first ? 0 : ROWS);
      first = false;
      whole.write(`\u001B[H\u001B[2J${lines.join("\r\n")}`);
      expect(await cellsOf(screen)).toEqual(await cellsOf(whole));
    },
    bytes: () => Buffer.byteLength(written.join("")),
  };
}

const STYLES = [
  "1",
  "2",
  "3",
  "4",
  "7",
  "9",
  "31",
  "92",
  "38;5;208",
  "38;2;1;2;3",
  "44",
  "48;5;4",
  "22",
  "39",
  "49",
  "27",
  "24",
  "0",
  "",
];
const LINKS = ["https://a.example/1;x=2", "https://b.example/", ""].map((url) => `\u001B]8;;${url}\u0007`);
const styled = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("a", "b", " ", "  ", "9", "●", "…", "word ") },
      { weight: 2, arbitrary: fc.constantFrom(...STYLES).map((code) => `\u001B[${code}m`) },
      { weight: 1, arbitrary: fc.constantFrom("署", "e\u0301", "👩‍👧") },
      { weight: 1, arbitrary: fc.constantFrom(...LINKS) },
    ),
    { maxLength: 14 },
  )
  .map((parts) => cutToWidth(parts));
const lines = fc.array(styled, { minLength: ROWS, maxLength: ROWS });

/** As Ink does: no line is wider than the terminal, and its styles end with it. */
function cutToWidth(parts: readonly string[]): string {
  let width = 0;
  const kept: string[] = [];
  for (const part of parts) {
    const wide = part.startsWith("\u001B") ? 0 : part === "署" || part === "👩‍👧" ? 2 : part === "e\u0301" ? 1 : [...part].length;
    if (width + wide > COLUMNS) break;
    width += wide;
    kept.push(part);
  }
  return `${kept.join("")}\u001B]8;;\u0007\u001B[0m`;
}

describe("a frame", () => {
  test("shows what it would have shown whole, whatever was there before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(lines, { minLength: 2, maxLength: 6 }), async (frames) => {
        const p = pair();
        for (const frame of frames) await p.shows(frame);
      }),
      { numRuns: 60 },
    );
  });

  test("with few changes shows them too", async () => {
    const change = fc.record({ row: fc.nat(ROWS - 1), line: styled });
    await fc.assert(
      fc.asyncProperty(lines, fc.array(change, { minLength: 1, maxLength: 8 }), async (start, changes) => {
        const p = pair();
        const frame = [...start];
        await p.shows(frame);
        for (const { row, line } of changes) {
          frame[row] = line;
          await p.shows(frame);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("costs what has changed, not its lines", async () => {
    const p = pair();
    await p.shows(["left 1  \u001B[2mquiet\u001B[22m   right", "two", "", "", ""]);
    await p.shows(["left 2  \u001B[2mquiet\u001B[22m   right", "two", "", "", ""]);
    expect(p.written).toEqual([`${BEGIN}\u001B[1;6H2${END}`]);
  });

  test("whose text leads elsewhere now is written where it does, with the link", async () => {
    const p = pair();
    const row = (to: string) => `T-1 \u001B]8;;${to}\u0007abc\u001B]8;;\u0007 done`;
    await p.shows([row("https://a.example/"), "", "", "", ""]);
    await p.shows([row("https://b.example/"), "", "", "", ""]);
    expect(p.written).toEqual([`${BEGIN}\u001B[1;5H\u001B]8;;https://b.example/\u0007abc\u001B]8;;\u0007${END}`]);
    await p.shows([row("https://b.example/"), "", "", "", ""]);
    expect(p.written).toEqual([]);
  });

  test("that shows the same writes nothing", async () => {
    const p = pair();
    await p.shows(["a", "b", "c", "d", "e"]);
    await p.shows(["a", "b", "\u001B[1m\u001B[22mc", "d", "e"]);
    expect(p.written).toEqual([]);
  });

  test("with words of one style is not broken up at its blanks", async () => {
    const p = pair();
    await p.shows(["", "", "", "", ""]);
    await p.shows(["\u001B[2mthe quick brown fox\u001B[22m", "", "", "", ""]);
    expect(p.written).toEqual([`${BEGIN}\u001B[1;1H\u001B[2mthe quick brown fox\u001B[m${END}`]);
  });
});

describe("the next frame is drawn whole", () => {
  test("after anything else was written", async () => {
    const p = pair();
    await p.shows(["a", "b", "c", "d", "e"]);
    p.stdout.write("\u001B[?1049l\u001B[?1049h\u001B[H\u001B[2J");
    await p.shows(["a", "b", "c", "d", "e"]);
    expect(p.bytes()).toBeGreaterThan(5 * 4);
  });

  test("after a change of size", async () => {
    const p = pair();
    await p.shows(["a", "b", "c", "d", "e"]);
    p.terminal.columns = COLUMNS - 1;
    p.written.length = 0;
    drawInto(p.stdout, ["a", "b", "c", "d", "e"]);
    expect(p.written.join("")).toContain("e");
  });
});

test("a frame that moves the cursor about goes out as it is", () => {
  const p = pair();
  drawInto(p.stdout, ["a\u001B[5;5Hb", "", "", "", ""]);
  expect(p.written.join("")).toContain("a\u001B[5;5Hb");
});

test("the cursor's own sequences are kept", () => {
  const p = pair();
  p.stdout.write(BEGIN);
  p.stdout.write("\u001B[?25l");
  p.stdout.write("a");
  p.stdout.write(END);
  expect(p.written.join("")).toContain("\u001B[?25l");
});
