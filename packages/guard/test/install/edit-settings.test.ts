import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { VendorKind } from "../../../../src/domain/batch/vendors.ts";
import { lineDiff } from "../../../../src/domain/values/line-diff.ts";
import { DENY_RULES } from "../../src/install/deny-rules.ts";
import { type JsonVendor, readSettingsState, SettingsProblem, withGuard, withoutGuard } from "../../src/install/edit-settings.ts";
import { hookGroup, type InstalledHook, installableEvents, pluginText, readOwnPlugin } from "../../src/install/own-hook.ts";
import { judgeFile } from "../../src/judge-file.ts";

/** As a former version added it. */
const FORMER: InstalledHook = {
  program: ["/opt/it's node/bin/node", "/opt/loopdash/dist/loopdash.js"],
  options: [],
  events: ["before-tool"],
};
const HOOK: InstalledHook = {
  ...FORMER,
  options: ["--audit", "/home/ada/.local/state/loopdash/audit.jsonl"],
  events: ["before-tool", "after-tool", "after-failed-tool", "stop"],
};
/** What is found of it in the vendor's settings. */
const found = (vendor: VendorKind, hook = HOOK): InstalledHook => ({ ...hook, events: installableEvents(vendor, hook.events) });
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
    const added = {
      claude: ["PostToolUse", "PostToolUseFailure", "Stop"],
      codex: ["PostToolUse", "Stop"],
      gemini: ["AfterTool", "AfterAgent"],
    };
    for (const name of added[vendor]) {
      expect([name, after.hooks[name].length]).toEqual([name, 1]);
      delete after.hooks[name];
    }
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
    expect(readSettingsState("claude", text).own).toEqual([found("claude")]);
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
    expect(readSettingsState(vendor, JSON.stringify(turned)).own).toEqual([found(vendor)]);
  });

  test("have the hook of another version replaced", () => {
    const old = withGuard("claude", PERSONS, { ...FORMER, program: ["/old/node", "/old/loopdash.js"] });
    expect(withGuard("claude", old, HOOK)).toBe(withGuard("claude", PERSONS, HOOK));
  });

  test("keep comments and layout where the vendor takes them", () => {
    const text =
      '{\n    // mine\n    "theme": "dark", /* too */\n    "hooks": {\n        "BeforeTool": [\n            {"hooks": []} // last\n        ]\n    }\n}\n';
    const after = withGuard("gemini", text, HOOK);
    for (const part of ["    // mine\n", '"theme": "dark", /* too */', "// last"]) expect(after).toContain(part);
    expect(readSettingsState("gemini", after).own).toEqual([found("gemini")]);
    expect(readSettingsState("gemini", withoutGuard("gemini", after, []))).toEqual({ own: [], changed: 0 });
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
  expect(withGuard("codex", "", { ...FORMER, program: ["/n", "/l"] })).toMatch(
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
    expect(readSettingsState("claude", changed)).toEqual({ own: [{ ...HOOK, events: HOOK.events.slice(1) }], changed: 1 });
    const { PreToolUse } = JSON.parse(changed).hooks;
    expect(JSON.parse(withoutGuard("claude", changed, [])).hooks).toEqual({ PreToolUse });
  });

  test("are the same for every person's settings", () => {
    const json = fc.dictionary(fc.constantFrom("model", "env", "theme", "x y"), fc.jsonValue());
    const layout = fc.constantFrom(undefined, 1, 2, 4, "\t");
    fc.assert(
      fc.property(json, layout, fc.constantFrom(...VENDORS), (settings, indent, vendor) => {
        const text = JSON.stringify(settings, undefined, indent);
        const after = withGuard(vendor, text, HOOK);
        expect(readSettingsState(vendor, after).own).toEqual([found(vendor)]);
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
  expect(readSettingsState("gemini", text).off).toBe(off);
});

/** A person's hooks at every event that loopdash uses. */
const FOREIGN = JSON.stringify(
  {
    hooks: Object.fromEntries(
      ["PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "BeforeTool", "AfterTool", "AfterAgent"].map((name) => [
        name,
        [{ hooks: [{ type: "command", command: `say 'hook stop --agent claude' ${name}` }] }],
      ]),
    ),
  },
  undefined,
  3,
);

describe.each(VENDORS)("the hooks of %s", (vendor) => {
  test("stand beside those of a person, and are taken out alone, byte for byte", () => {
    const after = withGuard(vendor, FOREIGN, HOOK, { denyRules: false });
    expect(readSettingsState(vendor, after)).toEqual({ own: [found(vendor)], changed: 0 });
    expect(withGuard(vendor, after, HOOK, { denyRules: false })).toBe(after);
    expect(withoutGuard(vendor, after, [])).toBe(FOREIGN);
  });

  test.each<[string, InstalledHook]>([
    ["of a former version, which called the guard before a tool alone", FORMER],
    ["without the audit", { ...FORMER, events: ["before-tool", "stop"] }],
    ["without the stop guard", { ...HOOK, events: ["before-tool", "after-tool", "after-failed-tool"] }],
    ["of another place", { ...HOOK, program: ["/old/node", "/old/loopdash.js"] }],
  ])("%s are found, replaced and taken out", (_, old) => {
    for (const text of ["{}\n", PERSONS, FOREIGN]) {
      const before = withGuard(vendor, text, old, { denyRules: false });
      expect(readSettingsState(vendor, before)).toEqual({ own: [found(vendor, old)], changed: 0 });
      const after = withGuard(vendor, before, HOOK, { denyRules: false });
      expect(readSettingsState(vendor, after).own).toEqual([found(vendor)]);
      expect(JSON.parse(withoutGuard(vendor, after, ["Read(~/.ssh/**)"]))).toEqual(JSON.parse(text));
    }
  });

  test.each(installableEvents(vendor))("that stand twice at %s are put right", (event) => {
    const settings = JSON.parse(withGuard(vendor, FOREIGN, HOOK, { denyRules: false }));
    for (const groups of Object.values<object[]>(settings.hooks))
      if (JSON.stringify(groups).includes(` ${event} `)) groups.push(hookGroup(vendor, HOOK, event));
    const twice = JSON.stringify(settings);
    expect(readSettingsState(vendor, twice).own).not.toEqual([found(vendor)]);
    expect(readSettingsState(vendor, withGuard(vendor, twice, HOOK)).own).toEqual([found(vendor)]);
  });

  test.each(installableEvents(vendor))("stay if somebody has changed the one at %s, which is told", (event) => {
    const text = withGuard(vendor, "{}", HOOK, { denyRules: false });
    const timed = (key: string, value: unknown) =>
      key === "" || !JSON.stringify(value).includes(` ${event} `) || !Array.isArray(value)
        ? value
        : [{ ...value[0], timeout: 5 }];
    const changed = JSON.stringify(JSON.parse(text, timed));
    expect(readSettingsState(vendor, changed)).toEqual({
      own: [{ ...HOOK, events: installableEvents(vendor).filter((each) => each !== event) }],
      changed: 1,
    });
    expect(withoutGuard(vendor, changed, [])).toContain(`hook ${event} `);
  });
});

/** What the version before the audit wrote. */
const FORMER_PLUGIN = readFileSync(join(import.meta.dirname, "former-plugin.js.txt"), "utf8");

test("a plugin of a former version is ours, unless it is changed", () => {
  expect(readOwnPlugin(FORMER_PLUGIN)).toEqual({ ...FORMER, options: ["--settings", "/a b/guard.json"] });
  expect(readOwnPlugin(FORMER_PLUGIN.replace("!== 0", "=== 7"))).toBeUndefined();
  expect(readOwnPlugin(FORMER_PLUGIN.replace('"hook",', '"hook", '))).toBeUndefined();
  expect(pluginText(found("opencode", FORMER))).not.toBe(FORMER_PLUGIN);
});

test("a plugin is ours if nothing of it is changed", () => {
  expect(readOwnPlugin(pluginText(HOOK))).toEqual(found("opencode"));
  expect(readOwnPlugin(pluginText(FORMER))).toEqual(FORMER);
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
