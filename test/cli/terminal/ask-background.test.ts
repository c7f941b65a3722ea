import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askBackground } from "../../../src/cli/terminal/ask-background.ts";

/** A terminal that answers the question with these texts, one after the other. */
function terminal(...answers: readonly string[]) {
  const raw: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (is: boolean) => raw.push(is) });
  const stdout = { write: () => answers.forEach((answer) => void stdin.write(answer)) };
  return { stdin: stdin as never as Parameters<typeof askBackground>[0], stdout, raw, left: () => stdin.read() as Buffer | null };
}

test.each([
  ["rgb:0000/0000/0000", "dark"],
  ["rgb:fdfd/f6f6/e3e3", "light"],
  ["rgb:1e/1e/2e", "dark"],
  ["rgba:ffff/ffff/ffff/ffff", "light"],
])("the background %s is %s", async (colour, background) => {
  const t = terminal(`\u001b]11;${colour}\u0007`, "\u001b[?62;22c");
  expect(await askBackground(t.stdin, t.stdout)).toBe(background);
  expect([t.raw, t.left()]).toEqual([[true], null]);
});

test("a terminal that does not tell it leaves it unknown, and what is typed meanwhile is kept", async () => {
  const t = terminal("x", "\u001b[?1;2c", "q");
  expect(await askBackground(t.stdin, t.stdout)).toBe("unknown");
  expect(t.left()?.toString()).toContain("x");
});

test("a terminal that answers nothing is not waited for", async () => {
  const t = terminal();
  expect(await askBackground(t.stdin, t.stdout)).toBe("unknown");
});
