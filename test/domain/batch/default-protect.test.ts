import { describe, expect, it } from "vitest";
import { protectedPaths, protectGroups, withoutRunnerDefaults } from "../../../src/domain/batch/default-protect.ts";
import { unfitForGlob } from "../../../src/domain/batch/plain-words.ts";
import { protectedBy } from "../../../src/loop/programs/protected-files.ts";

const defaults = protectedPaths(["{defaults}"]);

describe("the default protected paths", () => {
  it.each([
    ".github/workflows/ci.yml",
    ".github/actions/setup/action.yml",
    ".circleci/config.yml",
    ".gitlab-ci.yml",
    "azure-pipelines.yaml",
    "Jenkinsfile",
    "Jenkinsfile.release",
    ".forgejo/workflows/a.yml",
    "vitest.config.ts",
    "packages/web/vitest.workspace.mts",
    "jest.config.js",
    "playwright.config.ts",
    "karma.conf.js",
    ".mocharc.json",
    ".nycrc",
    "pytest.ini",
    "tox.ini",
    ".coveragerc",
    ".config/nextest.toml",
    ".rspec",
    "phpunit.xml.dist",
    "phpunit.dist.xml",
    "src/test/resources/junit-platform.properties",
    "ci.runsettings",
  ])("hold %s", (path) => {
    expect(protectedBy(defaults)(path)).toBe(true);
  });

  it.each([
    "test/money.test.ts",
    "tests/test_money.py",
    "conftest.py",
    "package.json",
    "package-lock.json",
    "pyproject.toml",
    "Cargo.toml",
    "go.mod",
    "Makefile",
    "vite.config.ts",
    ".github/ISSUE_TEMPLATE.md",
    "src/jest.ts",
    "docs/vitest.md",
    "spec/models/cart_spec.rb",
  ])("do not hold %s, which an honest ticket changes", (path) => {
    expect(protectedBy(defaults)(path)).toBe(false);
  });

  it("are globs that a batch could name itself", () => {
    expect(defaults.map(unfitForGlob)).toEqual(defaults.map(() => undefined));
  });

  it("are extended or replaced by a batch's own list", () => {
    expect(protectedPaths(["test/**", "{defaults}"])).toEqual(["test/**", ...defaults]);
    expect(protectedPaths(["test/**"])).toEqual(["test/**"]);
    expect(protectedPaths([])).toEqual([]);
  });

  it("are shown in groups, the batch's own last", () => {
    const groups = protectGroups(["test/**", ...defaults]);
    expect(groups[0]?.[0]).toBe("CI");
    expect(groups.at(-1)).toEqual(["this batch", ["test/**"]]);
    expect(groups.flatMap(([, globs]) => globs).toSorted()).toEqual(["test/**", ...defaults].toSorted());
    expect(protectGroups([])).toEqual([]);
  });

  it("leave runners free, and CI not, for a ticket that may change how tests are run", () => {
    const holds = protectedBy(withoutRunnerDefaults(["test/**", ...defaults]));
    expect([holds("vitest.config.ts"), holds("test/a"), holds(".github/workflows/ci.yml")]).toEqual([false, true, true]);
  });
});
