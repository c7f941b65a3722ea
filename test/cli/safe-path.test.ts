import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { clonesAbove, pathOutside } from "../../src/cli/safe-path.ts";
import { scratchFolder } from "../helpers/scratch.ts";

const scratch = scratchFolder();

/** A clone, another repository and a folder of tools that is in none. */
function places() {
  const at = (...parts: string[]) => join(scratch(), ...parts);
  for (const folder of [
    "clone/.git",
    "clone/bin",
    "clone/node_modules/.bin",
    "other/.git",
    "other/bin",
    "other/p/node_modules/.bin",
  ])
    mkdirSync(at(folder), { recursive: true });
  for (const folder of ["tools/node_modules/.bin", "links", "elsewhere"]) mkdirSync(at(folder), { recursive: true });
  symlinkSync(at("clone/bin"), at("links/in"));
  symlinkSync(at("elsewhere"), at("clone/out"));
  return at;
}

const closed = (entry: string) => pathOutside(`${entry}:/usr/bin`, [join(scratch(), "clone")]);

describe("a PATH", () => {
  test.each([
    ["a folder of the clone", "clone/bin"],
    ["one that is not there yet", "clone/later/bin"],
    ["one by a detour", "other/../clone//bin/"],
    ["one by a link from outside", "links/in"],
    ["a link in the clone that leads out of it", "clone/out"],
    ["what npx puts there", "clone/node_modules/.bin"],
    ["what npx puts there for another repository", "other/p/node_modules/.bin"],
    ["the same with a slash", "other/p/node_modules/.bin/"],
  ])("loses %s", (_, entry) => {
    const at = places();
    expect(closed(`${at()}/${entry}`)).toBe("/usr/bin");
  });

  test.each([[""], ["."], ["bin"], ["./node_modules/.bin"], ["~/bin"]])("loses the entry %j", (entry) => {
    places();
    expect(closed(entry)).toBe("/usr/bin");
  });

  test.each([
    ["tools of another repository that a person has put there", "other/bin"],
    ["packages that are in no repository", "tools/node_modules/.bin"],
    ["a folder that is not there", "nowhere"],
  ])("keeps %s", (_, entry) => {
    const at = places();
    expect(closed(at(entry))).toBe(`${at(entry)}:/usr/bin`);
  });

  test.each(["tools", "tools/src", "tools/node_modules/x"])("loses the packages of the project it is used in: %s", (here) => {
    const at = places();
    const tools = at("tools/node_modules/.bin");
    expect(pathOutside(`${tools}:/usr/bin`, [], at(here))).toBe("/usr/bin");
    expect(pathOutside(`${tools}:/usr/bin`, [], at("elsewhere"))).toBe(`${tools}:/usr/bin`);
  });

  test("is in its simplest form", () => {
    places();
    expect(closed("//")).toBe("/:/usr/bin");
    expect(closed("//usr//local/bin/")).toBe("/usr/local/bin:/usr/bin");
    expect(pathOutside("clone/bin::.", [scratch()])).toBeUndefined();
  });

  test("keeps the Node that runs loopdash found, and nothing beside it", () => {
    const bin = join(import.meta.dirname, "../../node_modules/.bin");
    const own = dirname(process.execPath);
    const isFromThere = process.execPath.startsWith(dirname(bin));
    expect(pathOutside(`${bin}:/usr/bin`, [])).toBe(isFromThere ? `${own}:/usr/bin` : "/usr/bin");
  });
});

test("a home that is a repository is no clone", () => {
  const at = places();
  const { HOME } = process.env;
  try {
    for (const [home, found] of [
      ["elsewhere", [at("clone")]],
      ["clone", []],
      ["clone/home", []],
    ] as const) {
      mkdirSync(at(home), { recursive: true });
      process.env["HOME"] = at(home);
      expect(clonesAbove(at("clone/bin"))).toEqual(found);
    }
  } finally {
    if (HOME === undefined) delete process.env["HOME"];
    else process.env["HOME"] = HOME;
  }
  writeFileSync(at("elsewhere/.git"), "gitdir: nowhere\n");
  expect(clonesAbove(at("elsewhere"))).toEqual([at("elsewhere")]);
});
