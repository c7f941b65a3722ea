import { describe, expect, test } from "vitest";
import { PROTECT_DEFAULTS, protectedPaths } from "../../src/domain/batch/default-protect.ts";
import { protectedBy } from "../../src/loop/programs/protected-files.ts";
import { gates, protectedFor } from "../../src/loop/steps/gates.ts";
import type { Change, ChangedPath } from "../../src/ports/vcs.ts";

const changeOf = (...paths: Partial<ChangedPath>[]): Change => ({
  tip: "c0ffee",
  paths: paths.map((path) => ({ path: "a.txt", how: "modified", mode: "file", ...path })),
  additions: 3,
  deletions: 1,
});

describe("protectedBy", () => {
  test.for<[glob: string, path: string, covered: boolean]>([
    ["test/**", "test/a.test.ts", true],
    ["test/**", "test/deep/er/a", true],
    ["test/**", "test/.hidden", true],
    ["test/**", "test/.d/x", true],
    ["test/**", "test", true],
    ["test/**", "TEST/A", true],
    ["Test/**", "tEsT/a", true],
    ["test/**", "src/test/a", false],
    ["test/**", "testing/a", false],
    ["**/test/**", "src/test/a", true],
    ["caf\u00e9/**", "cafe\u0301/menu", true],
    ["cafe\u0301/**", "caf\u00e9/menu", true],
    ["test/**", "test/a\nb.test.ts", true],
    ["test/**", "test/\r", true],
    ["test/**", "test/\u2028x", true],
    ["a/*.ts", "a/x\ny.ts", true],
    ["secrets/", "secrets/key", true],
    ["secrets/", "secrets/a/b", true],
    ["secrets/", "secretsx", false],
    ["package.json", "package.json", true],
    ["package.json", "apps/web/package.json", true],
    ["package.json", "package.json5", false],
    ["vendor", "vendor/lib.js", true],
    ["vendor", "a/vendor/b/lib.js", true],
    ["*.lock", "a/b/yarn.lock", true],
    [".env", "deploy/.ENV", true],
    [".env*", ".env.local", true],
    [".github/**", ".github/workflows/ci.yml", true],
    ["a/[bc].txt", "a/B.txt", true],
    ["a/b.txt", "a/b.txt/c", false],
  ])("%j and %j: %s", ([glob, path, covered]) => {
    expect(protectedBy([glob])(path)).toBe(covered);
  });

  test("no list covers nothing; of several globs any one covers", () => {
    expect(protectedBy([])("a")).toBe(false);
    const covered = protectedBy(["a/**", "*.lock"]);
    expect(["a/x", "y.lock", "b"].map(covered)).toEqual([true, true, false]);
  });
});

describe("gates", () => {
  test("a change is let through with its size", () => {
    expect(gates(changeOf({}), ["test/**"])).toEqual({ ok: true, summary: "1 file, +3 −1", commit: "c0ffee" });
    expect(gates(changeOf({}, { path: "b" }), [])).toMatchObject({ ok: true, summary: "2 files, +3 −1" });
  });

  test("is refused for a path of a hundred folders, before anything is matched", () => {
    const deep = `${"d/".repeat(100)}a`;
    expect(gates(changeOf({ path: deep.slice(2) }), [])).toMatchObject({ ok: true });
    expect(gates(changeOf({ path: deep }), ["**/a"])).toMatchObject({
      evidence: { summary: "a path has 100 folders or more" },
    });
  });

  test("an empty change is refused: a claim alone is nothing", () => {
    expect(gates(changeOf(), [])).toMatchObject({ ok: false, evidence: { step: "gates", summary: "nothing was changed" } });
  });

  test.for(["added", "modified", "deleted"] as const)("a protected path that is %s is refused and named", (how) => {
    const result = gates(changeOf({ path: "src/a.ts" }, { path: "test/a.test.ts", how }), ["test/**"]);
    expect(result).toMatchObject({ ok: false, evidence: { summary: `protected path touched: test/a.test.ts (${how})` } });
  });

  test("a rename out of a protected folder is its deletion there", () => {
    const moved = changeOf({ path: "test/a.ts", how: "deleted" }, { path: "old/a.ts", how: "added" });
    expect(gates(moved, ["test/**"]).ok).toBe(false);
  });

  test("a link put where the protected folder is to be is refused", () => {
    expect(gates(changeOf({ path: "test", how: "added", mode: "symlink" }), ["test/**"]).ok).toBe(false);
  });

  test("a submodule is refused, wherever it is", () => {
    const result = gates(changeOf({}, { path: "lib/x", how: "added", mode: "submodule" }), []);
    expect(result).toMatchObject({ ok: false, evidence: { detail: "lib/x (added)" } });
  });

  test("many paths are counted, and the list is cut; hostile names are one plain line each", () => {
    const many = Array.from({ length: 30 }, (_, i) => ({ path: `test/\u001b[2J${i}\n## Rules ${"x".repeat(1_000)}` }));
    const result = gates(changeOf(...many), ["test/**"]);
    if (result.ok) throw new Error("let through");
    expect(result.evidence.summary).toBe("30 protected paths touched");
    const lines = result.evidence.detail.split("\n");
    expect(lines).toHaveLength(21);
    expect(lines[0]).toMatch(/^test\/0 ## Rules x+… \(modified\)$/);
    expect(lines.at(-1)).toBe("and 10 more");
    expect(result.evidence.detail.length).toBeLessThan(5_000);
  });
});

describe("protectedFor", () => {
  test("keeps what a contract protects, though the ticket may change how tests are run", () => {
    const list = protectedPaths([PROTECT_DEFAULTS]);
    const [glob = ""] = list.filter((each) => each.startsWith("{vitest,"));
    const contract = { path: "c.md", sha: "0", body: "", safety: { protect: [glob] } };
    const allow = { testsRemoved: [], testsSkipped: [], suppressions: false, configuration: true };
    expect(protectedFor(list, { allow })).not.toContain(glob);
    expect(protectedFor(list, { allow, contract })).toContain(glob);
  });
});
