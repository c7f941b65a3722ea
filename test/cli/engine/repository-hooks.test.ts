import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { hookCheck, repositoryHooks } from "../../../src/cli/engine/repository-hooks.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
let root = "";
beforeEach(() => {
  root = folder();
});

function git(...args: string[]): void {
  const who = { GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@t", GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@t" };
  execFileSync("git", ["-C", root, ...args], { env: { ...process.env, ...who }, stdio: "ignore" });
}

/** The hooks of a repository with these files, as one line each: what was found, and the command of a check. */
async function hooksOf(files: Readonly<Record<string, string>>, hooksPath?: string) {
  for (const [name, text] of Object.entries({ "README.md": "#\n", ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  if (hooksPath !== undefined) git("config", "core.hooksPath", hooksPath);
  const found = await repositoryHooks({ path: root, base: "main" });
  return found.map((hook) => `${hook.name} (${hook.found}) ${hookCheck(hook)?.command.join(" ") ?? "-"}`);
}

describe("the hooks of a repository", () => {
  test.for<[string, Readonly<Record<string, string>>, string | undefined, readonly string[]]>([
    ["none", {}, undefined, []],
    ["husky 9", { ".husky/pre-commit": "npx lint-staged\n" }, ".husky/_", ["pre-commit (husky: npx lint-staged) -"]],
    [
      "husky 8",
      { ".husky/pre-push": '#!/bin/sh\n. "$(dirname "$0")/_/husky.sh"\n\nnpm run lint\nnpm run types\n' },
      undefined,
      ["pre-push (husky: npm run lint; npm run types) sh -e .husky/pre-push"],
    ],
    [
      "husky 4",
      { "package.json": '{"husky": {"hooks": {"pre-commit": "npm run lint", "commit-msg": "commitlint -E"}}}' },
      undefined,
      ["pre-commit (husky: npm run lint) sh -c npm run lint", "commit-msg (husky: commitlint -E) -"],
    ],
    [
      "simple-git-hooks",
      { "package.json": '{"simple-git-hooks": {"pre-commit": "npx lint-staged"}}' },
      undefined,
      ["pre-commit (simple-git-hooks: npx lint-staged) -"],
    ],
    [
      "lefthook of npm",
      { "lefthook.yml": "pre-push:\n  jobs: []\n", "package.json": '{"devDependencies": {"lefthook": "1"}}' },
      undefined,
      ["pre-push (lefthook.yml) npx lefthook run pre-push --all-files"],
    ],
    [
      "the pre-commit framework",
      { ".pre-commit-config.yaml": "repos: []\n" },
      undefined,
      ["pre-commit (.pre-commit-config.yaml) pre-commit run --all-files"],
    ],
    [
      "core.hooksPath",
      { "tools/hooks/commit-msg": "grep -q JIRA $1\n", "tools/hooks/pre-commit": "make lint\n" },
      "tools/hooks/",
      ["pre-commit (tools/hooks: make lint) sh -e tools/hooks/pre-commit", "commit-msg (tools/hooks: grep -q JIRA $1) -"],
    ],
    ["core.hooksPath elsewhere", { "pre-commit": "x\n" }, "../..", []],
    ["a broken package.json", { "package.json": "{" }, undefined, []],
  ])("%s", async ([, files, hooksPath, expected]) => {
    expect(await hooksOf(files, hooksPath)).toEqual(expected);
  });

  test("of a checkout alone are told, and none of them runs", async () => {
    git("init", "-q", "-b", "main");
    const hook = join(root, ".git/hooks/pre-commit");
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ntouch ${join(root, "ran")}\n`);
    git("commit", "-q", "--allow-empty", "-m", "start");
    chmodSync(hook, 0o755);
    const found = await repositoryHooks({ path: root, base: "main" });
    expect(found).toEqual([
      { name: "pre-commit", found: "a script in .git/hooks, which the base does not have", check: undefined },
    ]);
    expect(existsSync(join(root, "ran"))).toBe(false);
  });
});
