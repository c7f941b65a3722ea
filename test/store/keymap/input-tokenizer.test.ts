import { describe, expect, test } from "vitest";
import { ESCAPE_MS, InputTokenizer, LATE_MS, type TerminalInput } from "../../../src/store/keymap/input-tokenizer.ts";

const ESC = "\u001b";
const ST = `${ESC}\\`;
const SOON = ESCAPE_MS - 1;
const LATER = ESCAPE_MS + 150;

/** Plays pieces of input and the milliseconds between them; a timer calls `expire` as a terminal's reader does. */
function play(...pieces: readonly (string | number)[]): readonly TerminalInput[] {
  const tokenizer = new InputTokenizer();
  let now = 0;
  const wait = (ms: number) => {
    const end = now + ms;
    const found: TerminalInput[] = [];
    while (tokenizer.due !== undefined && tokenizer.due <= end) {
      now = tokenizer.due;
      found.push(...tokenizer.expire(now));
    }
    now = end;
    return found;
  };
  const found = pieces.flatMap((piece) => (typeof piece === "string" ? tokenizer.push(piece, now) : wait(piece)));
  return [...found, ...wait(2 * LATE_MS)];
}

/** Names of keys and characters; a paste is quoted, a mouse action its cell. */
const said = (...pieces: readonly (string | number)[]) =>
  play(...pieces)
    .flatMap((input) => {
      if ("keys" in input) return input.keys.map((key) => ("key" in key ? key.key : key.char));
      return "paste" in input ? [`"${input.paste}"`] : [`${input.mouse.what}@${input.mouse.column},${input.mouse.row}`];
    })
    .join(" ");

/** What terminals, tmux and screen answer: nothing of it is typed. */
const REPLIES: Readonly<Record<string, string>> = {
  "OSC 11": `${ESC}]11;rgb:1e1e/2e2e/3e3e\u0007`,
  "OSC 4 with ST": `${ESC}]4;1;rgb:cccc/0000/0000${ST}`,
  "OSC 52": `${ESC}]52;c;${"QUJD".repeat(500)}${ST}`,
  "title report": `${ESC}]lsome title: q${ST}`,
  DA: `${ESC}[?62;1;4;22c`,
  DA2: `${ESC}[>41;354;0c`,
  DA3: `${ESC}P!|7E565445${ST}`,
  XTVERSION: `${ESC}P>|tmux 3.4${ST}`,
  XTGETTCAP: `${ESC}P1+r544e=787465726d${ST}`,
  DECRQSS: `${ESC}P1$r0m${ST}`,
  CPR: `${ESC}[12;40R`,
  DSR: `${ESC}[0n`,
  DECRPM: `${ESC}[?2026;2$y`,
  "DECRPM of an ANSI mode": `${ESC}[4;2$y`,
  "size report": `${ESC}[8;24;80t`,
  "kitty flags": `${ESC}[?1u`,
  "kitty graphics": `${ESC}_Gi=31;OK${ST}`,
  "a released kitty key": `${ESC}[97;1:3u`,
  "focus in": `${ESC}[I`,
  "focus out": `${ESC}[O`,
  F5: `${ESC}[15~`,
  "F1 of a console": `${ESC}[[A`,
  "SS3 F1": `${ESC}OP`,
  modifyOtherKeys: `${ESC}[27;5;99~`,
  "released button": `${ESC}[<0;10;5m`,
  "urxvt mouse": `${ESC}[32;10;5M`,
  "old mouse": `${ESC}[M 5x`,
  "old mouse, far right": `${ESC}[M \u00e4`,
  "tmux passthrough": `${ESC}Ptmux;${ESC}${ESC}]11;rgb:0/0/0\u0007${ST}`,
  "tmux passthrough with ST": `${ESC}Ptmux;${ESC}${ESC}]11;rgb:0/0/0${ESC}${ESC}\\${ST}`,
};

/** Keys and what else has a meaning. */
const MEANT: Readonly<Record<string, string>> = {
  [`${ESC}[A`]: "up",
  [`${ESC}[1;5A`]: "up",
  [`${ESC}OB`]: "down",
  [`${ESC}O5D`]: "left",
  [`${ESC}${ESC}[C`]: "right",
  [`${ESC}[a`]: "up",
  [`${ESC}[H`]: "home",
  [`${ESC}[4~`]: "end",
  [`${ESC}[7$`]: "home",
  [`${ESC}[5;5~`]: "pageup",
  [`${ESC}[3~`]: "delete",
  [`${ESC}[Z`]: "shift-tab",
  [`${ESC}OM`]: "enter",
  [`${ESC}[99;5u`]: "ctrl-c",
  [`${ESC}[97:65;2u`]: "A",
  [`${ESC}[27u`]: "escape",
  [`${ESC}[<0;10;5M`]: "click@9,4",
  [`${ESC}[<65;300;80M`]: "wheel-down@299,79",
  [`${ESC}[200~two\rlines${ESC}[201~`]: '"two\rlines"',
  [`${ESC}[200~${ESC}[<0;10;5M q${ESC}[201~`]: `"${ESC}[<0;10;5M q"`,
};

