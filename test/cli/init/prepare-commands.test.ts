import { describe, expect, test } from "vitest";
import { preparationOf } from "../../../src/cli/init/prepare-commands.ts";

const WITH_PACKAGES = '{"dependencies": {"a": "1"}}';
const NPM = ["registry.npmjs.org"];
const PYPI = ["pypi.org", "files.pythonhosted.org"];

describe("preparationOf", () => {
  test.for<[what: string, files: Record<string, string>, commands: readonly string[], hosts: readonly string[]]>([
    ["no manifest", { Makefile: "test:\n" }, [], []],
    ["a manifest without packages", { "package.json": "{}" }, [], []],
    ["npm with a lockfile", { "package.json": WITH_PACKAGES, "package-lock.json": "{}" }, ["npm ci"], NPM],
    ["npm without one", { "package.json": WITH_PACKAGES }, ["npm install"], NPM],
    ["pnpm", { "package.json": WITH_PACKAGES, "pnpm-lock.yaml": "" }, ["pnpm install --frozen-lockfile"], NPM],
    [
      "a workspace of pnpm",
      { "package.json": "{}", "pnpm-workspace.yaml": "", "pnpm-lock.yaml": "" },
      ["pnpm install --frozen-lockfile"],
      NPM,
    ],
    ["yarn 1", { "package.json": WITH_PACKAGES, "yarn.lock": "" }, ["yarn install --frozen-lockfile"], ["registry.yarnpkg.com"]],
    [
      "a newer yarn",
      { "package.json": '{"packageManager": "yarn@4.1.0", "devDependencies": {"a": "1"}}' },
      ["yarn install --immutable"],
      ["registry.yarnpkg.com"],
    ],
    ["bun", { "package.json": WITH_PACKAGES, "bun.lock": "" }, ["bun install --frozen-lockfile"], NPM],
    ["uv", { "uv.lock": "", "requirements.txt": "a" }, ["uv sync --frozen"], PYPI],
    [
      "pip",
      { "requirements.txt": "a", "requirements-dev.txt": "b" },
      ["python3 -m venv .venv", ".venv/bin/pip install -r requirements.txt -r requirements-dev.txt"],
      PYPI,
    ],
    [
      "Bundler",
      { Gemfile: "", "package.json": "{}" },
      ["bundle config set --local path vendor/bundle", "bundle install"],
      ["rubygems.org", "index.rubygems.org"],
    ],
    [
      "Composer",
      { "composer.json": "{}" },
      ["composer install"],
      ["repo.packagist.org", "api.github.com", "codeload.github.com"],
    ],
    [
      "a registry that the repository names",
      { "package.json": WITH_PACKAGES, ".npmrc": "registry=https://npm.corp.example:8443/a/\n" },
      ["npm install"],
      ["npm.corp.example:8443"],
    ],
    [
      "a registry that the repository names, beside yarn's own in its lockfile",
      { "package.json": WITH_PACKAGES, "yarn.lock": "", ".npmrc": "registry=https://registry.npmjs.org/\n" },
      ["yarn install --frozen-lockfile"],
      [...NPM, "registry.yarnpkg.com"],
    ],
    [
      "a registry without a usable name",
      { "package.json": WITH_PACKAGES, ".npmrc": "registry=https://[::1]/" },
      ["npm install"],
      NPM,
    ],
  ])("%s", ([, files, commands, hosts]) => {
    const found = preparationOf(new Map(Object.entries(files)));
    expect(found.commands.map((command) => command.join(" "))).toEqual(commands);
    expect(found.hosts).toEqual(hosts);
  });

  test("tells what git would take for a part of a change", () => {
    const files = { "package.json": WITH_PACKAGES, "requirements.txt": "" };
    expect(preparationOf(new Map(Object.entries(files))).notIgnored).toEqual(["node_modules", "package-lock.json", ".venv"]);
    const ignoring = { ...files, "package-lock.json": "{}", ".gitignore": "/node_modules/\n.venv\n" };
    expect(preparationOf(new Map(Object.entries(ignoring))).notIgnored).toEqual([]);
    expect(
      preparationOf(
        new Map([
          ["Gemfile", ""],
          ["composer.json", "{}"],
        ]),
      ).notIgnored,
    ).toEqual([".bundle", "vendor"]);
  });
});
