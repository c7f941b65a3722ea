import { describe, expect, test } from "vitest";
import { type TerminalCapabilities, terminalCapabilities } from "../../src/store/terminal-capabilities.ts";

type Env = Readonly<Record<string, string>>;
const UTF8 = { LANG: "C.UTF-8" };
const of = (env: Env, depth = 8, isTTY = true): TerminalCapabilities => terminalCapabilities({ env, depth, isTTY });

test("a plain terminal of today", () => {
  expect(of({ ...UTF8, TERM: "xterm-256color" })).toEqual({
    colours: "256",
    hasContrast: false,
    hasReducedMotion: false,
    glyphs: "unicode",
    background: "unknown",
    title: true,
    notice: "bell",
    progress: false,
    clipboard: "osc52",
    mouse: true,
    links: false,
    hasScreenReader: false,
  });
});

test.each<[string, Env, Partial<TerminalCapabilities>]>([
  ["the console of Linux", { TERM: "linux" }, { title: false, mouse: false, clipboard: "none", notice: "bell", progress: false }],
  [
    "tmux within Ghostty",
    { TMUX: "/tmp/t,1,0", TERM_PROGRAM: "ghostty" },
    { notice: "bell", progress: false, clipboard: "tmux", title: true },
  ],
  ["screen", { STY: "1.pts", WT_SESSION: "x" }, { notice: "bell", progress: false, clipboard: "none", title: true }],
  ["Windows Terminal", { WT_SESSION: "x" }, { progress: true, notice: "bell", clipboard: "osc52" }],
  ["Ghostty", { TERM_PROGRAM: "ghostty" }, { progress: true, notice: "osc9" }],
  ["iTerm2", { TERM_PROGRAM: "iTerm.app" }, { progress: false, notice: "osc9" }],
  ["kitty", { KITTY_WINDOW_ID: "1", TERM: "xterm-kitty" }, { notice: "osc9" }],
  ["foot", { TERM: "foot" }, { notice: "osc777" }],
  ["urxvt", { TERM: "rxvt-unicode-256color" }, { notice: "osc777" }],
  ["GNOME's, old", { VTE_VERSION: "7600" }, { progress: false, clipboard: "none", notice: "bell" }],
  ["GNOME's, new", { VTE_VERSION: "8000" }, { progress: true }],
  ["macOS' own", { TERM_PROGRAM: "Apple_Terminal" }, { clipboard: "none" }],
  ["no notices wanted", { LOOPDASH_NOTICE: "none", TERM_PROGRAM: "ghostty" }, { notice: "none" }],
  ["a word that is no notice", { LOOPDASH_NOTICE: "shout" }, { notice: "bell" }],
  ["no mouse wanted", { LOOPDASH_MOUSE: "0" }, { mouse: false }],
  ["a screen reader", { INK_SCREEN_READER: "true" }, { hasScreenReader: true, mouse: false }],
  ["a screen reader, by our own name", { LOOPDASH_SCREEN_READER: "1" }, { hasScreenReader: true }],
  ["none, by our own name", { LOOPDASH_SCREEN_READER: "0", INK_SCREEN_READER: "true" }, { hasScreenReader: false }],
])("%s", (_, env, expected) => {
  expect(of({ ...UTF8, TERM: "xterm", ...env })).toMatchObject(expected);
});

test("no terminal: nothing is sent to it", () => {
  expect(of({ ...UTF8, TERM_PROGRAM: "ghostty" }, 1, false)).toMatchObject({
    title: false,
    notice: "none",
    progress: false,
    clipboard: "none",
    mouse: false,
  });
});

describe("colours", () => {
  test.each<[number, Env, TerminalCapabilities["colours"]]>([
    [1, {}, "none"],
    [4, {}, "16"],
    [8, {}, "256"],
    [24, {}, "true"],
    [24, { NO_COLOR: "1" }, "none"],
    [24, { NO_COLOR: "" }, "true"],
    [4, { NO_COLOR: "1", FORCE_COLOR: "1" }, "16"],
  ])("of %i bits with %o", (depth, env, colours) => {
    expect(of({ ...UTF8, ...env }, depth).colours).toBe(colours);
  });
});

describe("signs", () => {
  test.each<[Env, TerminalCapabilities["glyphs"]]>([
    [{ LANG: "de_DE.UTF-8" }, "unicode"],
    [{ LANG: "C.utf8" }, "unicode"],
    [{ LANG: "de_DE.ISO-8859-1" }, "ascii"],
    [{ LANG: "de_DE.UTF-8", LC_CTYPE: "C" }, "ascii"],
    [{ LANG: "C", LC_ALL: "en_US.UTF-8" }, "unicode"],
    [{ LANG: "", LC_ALL: "", LC_CTYPE: "C.UTF-8" }, "unicode"],
    [{}, "ascii"],
    [{ LANG: "C.UTF-8", LOOPDASH_ASCII: "1" }, "ascii"],
    [{ LANG: "C.UTF-8", LOOPDASH_ASCII: "0" }, "unicode"],
  ])("%o", (env, glyphs) => {
    expect(of(env).glyphs).toBe(glyphs);
  });
});

