import xterm from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { frameDiffStdout } from "../../../components/terminal/frame-diff.ts";
import { LinePlaceholders } from "../../../components/terminal/line-placeholders.ts";
import { cellsOf } from "../screen/cells.ts";
import { Terminal } from "../terminal.ts";

const BOLD = "\u001B[1mbold\u001B[22m";

describe("a painted line", () => {
  test("has one sign, and each other text has another", () => {
    const prepared = new LinePlaceholders();
    const sign = prepared.standIn(BOLD, 4);
    expect(sign).toHaveLength(3);
    expect(prepared.standIn(BOLD, 4)).toBe(sign);
    expect(prepared.standIn("bold", 4)).not.toBe(sign);
  });

  test("stands for itself where it is narrower than a sign, where it has wide characters, and where it may be covered", () => {
    const prepared = new LinePlaceholders();
    expect(prepared.standIn("ab", 2)).toBe("ab");
    expect(prepared.standIn("署名鍵", 6)).toBe("署名鍵");
    expect(new LinePlaceholders(() => true).standIn(BOLD, 4)).toBe(BOLD);
  });

  test("takes the place of its sign and of the blanks behind it, and of nothing else", () => {
    const prepared = new LinePlaceholders();
    const [bold, word] = [prepared.standIn(BOLD, 4), prepared.standIn("other word", 10)];
    expect(prepared.written(`a ${bold}  ${word}       |`)).toBe(`a ${BOLD} other word|`);
    expect(prepared.written(`${word}\n${bold} x`)).toBe(`other word\n${BOLD}x`);
    expect(prepared.written("no sign")).toBe("no sign");
  });

  test("is known as long as it is on the screen, however many others come and go", () => {
    const prepared = new LinePlaceholders();
    const sign = prepared.standIn("stays", 5);
    const others = new Set<string>();
    for (let i = 0; i < 20_000; i += 1) {
      others.add(prepared.standIn(`goes ${i}`, 12));
      if (i % 500 === 0) expect(prepared.standIn("stays", 5)).toBe(sign);
    }
    expect(others.has(sign)).toBe(false);
    expect(prepared.written(sign)).toBe("stays");
  });

  test("that is long gone is forgotten", () => {
    const prepared = new LinePlaceholders();
    const sign = prepared.standIn("gone", 4);
    for (let i = 0; i < 2_000; i += 1) prepared.standIn(`comes ${i}`, 12);
    expect(prepared.at(sign, 0)).toBeUndefined();
    expect(prepared.written(sign)).not.toContain("gone");
  });
});

const COLUMNS = 30;
const ROWS = 3;

/** A stretch of a line, and whether it is prepared. What is not prepared Ink has read. */
const stretch = fc.record({
  text: fc.constantFrom("a word", "a word2", "署名", "●▸✔", "longer than that", "", "x"),
  look: fc.constantFrom("", "1", "2", "7", "31", "44"),
  prepared: fc.boolean(),
  gap: fc.nat(4),
});
type Stretch = typeof stretch extends fc.Arbitrary<infer T> ? T : never;
const frames = fc.array(fc.array(fc.array(stretch, { maxLength: 4 }), { minLength: ROWS, maxLength: ROWS }), {
  minLength: 2,
  maxLength: 6,
});

/** A line as Ink writes it, with signs, and as it would be with the lines themselves. */
function lineOf(stretches: readonly Stretch[], prepared: LinePlaceholders): readonly [signs: string, text: string] {
  let [signs, text, column] = ["", "", 0];
  for (const { text: word, look, prepared: isPrepared, gap } of stretches) {
    const width = word === "署名" ? 4 : word.length;
    if (column + width + gap > COLUMNS) break;
    const styled = look === "" || word === "" ? word : `\u001B[${look}m${word}\u001B[0m`;
    const standIn = isPrepared ? prepared.standIn(styled, width) : styled;
    const blanks = " ".repeat(gap);
    signs += standIn + (standIn === styled ? "" : " ".repeat(width - standIn.length)) + blanks;
    text += styled + blanks;
    column += width + gap;
  }
  return [signs.trimEnd(), text];
}

test("frames with signs show what frames of the lines themselves show, cell by cell", async () => {
  await fc.assert(
    fc.asyncProperty(frames, async (all) => {
      const prepared = new LinePlaceholders();
      const whole = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
      const terminal = new Terminal(COLUMNS, ROWS);
      const stdout = frameDiffStdout(terminal, { prepared });
      for (const lines of all) {
        const drawn = lines.map((line) => lineOf(line, prepared));
        stdout.write("\u001B[?2026h");
        stdout.write(`\u001B[H${drawn.map(([signs]) => signs).join("\n")}`);
        stdout.write("\u001B[?2026l");
        whole.write(`\u001B[H\u001B[2J${drawn.map(([, text]) => text).join("\r\n")}`);
        expect(await cellsOf(await terminal.screen())).toEqual(await cellsOf(whole));
      }
      expect(terminal.raw).not.toContain("\u0001");
    }),
    { numRuns: 100 },
  );
});

describe("no sign reaches the terminal", () => {
  const open = () => {
    const prepared = new LinePlaceholders();
    const terminal = new Terminal(COLUMNS, ROWS);
    return { terminal, stdout: frameDiffStdout(terminal, { prepared }), sign: prepared.standIn("a painted line", 14) };
  };

  test("of a frame that goes out as it is", () => {
    const { terminal, stdout, sign } = open();
    stdout.write("\u001B[?2026h");
    stdout.write(`${sign}\u001B[5;5Hb`);
    stdout.write("\u001B[?2026l");
    expect(terminal.raw).toContain("a painted line\u001B[5;5Hb");
  });

  test("of what is no frame", () => {
    const { terminal, stdout, sign } = open();
    stdout.write(`${sign}           \n`);
    expect(terminal.raw).toBe("a painted line\n");
  });
});
