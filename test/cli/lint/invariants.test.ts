import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { brokenInvariants } from "../../../src/cli/lint/invariants.ts";
import type { Batch } from "../../../src/domain/batch/schema.ts";
import { cleanUp, git, newRepo, tempDir } from "../../adapters/vcs/real-repo.ts";

cleanUp();

const broken = (files: Readonly<Record<string, string>>) => {
  const path = newRepo(tempDir());
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  git(path, "add", "-A");
  const batch = { repos: { app: { path, base: "main", prepare: [] } } } as unknown as Batch;
  return brokenInvariants({ batch, locate: () => undefined }).then((found) => ({
    path,
    found: found.map(({ message }) => message),
  }));
};
const rules = (...all: object[]) => ({ "loopdash.lint.json": JSON.stringify({ rules: all }) });

describe("the invariants of a batch's repositories", () => {
  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    [
      "a required file that is gone",
      rules({ check: "required", id: "legal", files: ["LICENSE"] }),
      /breaks 1 invariant of loopdash.lint.json: LICENSE:1 {2}error {2}legal/,
    ],
    [
      "a protected file that was changed",
      { ...rules({ check: "protected", id: "guards", files: { "guard.sh": "0".repeat(64) } }), "guard.sh": "exit 0\n" },
      /guard\.sh:1 {2}error {2}guards/,
    ],
    [
      "a file that is not valid",
      { ...rules({ check: "valid", id: "settings", files: ["*.json"], format: "json" }), "a.json": "{" },
      /a\.json:1 {2}error {2}settings/,
    ],
    ["a configuration that is wrong", { "loopdash.lint.json": "{" }, /could not be checked/],
  ])("tell %s", async (_, files, says) => {
    expect((await broken(files)).found).toEqual([expect.stringMatching(says)]);
  });

  test("are not those that are built in, nor warnings, and no command of the repository runs", async () => {
    const warning = { check: "budget", id: "agents", files: ["AGENTS.md"], lines: 1, severity: "warn" };
    const command = {
      check: "generated",
      id: "usage",
      file: "README.md",
      begin: "<!-- a -->",
      end: "<!-- b -->",
      command: ["touch", "ran"],
    };
    const files = { "AGENTS.md": "1\n2\n3\n", "README.md": "<!-- a -->\nold\n<!-- b -->\n" };
    expect((await broken({ "bad.json": "{" })).found).toEqual([]);
    const { path, found } = await broken({ ...rules(warning, command), ...files });
    expect([found, existsSync(join(path, "ran"))]).toEqual([[], false]);
  });
});

test("say nothing of a repository that is not there", async () => {
  const batch = { repos: { app: { path: "/nowhere/app", base: "main", prepare: [] } } } as unknown as Batch;
  expect(await brokenInvariants({ batch, locate: () => undefined })).toEqual([]);
});
