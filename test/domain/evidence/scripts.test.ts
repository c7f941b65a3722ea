import { describe, expect, test } from "vitest";
import { scriptFindings, scriptRunBy } from "../../../src/domain/evidence/scripts.ts";

describe("the script that a command runs", () => {
  test.each<[string, string | undefined]>([
    ["npm test", "npm test"],
    ["npm t", "npm test"],
    ["npm tst", "npm test"],
    ["npm start", "npm start"],
    ["npm stop", "npm stop"],
    ["npm restart", "npm restart"],
    ["npm rum lint", "npm lint"],
    ["npm urn lint", "npm lint"],
    ["yarn prerun", "yarn prerun"],
    ["yarn runner unit", "yarn runner"],
    ["npm --silent run -s unit -- --x", "npm unit"],
    ["/usr/bin/npm run-script lint", "npm lint"],
    ["pnpm unit", "pnpm unit"],
    ["pnpm run unit", "pnpm unit"],
    ["yarn test", "yarn test"],
    ["bun run test", "bun test"],
    ["npm ci", undefined],
    ["npm run", undefined],
    ["yarn", undefined],
    ["node --test", undefined],
    ["toString run x", undefined],
  ])("%s: %s", (command, found) => {
    const runs = scriptRunBy(command.split(" "));
    expect(runs === undefined ? undefined : `${runs.runner} ${runs.script}`).toBe(found);
  });
});

describe("what speaks against a change of it", () => {
  const text = (scripts: unknown) => JSON.stringify({ name: "a", scripts });
  const says = (before: string | undefined, after: string | undefined, changed: readonly string[] = ["package.json"]) =>
    scriptFindings({ runner: "npm", script: "test" }, { changed, before, after }).map((finding) => finding.says);
  const base = text({ test: "vitest run", other: "x" });

  test("a script beside it whose name is written so that V8 takes it for another one", () => {
    JSON.parse('{"test":"x","pre\\\\u00":"x"}');
    const after = '{"scripts":{"test":"vitest run","pre\\u0074est":"echo ok"}}';
    expect(says(text({ test: "vitest run" }), after)).toEqual(["the script that the check runs was changed: pretest"]);
  });

  test.each<[string, string | undefined]>([
    ["another text", text({ test: "echo ok" })],
    ["a script that runs before it", text({ test: "vitest run", pretest: "exit 0" })],
    ["a script that runs after it", text({ test: "vitest run", posttest: "exit 0" })],
    ["none any more", text({ other: "x" })],
    ["no scripts", JSON.stringify({ name: "a" })],
    ["no list of scripts", JSON.stringify({ name: "a", scripts: null })],
    ["a text for scripts", JSON.stringify({ name: "a", scripts: "vitest run" })],
    ["no package.json", undefined],
    ["one that is none", "{"],
    ["null", "null"],
    ["no text", text({ test: ["vitest", "run"] })],
  ])("%s", (_, after) => {
    expect(says(base, after)).toEqual([expect.stringMatching(/^the script that the check runs was changed: (?:pre|post)?test$/)]);
  });

  test("nothing, where other scripts or what else is in the file changed", () => {
    expect(
      says(base, JSON.stringify({ scripts: { other: "y", more: "z", test: "vitest run" }, dependencies: { b: "1" } })),
    ).toEqual([]);
    expect(says(undefined, undefined)).toEqual([]);
  });

  test("settings of the program that runs it", () => {
    expect(says(base, base, [".npmrc", "sub/.npmrc", "x"])).toEqual(["settings of npm were changed: .npmrc"]);
  });

  test.each([
    ["npm", [".npmrc"]],
    ["pnpm", [".npmrc", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs"]],
    ["yarn", [".yarnrc", ".yarnrc.yml"]],
    ["bun", ["bunfig.toml", ".npmrc"]],
  ])("all settings of %s", (runner, settings) => {
    const changed = ["package.json", "x", ...settings];
    expect(scriptFindings({ runner, script: "test" }, { changed, before: base, after: base })).toEqual([
      { says: `settings of ${runner} were changed: ${settings.join(", ")}`, ids: settings },
    ]);
  });

  test("all scripts that are run with it", () => {
    const after = text({ test: "vitest", pretest: "a", posttest: "b", other: "c" });
    expect(says(base, after)).toEqual(["the script that the check runs was changed: pretest, test, posttest"]);
  });
});
