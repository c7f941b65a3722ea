import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { chooseTheme } from "../../../components/kit/theme.ts";
import { ownColours } from "../../../src/cli/terminal/own-colours.ts";

const folder = mkdtempSync(join(tmpdir(), "loopdash-colours-"));
afterAll(() => rmSync(folder, { recursive: true }));

function named(text: string) {
  const file = join(folder, "mine.json");
  writeFileSync(file, text);
  return () => ownColours({ LOOPDASH_THEME: file });
}

test("a person's own colours are laid over the theme of the terminal", () => {
  const own = named('{"person": "#F2C661"}')();
  const theme = chooseTheme({ colours: "true", background: "dark", own });
  expect(theme.person).toEqual({ color: "#F2C661" });
  expect(theme.bad).toEqual(chooseTheme({ colours: "true", background: "dark" }).bad);
  expect(chooseTheme({ colours: "none", background: "dark", own })).toEqual(chooseTheme({ colours: "none", background: "dark" }));
});

test("no file is read for a theme of ours", () => {
  for (const name of [undefined, "", "dark", "contrast"]) expect(ownColours({ LOOPDASH_THEME: name })).toBeUndefined();
});

test.each([
  ["{", /JSON/],
  ['{"persom": "#f2c661"}', /persom/],
  ['{"person": "red"}', /#rrggbb/],
])("%s is refused in one error that says why", (text, why) => {
  expect(named(text)).toThrow(expect.objectContaining({ exitCode: 2, why: expect.stringMatching(why) }));
});

test("a file that is not there is refused", () => {
  expect(() => ownColours({ LOOPDASH_THEME: join(folder, "none.json") })).toThrow("none.json");
});

test("with high contrast nothing is dim", () => {
  const theme = chooseTheme({ colours: "16", background: "dark", hasContrast: true });
  for (const { dimColor } of Object.values(theme)) expect(dimColor).toBeUndefined();
  expect(theme.person).not.toEqual(theme.bad);
});