describe("a sequence that is torn", () => {
  const cuts = (text: string) => Array.from({ length: text.length - 1 }, (_, i) => [text.slice(0, i + 1), text.slice(i + 1)]);
  /** A lone escape has counted as the key when its rest comes late. */
  const lone = (head: string) => (head.replaceAll(ESC, "") === "" ? "escape ".repeat(head.length) : "");

  test.each(Object.entries(REPLIES))("types nothing, soon or late, wherever it was cut: %s", (_, reply) => {
    expect(said("j", reply, "k")).toBe("j k");
    expect(said(...reply)).toBe("");
    expect(said(...[...reply.slice(0, 60)].flatMap((char) => [char, SOON]), reply.slice(60))).toBe("");
    for (const [head = "", tail = ""] of cuts(reply).slice(0, 60)) {
      expect(said(head, SOON, tail, "k"), head).toBe("k");
      expect(said(head, LATER, tail, 0, "k"), head).toBe(`${lone(head)}k`);
    }
  });

  test.each(Object.entries(MEANT))("means the same, soon or late, wherever it was cut: %j", (sequence, meaning) => {
    expect(said("j", sequence, "k")).toBe(`j ${meaning} k`);
    expect(said(...sequence)).toBe(meaning);
    expect(said(...[...sequence].flatMap((char) => [char, SOON]))).toBe(meaning);
    for (const [head = "", tail = ""] of cuts(sequence)) {
      expect(said(head, SOON, tail, "k"), head).toBe(`${meaning} k`);
      expect(said(head, LATER, tail, 0, "k"), head).toBe(`${lone(head)}${meaning} k`);
    }
  });
});

test("a sequence that screen has wrapped, and the end of a string that has ended, type nothing", () => {
  const wrapped = `${ESC}P${ESC}]11;rgb:0/0/0\u0007${ST}`;
  expect(said(wrapped, "k")).toBe("k");
  expect(said(...[...wrapped].flatMap((char) => [char, SOON]), "k")).toBe("k");
  expect(said(ESC, LATER, "\\", 0, "k")).toBe("escape k");
});

describe("what a hand types", () => {
  test("is one key each, also if keys arrive together", () => {
    expect(said("jk\r\t\u007f\u0019")).toBe("j k enter tab backspace ctrl-y");
    expect(said("👍\u0000\u0085ä")).toBe("👍 ä");
  });

  test("is Escape after a quarter of a second", () => {
    const tokenizer = new InputTokenizer();
    tokenizer.push(ESC, 1_000);
    expect(tokenizer.due).toBe(1_250);
    expect(tokenizer.expire(1_249)).toEqual([]);
    expect(tokenizer.expire(1_250)).toEqual([{ keys: [{ key: "escape" }] }]);
  });

  test("after Escape stays two keys; Alt and a key are the same", () => {
    expect(said(ESC)).toBe("escape");
    expect(said(ESC, 60, ESC)).toBe("escape escape");
    expect(said(`${ESC}j`)).toBe("escape j");
    expect(said(ESC, 100, "q")).toBe("escape q");
    expect(said(ESC, 100, "\r")).toBe("escape enter");
    expect(said(ESC, LATER, "[", 90, "j")).toBe("escape [ j");
    expect(said(ESC, 100, "P", 300, "j")).toBe("escape P j");
    expect(said(`${ESC}[`, LATER, "j")).toBe("escape [ j");
    expect(said(`${ESC}\u007f`)).toBe("backspace");
  });

  test("is all that comes after a sequence that does not go on", () => {
    expect(said(`${ESC}[<0;1`, LATER, "j", "5")).toBe("j 5");
    expect(said(`${ESC}[1;5`, LATE_MS, "A")).toBe("A");
    expect(said(`${ESC}]11;rgb`, 10, "\u0003", "q")).toBe("ctrl-c q");
    expect(said(`${ESC}]11;rgb`, 10, `${ESC}[A`, "q")).toBe("up q");
    expect(said(`${ESC}[1;\u0003`)).toBe("ctrl-c");
    expect(said(`${ESC}[${"1;".repeat(5_000)}A`, "q")).toBe("q");
  });

  test("without a meaning is dropped: cells that are none, other buttons, and what only looks like a report", () => {
    for (const input of [
      "[<1;10;5M",
      "[<32;4;4M",
      "[<66;4;4M",
      "[<0;0;5M",
      "[<0;5;0M",
      "[<0;10M",
      "[<1234;1;1M",
      "[<;;M",
      "[<?;4;5M",
    ])
      expect(said(ESC + input), input).toBe("");
    expect(said("[<0;10;5M")).toBe("[ < 0 ; 1 0 ; 5 M");
  });
});

describe("a marked paste", () => {
  test("is bounded in length and in time", () => {
    const [long] = play(`${ESC}[200~`, ...("x".repeat(9_000).match(/.{1,7}/g) ?? []), `${ESC}[20`, `1~`);
    expect(long).toEqual({ paste: "x".repeat(4_096) });
    expect(said(`${ESC}[200~abc`, LATE_MS - 1, "d", LATE_MS, "q")).toBe('"abcd" q');
  });
});
