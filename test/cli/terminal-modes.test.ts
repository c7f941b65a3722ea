import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { CLIPBOARD_LIMIT, call, clipboard, modesOf, progressBar, windowTitle } from "../../src/cli/terminal/sequences.ts";
import { terminalCapabilities } from "../../src/store/terminal-capabilities.ts";

const MODES = resolve(import.meta.dirname, "../../src/cli/terminal/modes.ts");

/** What a process writes that takes the terminal's modes and then does this. */
function output(then: string): string {
  const script = `import { keepModes } from ${JSON.stringify(MODES)};
    const modes = keepModes(process.stdout, { enter: "<enter>", leave: "<leave>" });
    modes.take(); modes.take(); ${then}`;
  return spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }).stdout;
}

test.each([
  ["the end", "modes.end(); modes.give();"],
  ["an error that nobody catches", "throw new Error('broken')"],
  ["an exit in the middle of it", "process.exit(3)"],
  ["a hang-up", "process.kill(process.pid, 'SIGHUP'); setInterval(() => {}, 1000)"],
])("the modes are given back once by %s", (_, then) => {
  expect(output(then)).toBe("<enter><leave>");
});

test("lent and taken again", () => {
  expect(output("modes.give(); modes.take(); modes.end();")).toBe("<enter><leave><enter><leave>");
});

test("modes that a terminal does not have are left alone", () => {
  const env = { LANG: "C.UTF-8", TERM: "linux" };
  const { enter, leave } = modesOf(terminalCapabilities({ env, isTTY: true, depth: 4 }));
  expect([enter, leave]).toEqual(["\u001b[8l", "\u001b[8h"]);
});

test("text in a control string cannot end it, nor become another command", () => {
  const evil = "a\u0007\u001b]0;b\u009c\u001b\\c\nd";
  for (const sequence of [windowTitle(evil), call("osc9", evil), call("osc777", `${evil};x`)]) {
    expect(sequence.slice(2, -1)).not.toMatch(/\p{Cc}/u);
    expect(sequence.endsWith("\u0007")).toBe(true);
  }
  expect(call("osc9", "4;1;50")).toBe("\u001b]9; 4;1;50\u0007");
  expect(call("osc777", "a;b")).toBe("\u001b]777;notify;loopdash;a,b\u0007");
  expect([call("bell", evil), call("none", evil)]).toEqual(["\u0007", ""]);
});

test("the progress bar, as ConEmu has it", () => {
  expect(progressBar({ state: "none" })).toBe("\u001b]9;4;0;0\u0007");
  expect(progressBar({ state: "error", percent: 40 })).toBe("\u001b]9;4;2;40\u0007");
  expect(progressBar({ state: "paused", percent: 7 })).toBe("\u001b]9;4;4;7\u0007");
});

test("the clipboard takes so much and no more", () => {
  expect(clipboard("é\u001b]")).toBe(`\u001b]52;c;${Buffer.from("é\u001b]").toString("base64")}\u0007`);
  expect(clipboard("x".repeat(CLIPBOARD_LIMIT))).toBeDefined();
  expect(clipboard(`${"x".repeat(CLIPBOARD_LIMIT - 1)}é`)).toBeUndefined();
});
