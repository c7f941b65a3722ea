import { describe, expect, test } from "vitest";
import { keyGroups } from "../../../src/store/keymap/key-groups.ts";
import { keyLabels } from "../../../src/store/keymap/key-labels.ts";
import { KEYMAP } from "../../../src/store/keymap/keymap.ts";
import { type KeyFile, rebind } from "../../../src/store/keymap/rebind.ts";
import { desk } from "../desk.ts";
import { replayOf } from "../replays.ts";
import { plumbing } from "../scenes.ts";

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
    d.type("jj");
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
    const keymap = bound({ "select-next": ["e", "down"], "select-previous": ["M", "up"] });
    const binding = keymap.overview.find(({ name }) => name === "select-next");
    expect(binding && keyLabels(binding, keymap.overview)).toBe("e/M");
    const d = desk(plumbing(), keymap);
    d.type("x");
    expect(d.ui().toast?.text).toBe("select a worker first: e/M");
  });

  test("are named by every hint, and no key where there is none", () => {
    const hintOf = (file: KeyFile, view: "timeline" | "ticket", key: string) => {
      const d = desk(plumbing(), bound(file));
      d.type("jj");
      d.store.dispatch({ type: "view", view });
      d.type(key);
      return d.ui().toast?.text;
    };
    expect(hintOf({}, "timeline", "b")).toBe("all of the run is in sight; z/Z zooms");
    expect(hintOf({ "zoom-in": ["m"] }, "timeline", "b")).toBe("all of the run is in sight; m/Z zooms");
    expect(hintOf({ "zoom-in": [], "zoom-out": [] }, "timeline", "b")).toBe("all of the run is in sight");
    expect(hintOf({}, "ticket", "N")).toBe("nothing is looked for: / looks for a text");
    expect(hintOf({ search: ["m"] }, "ticket", "N")).toBe("nothing is looked for: m looks for a text");
    expect(hintOf({ search: [] }, "ticket", "N")).toBe("nothing is looked for");
  });

  test("may change places, be a space, or be none", () => {
    expect(problems({ kill: ["g"], gate: ["x"] })).toEqual([]);
    expect(bound({ filter: ["space"] }).overview.find(({ name }) => name === "filter")?.keys).toEqual([" "]);
    expect(problems({ heal: [] })).toEqual([]);
  });

  test("move a replay as well", () => {
    const keymap = bound({ "replay-toggle": ["P"], "replay-tenth-3": [], "view-graph": ["3"] });
    const { store, played, type } = replayOf(plumbing(), {}, keymap);
    type({ char: "P" }, { char: " " });
    expect(played).toEqual([{ type: "toggle" }]);
    type({ char: "3" });
    expect(store.getState().ui.view).toBe("graph");
    type({ char: "4" });
    expect(played.at(-1)).toEqual({ type: "to-share", share: 0.4 });
    const groups = keyGroups(store.getState().keymap, "graph").map(({ title, bindings }) => [title, bindings[0]?.keys]);
    expect(groups.slice(0, 3)).toEqual([
      ["graph", ["j", "down"]],
      ["the replay", ["P"]],
      ["the run", ["x"]],
    ]);
    expect(groups.filter(([title]) => title === "the replay")).toHaveLength(1);
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

  test("a key of a replay with two meanings, and one that would take the way out of it", () => {
    expect(problems({ "replay-toggle": [">"] })).toEqual([
      'replay-toggle.0: ">" means replay-faster already (replay); bind replay-faster elsewhere',
    ]);
    expect(problems({ "replay-toggle": ["q"] })[0]).toContain('"q" means leave already (replay)');
    expect(problems({ quit: ["left"] })[0]).toContain('"left" means');
    expect(problems({ leave: [">"] })).toEqual([
      'leave.0: ">" means replay-faster already (replay); bind replay-faster elsewhere',
    ]);
    expect(problems({ "replay-faster": ["p"], "replay-slower": ["o"] })).toEqual([]);
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
