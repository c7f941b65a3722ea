import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DENY_RULES } from "../../../../src/domain/guard/install/deny-rules.ts";
import {
  type JsonVendor,
  SettingsProblem,
  stateOf,
  withGuard,
  withoutGuard,
} from "../../../../src/domain/guard/install/edit-settings.ts";
import { type InstalledHook, pluginText, readOwnPlugin } from "../../../../src/domain/guard/install/own-hook.ts";
import { judgeFile } from "../../../../src/domain/guard/judge-file.ts";
import { lineDiff } from "../../../../src/domain/values/line-diff.ts";

const HOOK: InstalledHook = { program: ["/opt/it's node/bin/node", "/opt/loopdash/dist/loopdash.js"], options: [] };
const VENDORS: readonly JsonVendor[] = ["claude", "codex", "gemini"];

const PERSONS = `{
\t"model": "opus",
\t"hooks": {
\t\t"PreToolUse": [
\t\t\t{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "my-own-hook" }] }
\t\t],
\t\t"BeforeTool": [{ "hooks": [] }]
\t},
\t"permissions": { "deny": ["Read(~/.ssh/**)", "WebFetch"], "allow": ["Bash(ls:*)"] }
}
`;

describe("settings with the guard", () => {
  test.each(VENDORS)("of %s keep everything else", (vendor) => {
    const after = JSON.parse(withGuard(vendor, PERSONS, HOOK));
    const event = vendor === "gemini" ? "BeforeTool" : "PreToolUse";
    expect(after.hooks[event]).toHaveLength(2);
    after.hooks[event].pop();
    if (vendor === "claude") after.permissions.deny = after.permissions.deny.slice(0, 2);
    expect(after).toEqual(JSON.parse(PERSONS));
  });

  test("have every deny rule once", () => {
    const { deny } = JSON.parse(withGuard("claude", PERSONS, HOOK)).permissions;
    expect(deny.toSorted()).toEqual([...DENY_RULES, "WebFetch"].toSorted());
    expect(DENY_RULES).toHaveLength(19);
  });

  test("have no deny rule if none is wanted, and those that are there stay", () => {
    const text = withGuard("claude", PERSONS, HOOK, { denyRules: false });
    expect(JSON.parse(text).permissions.deny).toEqual(["Read(~/.ssh/**)", "WebFetch"]);
    expect(stateOf("claude", text).own).toEqual([HOOK]);
    expect(JSON.parse(withGuard("claude", "{}", HOOK, { denyRules: false })).permissions).toBeUndefined();
  });

  test.each(VENDORS)("of %s stay the same the second time, also with another order of members", (vendor) => {
    for (const text of ["", "{}", PERSONS]) {
      const once = withGuard(vendor, text, HOOK);
      expect(withGuard(vendor, once, HOOK)).toBe(once);
    }
    const turned = JSON.parse(withGuard(vendor, "", HOOK), (_, value: unknown) =>
      value instanceof Object && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).toReversed()) : value,
    );
    expect(stateOf(vendor, JSON.stringify(turned)).own).toEqual([HOOK]);
  });

  test("have the hook of another version replaced", () => {
    const old = withGuard("claude", PERSONS, { program: ["/old/node", "/old/loopdash.js"], options: [] });
    expect(withGuard("claude", old, HOOK)).toBe(withGuard("claude", PERSONS, HOOK));
  });

  test("keep comments and layout where the vendor takes them", () => {
    const text =
      '{\n    // mine\n    "theme": "dark", /* too */\n    "hooks": {\n        "BeforeTool": [\n            {"hooks": []} // last\n        ]\n    }\n}\n';
    const after = withGuard("gemini", text, HOOK);
    for (const part of ["    // mine\n", '"theme": "dark", /* too */', "// last"]) expect(after).toContain(part);
    expect(stateOf("gemini", after).own).toEqual([HOOK]);
    expect(stateOf("gemini", withoutGuard("gemini", after, []))).toEqual({ own: [], changed: 0 });
    expect(withoutGuard("gemini", after, [])).toContain("// mine");
  });

  test.each<[JsonVendor, string, RegExp]>([
    ["claude", '{"a": 1,}', /no valid JSON \(line 1\)/],
    ["claude", '{\n// x\n"a": 1}', /no valid JSON \(line 2\)/],
    ["gemini", '{"a": 1,}', /no valid JSON/],
    ["codex", "[]", /no JSON object/],
    ["gemini", '{"a": ', /no valid JSON/],
    ["claude", '{"hooks": []}', /"hooks" is no object/],
    ["claude", '{"hooks": {"PreToolUse": {}}}', /"hooks.PreToolUse" is no list/],
    ["claude", '{"permissions": {"deny": "Read"}}', /"permissions.deny" is no list/],
    ["claude", '{"hooks": {}, "hooks": {}}', /twice/],
  ])("of %s that are %s cannot be changed", (vendor, text, says) => {
    expect(() => withGuard(vendor, text, HOOK)).toThrow(SettingsProblem);
    expect(() => withGuard(vendor, text, HOOK)).toThrow(says);
  });
});

