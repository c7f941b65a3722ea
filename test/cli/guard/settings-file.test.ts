import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingsOf } from "@loopdash/guard/program";
import { describe, expect, test } from "vitest";
import { backupTexts, readSettings, replaceSettings } from "../../../src/cli/guard/settings-file.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();

/** A moment at which somebody else acts: it is asked for while the backup is written, after the draft. */
class Moment extends Date {
  readonly #act: () => void;
  constructor(act: () => void) {
    super();
    this.#act = act;
  }
  override toISOString(): string {
    this.#act();
    return super.toISOString();
  }
}

describe("settings that are replaced", () => {
  test("keep what a program writes while the backup is made, and nothing of the attempt is left", () => {
    const file = join(folder(), "settings.json");
    writeFileSync(file, "before");
    const meanwhile = new Moment(() => writeFileSync(file, "theirs"));
    expect(replaceSettings(readSettings(file), "ours", meanwhile)).toBe(false);
    expect(readFileSync(file, "utf8")).toBe("theirs");
    expect(readdirSync(folder())).toEqual(["settings.json"]);
  });

  test("that are to be removed keep what a program writes meanwhile", () => {
    const file = join(folder(), "settings.json");
    writeFileSync(file, "before");
    expect(replaceSettings(readSettings(file), undefined, new Moment(() => writeFileSync(file, "theirs")))).toBe(false);
    expect(readFileSync(file, "utf8")).toBe("theirs");
  });
});

/** What an agent can put in the place of a file: each would be read without an end, or fill the memory. */
const ENDLESS: readonly (readonly [what: string, make: (file: string) => void])[] = [
  ["a pipe", (file) => execFileSync("mkfifo", [file])],
  ["a link to a device", (file) => symlinkSync("/dev/zero", file)],
  [
    "too large",
    (file) => {
      writeFileSync(file, "");
      truncateSync(file, 64 * 2 ** 20);
    },
  ],
];

describe.each(ENDLESS)("a file that is %s", (_, make) => {
  test("is no file of an agent's settings", () => {
    const file = join(folder(), "settings.json");
    make(file);
    expect(() => readSettings(file)).toThrow(/cannot be put into or taken out of/);
  });

  test("is no file of the guard's settings", () => {
    const file = join(folder(), "guard.json");
    make(file);
    expect(settingsOf(file)).toEqual({ problem: expect.stringMatching(/cannot be read \(it is (?:no plain file|larger than)/) });
  });

  test("is no backup", () => {
    const file = join(folder(), "settings.json");
    make(`${file}.loopdash-backup-2`);
    writeFileSync(`${file}.loopdash-backup-1`, "mine");
    expect(backupTexts(file)).toEqual(["mine"]);
  });
});
