import { describe, expect, test } from "vitest";
import { scriptRunBy } from "../../src/compare/scripts.ts";

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