test("no line but the new ones and the comma above them is changed", () => {
  const text = '{\n   "env": {"KEY": "secret"},\n   "hooks": {"PreToolUse": [{"hooks": []}]},\n   "last": [1, 2]\n}\n';
  const diff = lineDiff(text, withGuard("codex", text, HOOK));
  expect(diff.filter(({ sign }) => sign === "-")).toEqual([{ sign: "-", text: text.split("\n")[2] }]);
  expect(diff.map((line) => line.text).join()).not.toContain("secret");
  expect(lineDiff(COMPACT, withGuard("claude", COMPACT, HOOK)).filter(({ sign }) => sign === "-")).toEqual([]);
  expect(withGuard("codex", "", { program: ["/n", "/l"], options: [] })).toMatch(
    /^\{\n {2}"hooks": \{\n {4}"PreToolUse": \[\n {6}\{\n {8}"hooks": \[\n {10}\{\n[^]*\n {10}\}\n {8}\]\n {6}\}\n {4}\]\n {2}\}\n\}\n$/,
  );
});

const COMPACT = '{\n  "model": "opus"\n}\n';

describe("settings without the guard", () => {
  test.each(VENDORS)("of %s are what they were", (vendor) => {
    const kept = ["Read(~/.ssh/**)"];
    expect(JSON.parse(withoutGuard(vendor, withGuard(vendor, PERSONS, HOOK), kept))).toEqual(JSON.parse(PERSONS));
    expect(JSON.parse(withoutGuard(vendor, withGuard(vendor, "{}", HOOK), []))).toEqual({});
  });

  test.each(['["a",%s]', '[%s,"a"]', '[ "a", %s ]', '[\n%s,\n"a"\n]', '["a",%s,"b"]'])("are valid for any layout: %j", (list) => {
    const text = `{"permissions":{"deny":${list.replace("%s", JSON.stringify(DENY_RULES[0]))}}}`;
    expect(JSON.parse(withoutGuard("claude", text, [])).permissions.deny).not.toContain(DENY_RULES[0]);
  });

  test("keep an entry that somebody has changed", () => {
    const changed = withGuard("claude", "{}", HOOK).replace('"matcher": "*"', '"matcher": "Bash"');
    expect(stateOf("claude", changed)).toEqual({ own: [], changed: 1 });
    expect(JSON.parse(withoutGuard("claude", changed, [])).hooks).toEqual(JSON.parse(changed).hooks);
  });

  test("are the same for every person's settings", () => {
    const json = fc.dictionary(fc.constantFrom("model", "env", "theme", "x y"), fc.jsonValue());
    const layout = fc.constantFrom(undefined, 1, 2, 4, "\t");
    fc.assert(
      fc.property(json, layout, fc.constantFrom(...VENDORS), (settings, indent, vendor) => {
        const text = JSON.stringify(settings, undefined, indent);
        const after = withGuard(vendor, text, HOOK);
        expect(stateOf(vendor, after).own).toEqual([HOOK]);
        expect(JSON.parse(withoutGuard(vendor, after, []))).toEqual(JSON.parse(text));
      }),
      { numRuns: 150 },
    );
  });
});

test.each([
  ['{"disableAllHooks": true}', "disableAllHooks is true"],
  ['{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled is false"],
  ['{"hooksConfig": {"disabled": ["loopdash-guard"]}}', "hooksConfig.disabled names loopdash-guard"],
])("%s switches hooks off", (text, off) => {
  expect(stateOf("gemini", text).off).toBe(off);
});

test("a plugin is ours if nothing of it is changed", () => {
  expect(readOwnPlugin(pluginText(HOOK))).toEqual(HOOK);
  expect(readOwnPlugin(pluginText(HOOK).replace("!== 0", "=== 7"))).toBeUndefined();
  expect(readOwnPlugin("export const A = 1;")).toBeUndefined();
});

test("an agent cannot change the files that hold the guard", () => {
  const context = { cwd: "/home/ada/app", home: "/home/ada" };
  for (const file of [
    ".claude/settings.json",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".config/opencode/plugins/loopdash-guard.js",
  ])
    expect([file, judgeFile(`/home/ada/${file}`, "write", context).verdict]).toEqual([file, "block"]);
});
