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

describe("origin", () => {
  test.each([
    ["https://github.com/acme/app.git", undefined, undefined],
    ["https://github.com/acme/app.git", "https://api.github.com", undefined],
    ["git@ghe.corp.example:acme/app.git", "https://ghe.corp.example/api/v3", "https://ghe.corp.example/api/v3"],
    ["https://corp.ghe.com/acme/app", "https://api.corp.ghe.com", "https://api.corp.ghe.com"],
    ["http://127.0.0.1:81/acme/app.git", "http://127.0.0.1:81/api/v3", "http://127.0.0.1:81/api/v3"],
  ])("%s with the API at %s", (address, api, baseUrl) => {
    expect(readOrigin(address, api)).toMatchObject({ fullName: "acme/app", baseUrl });
  });

  test.each([
    ["https://evil.example/acme/app.git", "https://ghe.corp.example/api/v3", /origin is at evil\.example/],
    ["https://github.com/acme/app.git", "https://ghe.corp.example/api/v3", /is of ghe\.corp\.example/],
    ["https://github.com/acme/app.git", "nowhere", /is of no host/],
    ["https://evil.example/acme/app.git", undefined, /no repository of GitHub/],
    ["https://evil.example/acme/app.git", "https://api.github.com", /no repository of GitHub/],
  ])("%s is refused with the API at %s: the token of one host goes to no other", (address, api, why) => {
    expect(() => readOrigin(address, api)).toThrow(expect.objectContaining({ why: expect.stringMatching(why), exitCode: 4 }));
  });
});
