import { describe, expect, test } from "vitest";
import { keyWords } from "../../src/store/keymap/key-words.ts";
import { KEYMAP } from "../../src/store/keymap/keymap.ts";
import { type KeyFile, rebind } from "../../src/store/keymap/rebind.ts";
import { desk } from "./desk.ts";
import { plumbing } from "./scenes.ts";

function bound(file: KeyFile) {
  const result = rebind(KEYMAP, file);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.keymap;
}

function problems(file: KeyFile) {
  const result = rebind(KEYMAP, file);
  return result.ok ? [] : result.problems.map(({ path, message, hint }) => `${path.join(".")}: ${message}; ${hint ?? ""}`);
}

describe("bound keys", () => {
  test("take the place of those that come with loopdash, everywhere", () => {
    const keymap = bound({ kill: ["D"], pause: ["X", "ctrl-o"] });
    const d = desk(plumbing(), keymap);
    d.type("j");
    d.type("x");
    expect(d.ui().modal).toBeUndefined();
    d.type("D");
    expect(d.ui().modal).toMatchObject({ kind: "kill" });
    d.type("y");
    d.press({ key: "ctrl-o" });
    d.type("X");
    expect(d.sent).toEqual([{ type: "kill", ticket: "T-7" }, { type: "pause" }, { type: "pause" }]);
    for (const mode of ["ticket", "graph", "timeline"] as const)
      expect(keymap[mode].find(({ name }) => name === "kill")?.keys, mode).toEqual(["D"]);
  });

  test("are what footer, hints and help name", () => {
    const keymap = bound({ "select-next": ["n", "down"], "select-previous": ["N", "up"] });
    const binding = keymap.overview.find(({ name }) => name === "select-next");
    expect(binding && keyWords(binding, keymap.overview)).toBe("n/N");
    const d = desk(plumbing(), keymap);
    d.type("x");
    expect(d.ui().toast?.text).toBe("select a worker first: n/N");
  });

  test("may change places, be a space, or be none", () => {
    expect(problems({ kill: ["g"], gate: ["x"] })).toEqual([]);
    expect(bound({ filter: ["space"] }).overview.find(({ name }) => name === "filter")?.keys).toEqual([" "]);
    expect(problems({ heal: [] })).toEqual([]);
  });

  test("leave the keymap alone that they are bound over", () => {
    const before = JSON.stringify(KEYMAP);
    bound({ kill: ["X"] });
    expect(JSON.stringify(KEYMAP)).toBe(before);
    expect(bound({})).toEqual(KEYMAP);
  });
});

describe("refused", () => {
  test("a binding that does not exist: the nearest is named", () => {
    expect(problems({ kil: ["X"] })).toEqual(['kil: there is no such binding; did you mean "kill"?']);
    expect(problems({ toString: ["X"] })[0]).toContain("there is no such binding");
  });

  test("a key that does not exist", () => {
    expect(problems({ kill: ["ctrl-xx"] })[0]).toMatch(/^kill\.0: there is no key "ctrl-xx"; did you mean "ctrl-/);
    expect(problems({ kill: ["ctrl-m"] })[0]).toContain("there is no key");
    for (const key of ["", "ab", "\u001b", "\u0301", "\u200b"]) expect(problems({ kill: [key] }), key).toHaveLength(1);
  });

  test("one key with two meanings where both hold", () => {
    expect(problems({ kill: ["p"] })).toEqual(['kill.0: "p" means pause already (overview); bind pause elsewhere']);
    expect(problems({ kill: ["X"], gate: ["X"] })).toHaveLength(1);
    expect(problems({ kill: ["X", "X"] })).toEqual(['kill.1: "X" is given twice; ']);
    expect(problems({ detach: ["s"] })[0]).toContain("means stop already");
  });

  test("no way out", () => {
    expect(problems({ leave: [] })).toEqual(["leave: must keep a key; without it nobody could leave"]);
    expect(problems({ quit: [] })[0]).toContain("must keep a key");
  });

  test("a character where characters are text", () => {
    expect(problems({ "give-up": ["b"] })[0]).toMatch(/^give-up\.0: "b" is text where give-up is needed/);
    expect(problems({ quit: ["Q"] })[0]).toContain("is text where quit is needed");
    expect(problems({ "give-up": ["ctrl-g"] })).toEqual([]);
  });
});