describe("the ground", () => {
  test.each<[Env, TerminalCapabilities["background"]]>([
    [{}, "unknown"],
    [{ COLORFGBG: "15;0" }, "dark"],
    [{ COLORFGBG: "0;15" }, "light"],
    [{ COLORFGBG: "0;default;7" }, "light"],
    [{ COLORFGBG: "12;8" }, "dark"],
    [{ COLORFGBG: "default;default" }, "unknown"],
    [{ COLORFGBG: "15;0", LOOPDASH_THEME: "light" }, "light"],
    [{ COLORFGBG: "0;15", LOOPDASH_THEME: "dark" }, "dark"],
    [{ COLORFGBG: "0;15", LOOPDASH_THEME: "pink" }, "light"],
  ])("%o", (env, background) => {
    expect(of({ ...UTF8, ...env }).background).toBe(background);
  });

  test("contrast and little motion are a person's wish", () => {
    expect(of(UTF8)).toMatchObject({ hasContrast: false, hasReducedMotion: false });
    const wished = of({ ...UTF8, LOOPDASH_THEME: "contrast", LOOPDASH_MOTION: "reduced" });
    expect(wished).toMatchObject({ hasContrast: true, hasReducedMotion: true });
  });
});

describe("hyperlinks", () => {
  test.each<[string, Env]>([
    ["iTerm2", { TERM_PROGRAM: "iTerm.app", TERM_PROGRAM_VERSION: "3.5.0" }],
    ["VS Code", { TERM_PROGRAM: "vscode", TERM_PROGRAM_VERSION: "1.104.2" }],
    ["WezTerm", { TERM_PROGRAM: "WezTerm", TERM_PROGRAM_VERSION: "20240203-110809-5046fc22" }],
    ["Ghostty", { TERM_PROGRAM: "ghostty", TERM_PROGRAM_VERSION: "1.2.0" }],
    ["Hyper", { TERM_PROGRAM: "Hyper" }],
    ["kitty", { TERM: "xterm-kitty" }],
    ["Alacritty", { TERM: "alacritty" }],
    ["Alacritty, with direct colours", { TERM: "alacritty-direct" }],
    ["foot", { TERM: "foot" }],
    ["GNOME's", { VTE_VERSION: "7600" }],
    ["Windows Terminal", { WT_SESSION: "x" }],
    ["tmux from 3.4 on", { TMUX: "/tmp/t,1,0", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.4" }],
    ["a later tmux", { TMUX: "/tmp/t,1,0", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.5a" }],
    ["tmux' next version", { TMUX: "/tmp/t,1,0", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "next-3.6" }],
    ["an unknown one, by force", { FORCE_HYPERLINK: "1" }],
    ["screen, by force", { STY: "1.pts", FORCE_HYPERLINK: "1" }],
    ["one without colours", { NO_COLOR: "1", TERM: "foot" }],
  ])("are shown by %s", (_, env) => {
    expect(of({ ...UTF8, TERM: "xterm-256color", ...env }).links).toBe(true);
  });

  test.each<[string, Env]>([
    ["an unknown terminal", {}],
    ["macOS' own", { TERM_PROGRAM: "Apple_Terminal", TERM_PROGRAM_VERSION: "455" }],
    ["an old iTerm2", { TERM_PROGRAM: "iTerm.app", TERM_PROGRAM_VERSION: "3.0.15" }],
    ["an old VS Code", { TERM_PROGRAM: "vscode", TERM_PROGRAM_VERSION: "1.71.0" }],
    ["the VTE that ends on them", { VTE_VERSION: "5000" }],
    ["an old tmux", { TMUX: "/tmp/t,1,0", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.3a" }],
    ["a tmux that does not tell its version", { TMUX: "/tmp/t,1,0", TERM_PROGRAM: "tmux" }],
    [
      "an old tmux within GNOME's",
      { TMUX: "/tmp/t,1,0", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.3", VTE_VERSION: "7600" },
    ],
    ["screen within Windows Terminal", { STY: "1.pts", WT_SESSION: "x" }],
    ["one that is told not to", { TERM_PROGRAM: "ghostty", FORCE_HYPERLINK: "0" }],
    ["a dumb one, even by force", { TERM: "dumb", FORCE_HYPERLINK: "1" }],
    ["CI, even by force", { CI: "true", TERM_PROGRAM: "ghostty", FORCE_HYPERLINK: "1" }],
    ["a screen reader, even by force", { INK_SCREEN_READER: "true", FORCE_HYPERLINK: "1" }],
    ["a name that every object has", { TERM_PROGRAM: "constructor" }],
  ])("are not shown by %s", (_, env) => {
    expect(of({ ...UTF8, TERM: "xterm-256color", ...env }).links).toBe(false);
  });

  test("never go where no terminal is", () => {
    expect(of({ ...UTF8, FORCE_HYPERLINK: "1" }, 1, false).links).toBe(false);
  });
});
