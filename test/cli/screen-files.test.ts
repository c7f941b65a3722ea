import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chooseTheme } from "../../components/kit/theme.ts";
import { ownFile } from "../../src/cli/real-places.ts";
import { readScreenFiles } from "../../src/cli/screen-files.ts";
import { UserError } from "../../src/domain/values/user-error.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "loopdash-keys-"));
});
afterEach(() => rmSync(home, { recursive: true }));

function write(file: string, text: string): string {
  const path = join(home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function refusal(env: Record<string, string>): Promise<UserError> {
  const error = await readScreenFiles({ HOME: home, ...env }, home).catch((thrown: unknown) => thrown);
  if (!(error instanceof UserError)) throw new Error(`not refused: ${String(error)}`);
  expect(error.exitCode).toBe(2);
  return error;
}

test("the file lies in the XDG configuration folder, unless LOOPDASH_KEYS names one", () => {
  const place = (env: Record<string, string>) => ownFile(env, "/w", { variable: "LOOPDASH_KEYS", name: "keys.json" });
  expect(place({ HOME: "/h" })).toEqual({ file: "/h/.config/loopdash/keys.json", named: false });
  expect(place({ HOME: "/h", XDG_CONFIG_HOME: "/x" }).file).toBe("/x/loopdash/keys.json");
  expect(place({ HOME: "/h", XDG_CONFIG_HOME: "x" }).file).toBe("/h/.config/loopdash/keys.json");
  expect(place({ HOME: "/h", LOOPDASH_KEYS: "k.json" })).toEqual({ file: "/w/k.json", named: true });
  expect(place({ HOME: "/h", LOOPDASH_KEYS: "" }).named).toBe(false);
});

test("without a file the keys and colours are those that come with loopdash", async () => {
  expect(await readScreenFiles({ HOME: home }, home)).toEqual({});
});

test("a file with comments binds keys", async () => {
  write(".config/loopdash/keys.json", '{\n  // not so easily\n  "kill": ["D"],\n}');
  const { keymap } = await readScreenFiles({ HOME: home }, home);
  expect(keymap?.overview.find(({ name }) => name === "kill")?.keys).toEqual(["D"]);
});

test("all that is wrong is told with its place in the file, and what to do", async () => {
  const file = write("k.json", '{\n  "kil": ["D"],\n  "pause": ["x"],\n  "quit": []\n}\n');
  const error = await refusal({ LOOPDASH_KEYS: "k.json" });
  expect(error.what).toBe(`the keys in ${file} cannot be bound (2 problems)`);
  expect(error.why).toContain('k.json:2:10  kil: there is no such binding; did you mean "kill"?');
  expect(error.why).toContain("k.json:4:11  quit must keep a key");
  expect(error.todo).toContain("docs/reference/keys.md");
  write("k.json", '{\n  "pause": [\n    "x"\n  ]\n}\n');
  expect((await refusal({ LOOPDASH_KEYS: "k.json" })).why).toContain('k.json:3:5  pause[0]: "x" means kill already');
});

test.each([
  ["no JSON", "{kill", "keys.json:1:"],
  ["nothing", "", "the file is empty"],
  ["a list", "[]", "keys.json:1:1"],
  ["a key that is not in a list", '{"kill": "D"}', "keys.json:1:10  kill must be a list"],
  ["a number", '{"kill": [1]}', "keys.json:1:11  kill[0] must be"],
  ["an escape out of the terminal", '{"kill": ["\u001b]0;x"]}', "keys.json:1:"],
])("refused: %s", async (_, text, why) => {
  write(".config/loopdash/keys.json", text);
  const error = await refusal({});
  expect(error.why).toContain(why);
  expect(error.why).not.toContain("\u001b");
});

test("a file that was named has to be there, and to be a file", async () => {
  expect((await refusal({ LOOPDASH_KEYS: "none.json" })).why).toBe("there is no such file");
  mkdirSync(join(home, ".config/loopdash/keys.json"), { recursive: true });
  expect((await refusal({})).what).toContain("cannot read the keys in");
});

test("a person's own colours are laid over the theme of the terminal", async () => {
  write("mine.json", '{"person": "#F2C661"}');
  const { colours: own } = await readScreenFiles({ HOME: home, LOOPDASH_THEME: "mine.json" }, home);
  const theme = chooseTheme({ colours: "true", background: "dark", own });
  expect(theme.person).toEqual({ color: "#F2C661" });
  expect(theme.bad).toEqual(chooseTheme({ colours: "true", background: "dark" }).bad);
  expect(chooseTheme({ colours: "none", background: "dark", own })).toEqual(chooseTheme({ colours: "none", background: "dark" }));
});

test.each(["", "dark", "contrast"])("no file is read for the theme %j", async (theme) => {
  expect(await readScreenFiles({ HOME: home, LOOPDASH_THEME: theme }, home)).toEqual({});
});

test.each([
  ["{", /JSON/],
  ['{"persom": "#f2c661"}', /persom/],
  ['{"person": "red"}', /#rrggbb/],
])("colours refused: %s", async (text, why) => {
  write("mine.json", text);
  const error = await refusal({ LOOPDASH_THEME: "mine.json" });
  expect(error.why).toMatch(why);
  expect(error.what).toContain("mine.json");
});

test("a file of colours that was named has to be there", async () => {
  expect(await refusal({ LOOPDASH_THEME: "none.json" })).toMatchObject({ why: "there is no such file" });
});
