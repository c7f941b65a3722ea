import { describe, expect, test } from "vitest";
import { readOrigin, wantedOf } from "../../../src/cli/ci/origin.ts";

const OWN = readOrigin("git@github.com:Acme/app.git", undefined);

describe("what a person names", () => {
  test.each([
    ["123", 123],
    ["#123", 123],
    ["https://github.com/acme/APP/pull/7", 7],
    ["https://GitHub.com/Acme/app/pull/7/files?w=1", 7],
    ["123/fix-login", "123/fix-login"],
    ["123#1", "123#1"],
    ["fix/123", "fix/123"],
    ["pull/7", "pull/7"],
  ] as const)("%s is %j", (target, wanted) => {
    expect(wantedOf(target, OWN)).toBe(wanted);
  });

  test.each(["https://github.com/other/app/pull/7", "https://elsewhere.example/acme/app/pull/7"])(
    "%s is refused: it is of another repository",
    (target) => {
      const todo = "Name one of this clone's origin.";
      expect(() => wantedOf(target, OWN)).toThrow(
        expect.objectContaining({ why: `${target} is of another repository`, todo, exitCode: 4 }),
      );
    },
  );
});
