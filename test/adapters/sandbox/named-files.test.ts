import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { namedFiles } from "../../../src/adapters/sandbox/named-files.ts";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-named-")));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), "");
  }
}

/** What a command is shown, below the folder, and what not. `{}` in a word stands for the folder. */
function named(
  argv: readonly string[],
  over: { hidden?: readonly string[]; repos?: readonly string[]; homes?: readonly string[] } = {},
) {
  const at = (names: readonly string[] = []) => names.map((name) => join(folder, name));
  const places = { folder, hidden: at(over.hidden), repos: at(over.repos), homes: at(over.homes) };
  const words = argv.map((word) => word.replaceAll("{}", folder));
  const { read, unshown } = namedFiles([words[0] ?? "", ...words.slice(1)], places);
  const short = (path: string) => path.slice(folder.length + 1);
  return { read: read.map(short).toSorted(), unshown: unshown.map(({ path, why }) => [short(path), why]) };
}

describe("namedFiles", () => {
  test("shows files alone, and a script in a subfolder with its subfolder", () => {
    write("a.mjs", "in/b.mjs", "in/deep/c.json", "data/d.json");
    expect(named(["node", "{}/a.mjs", "{}/data/d.json"]).read).toEqual(["a.mjs", "data/d.json"]);
    expect(named(["node", "{}/in/b.mjs"]).read).toEqual(["in", "in/b.mjs"]);
    expect(named(["{}/in/b.mjs"]).read).toEqual(["in", "in/b.mjs"]);
    expect(named(["cat", "--file={}/data/d.json"]).read).toEqual(["data/d.json"]);
    expect(named(["sh", "-c", "cat '{}/a.mjs'; ls {}/data; true"]).read).toEqual(["a.mjs", "data"]);
    expect(named(["cat", "/etc/hosts", "relative", "{}x/other"]).read).toEqual([]);
  });

  test.each([
    ["a name that begins with a dot", ["in/.env"], {}],
    ["such a name further down", ["in/deep/.git/HEAD"], {}],
    ["the tracker", ["in/tickets/T-1.md"], { hidden: ["in/tickets"] }],
    ["a repository", ["in/app/x"], { repos: ["in/app"] }],
    ["a home", ["in/me/x"], { homes: ["in/me"] }],
    ["too many files", Array.from({ length: 501 }, (_, n) => `in/${n}`), {}],
  ])("shows a script without its subfolder if that holds %s", (_, files, over) => {
    write("in/b.mjs", ...files);
    expect(named(["node", "{}/in/b.mjs"], over).read).toEqual(["in/b.mjs"]);
  });

  test("follows no link of a subfolder out of the batch's folder", () => {
    const other = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-other-")));
    writeFileSync(join(other, "b.mjs"), "");
    symlinkSync(other, join(folder, "in"));
    expect(named(["node", "{}/in/b.mjs"]).read).toEqual(["in/b.mjs"]);
    rmSync(other, { recursive: true });
  });

  test("opens neither the folder itself nor what decides, and leaves repositories to the checkout", () => {
    write("tickets/T-1.md", "oracle.mjs", "app/x.mjs");
    const over = { hidden: ["tickets", "oracle.mjs"], repos: ["app"] };
    expect(named(["node", "{}/app/x.mjs"], over)).toEqual({ read: [], unshown: [] });
    expect(named(["cat", "{}", "{}/tickets/T-1.md", "{}/tickets/", "{}/oracle.mjs", "{}/nope"], over)).toEqual({
      read: [],
      unshown: [
        ["", "whole-folder"],
        ["tickets/T-1.md", "hidden"],
        ["tickets", "hidden"],
        ["oracle.mjs", "hidden"],
        ["nope", "missing"],
      ],
    });
    symlinkSync(join(folder, "oracle.mjs"), join(folder, "link.mjs"));
    expect(named(["cat", "{}/link.mjs"], over).unshown).toEqual([["link.mjs", "hidden"]]);
  });
});
