import { describe, expect, test } from "vitest";
import { boundFate, type TouchedFile, touchedZones } from "../../../src/domain/bound/touched.ts";
import { zoneMatcher } from "../../../src/domain/bound/zone-match.ts";

describe("zoneMatcher", () => {
  test.for<[zone: string, path: string]>([
    ["auth/", "auth/login.py"],
    ["auth/", "auth"],
    ["auth", "src/auth/login.py"],
    ["src/payments/", "src/payments/a/b.py"],
    ["src/payments", "src/payments/a.py"],
    ["src/payments/**", "src/payments/a/b.py"],
    ["src/*/keys", "src/a/keys/x"],
    ["**/migrations/", "db/migrations/1.sql"],
    ["**/migrations/", "migrations/1.sql"],
    ["src/**/gen", "src/a/b/gen/x"],
    ["src/**/gen", "src/gen"],
    ["*.pem", "deep/key.pem"],
    ["config/*.yml", "config/prod.yml"],
    ["**", "anything"],
    ["app/[id]/(group)/", "app/[id]/(group)/page.tsx"],
    ["SRC/Payments/", "src/payments/a.py"],
    ["src/payments/", "SRC/PAYMENTS/a.py"],
    ["caf\u00e9/", "cafe\u0301/x"],
    ["src/payments/", "src/pay\u200dments/a"],
    ["stra\u00dfe/", "STRASSE/x"],
  ])("%s covers %s", ([zone, path]) => expect(zoneMatcher(zone)(path)).toBe("inside"));

  test.for<[zone: string, path: string]>([
    ["auth/", "unauthorized.py"],
    ["auth/", "src/auth/login.py"],
    ["auth", "unauthorized.py"],
    ["auth", "auth2/login.py"],
    ["src/payments/", "src/payments2/a.py"],
    ["src/payments/", "lib/src/payments/a.py"],
    ["config/*.yml", "config/a/prod.yml"],
    ["src/*/keys", "src/a/b/keys/x"],
    ["a.b", "axb"],
  ])("%s does not cover %s", ([zone, path]) => expect(zoneMatcher(zone)(path)).toBeUndefined());

  test("a folder on the way is not inside", () => {
    expect(zoneMatcher("src/payments/")("src")).toBe("on-the-way");
    expect(zoneMatcher("src/payments/")("lib")).toBeUndefined();
  });

  test("is fast on hostile patterns and paths", () => {
    const zone = `${"**/a*/".repeat(12)}b`;
    const path = `${"aaaaaaaa/".repeat(2_000)}c`;
    const begun = performance.now();
    expect(zoneMatcher(zone)(path)).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

const file = (path: string, how: TouchedFile["how"] = "modified", mode: TouchedFile["mode"] = "file"): TouchedFile => ({
  ...{ path, how, mode },
});
const zones = [{ path: "src/payments/", origin: { file: "batch" } }] as const;
const touch = (...paths: TouchedFile[]) => touchedZones(paths, zones).flatMap((one) => one.paths.map(({ path }) => path));

describe("touchedZones", () => {
  test.for<[what: string, changed: TouchedFile]>([
    ["an edit", file("src/payments/a.py")],
    ["a rename out of it", file("src/payments/a.py", "deleted")],
    ["a rename into it", file("src/payments/b.py", "added")],
    ["a mode change", file("src/payments/a.py", "modified", "executable")],
    ["a file in place of the folder", file("src/payments", "added")],
    ["a link in place of a folder on the way", file("src", "added", "symlink")],
    ["a submodule in place of a folder on the way", file("src", "added", "submodule")],
    ["another case", file("Src/Payments/a.py", "added")],
  ])("sees %s", ([, changed]) => expect(touch(changed)).toEqual([changed.path]));

  test("leaves alone what lies beside it", () => {
    expect(touch(file("src/payments2/a.py"), file("src", "deleted", "symlink"), file("src/a.py"))).toEqual([]);
  });
});

describe("boundFate", () => {
  test.for<[fate: string, paths: TouchedFile[]]>([
    ["untouched", [file("docs/BOUND.md"), file("a")]],
    ["lost", [file("BOUND.md", "deleted")]],
    ["lost", [file("BOUND.md", "deleted"), file("Bound.md", "added")]],
    ["added", [file("BOUND.md", "added")]],
    ["added", [file("bound.md", "added")]],
    ["changed", [file("BOUND.md")]],
    ["changed", [file("BOUND.md", "modified", "symlink")]],
  ])("%s", ([fate, paths]) => expect(boundFate(paths)).toBe(fate));
});
