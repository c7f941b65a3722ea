import { describe, expect, test } from "vitest";
import { prepareInputs } from "../../../src/domain/batch/prepare-inputs.ts";

const LOCK = JSON.stringify({ lockfileVersion: 3, packages: { "": {}, "node_modules/a": { resolved: "https://r/a.tgz" } } });
const NPM = { "package.json": '{"dependencies": {"a": "1"}}', "package-lock.json": LOCK, "src/index.js": "" };

function inputsOf(command: readonly string[], files: Readonly<Record<string, string>>, inputs?: readonly string[]) {
  return prepareInputs({
    commands: [command as [string, ...string[]]],
    inputs,
    files: Object.keys(files).map((path) => ({ path, kind: "file" })),
    text: (path) => files[path],
  });
}

describe("the inputs of prepare commands", () => {
  test("are manifests, lockfiles and settings for an installer, wherever they lie", () => {
    const files = { ...NPM, "packages/b/package.json": "{}", ".npmrc": "registry=https://r", ".nvmrc": "24" };
    const paths = [".npmrc", ".nvmrc", "package-lock.json", "package.json", "packages/b/package.json"];
    expect(inputsOf(["npm", "ci"], files)).toEqual({ reach: "files", paths });
  });

  test.each([
    ["a script of the repository", ["./setup.sh"], NPM, '"./setup.sh" may read any file'],
    ["npm run", ["npm", "run", "build"], NPM, '"npm run build" may read any file'],
    ["an option that names a folder", ["npm", "ci", "--prefix=x"], NPM, '"npm ci --prefix=x" may read any file'],
    [
      "a program of the repository with a known name",
      ["bin/npm", "ci"],
      { ...NPM, "bin/npm": "" },
      '"bin/npm ci" may read any file',
    ],
    [
      "a long command, which is cut to fit into a line",
      ["npm", "ci", "--prefix=packages/application", "--quiet"],
      NPM,
      '"npm ci --prefix=pack … on --quiet" may read any file',
    ],
    [
      "an install script of its own",
      ["npm", "ci"],
      { ...NPM, "package.json": '{"scripts": {"prepare": "x"}}' },
      'package.json has a script "prepare"',
    ],
    [
      "a script that npm runs after an installation",
      ["npm", "ci"],
      { ...NPM, "package.json": '{"scripts": {"dependencies": "x"}}' },
      'package.json has a script "dependencies"',
    ],
    [
      "a local package",
      ["npm", "ci"],
      { ...NPM, "package.json": '{"dependencies": {"a": "file:../a"}}' },
      "package.json names a folder or an archive of the repository",
    ],
    [
      "a package whose install script may read files",
      ["npm", "ci"],
      { ...NPM, "package-lock.json": JSON.stringify({ packages: { "node_modules/prisma": { hasInstallScript: true } } }) },
      "package-lock.json has a package with an install script: prisma",
    ],
    ["yarn with scripts", ["yarn", "install"], { ...NPM, "yarn.lock": "" }, '"yarn install" may read any file'],
    ["an editable install", ["pip", "install", "-e", "."], {}, '"pip install -e ." may read any file'],
    [
      "requirements that name others",
      ["pip", "install", "-r", "requirements.txt"],
      { "requirements.txt": "-r other.pip\n" },
      "requirements.txt names more than packages of an index",
    ],
  ])("are the whole tree for %s", (_, command, files, why) => {
    expect(inputsOf(command, files)).toEqual({ reach: "tree", why });
  });

  test.each([
    ["npm install", { "package.json": "{}" }, { isUnlocked: true, hasUnknownScripts: true }],
    ["npm install --ignore-scripts", { "package.json": "{}" }, { isUnlocked: true }],
    ["npm install", NPM, {}],
    [".venv/bin/pip install -r requirements.txt", { "requirements.txt": "a==1\n" }, { isUnlocked: true }],
    ["pip install --require-hashes -r requirements.txt", { "requirements.txt": "a==1 --hash=sha256:00\n" }, {}],
    ["python3 -m venv .venv", {}, {}],
    ["python3 -m venv --upgrade-deps .venv", {}, { isUnlocked: true }],
    ["cargo fetch", { "Cargo.toml": "" }, { isUnlocked: true }],
    ["bundle install", { Gemfile: "gem 'a'\n" }, { isUnlocked: true }],
  ] as const)("say what the lack of a lockfile leaves open: %s", (command, files, open) => {
    const found = inputsOf(command.split(" "), files);
    const paths = Object.keys(files).filter((path) => path !== "src/index.js");
    expect(found).toEqual({ reach: "files", paths: paths.toSorted(), ...open });
  });

  test("are the whole tree for the code of the repository itself: what is installed of it would be another commit's", () => {
    for (const command of [".venv/bin/pip install .", "pip install -e .", "npm install ."])
      expect(inputsOf(command.split(" "), { "pyproject.toml": "", "package.json": "{}" })).toMatchObject({ reach: "tree" });
  });

  test("are the whole tree if an input is a link", () => {
    const files = [{ path: "package.json", kind: "link" as const }];
    expect(prepareInputs({ commands: [["npm", "ci"]], files, text: () => "{}" })).toEqual({
      reach: "tree",
      why: "package.json is a link",
    });
  });

  test("are what the batch names, beside what is found", () => {
    const files = { ...NPM, "prisma/schema.prisma": "", "setup.sh": "" };
    expect(inputsOf(["./setup.sh"], files, ["prisma/**"])).toEqual({ reach: "files", paths: ["prisma/schema.prisma"] });
  });

  test("are requirement files for pip", () => {
    const files = {
      "requirements.txt": "a[x]==1.0 ; python_version > '3.8' \\\n    --hash=sha256:00\n# note\nb~=2\n",
      "a.py": "",
    };
    expect(inputsOf(["pip", "install", "-r", "requirements.txt"], files)).toEqual({
      reach: "files",
      paths: ["requirements.txt"],
      isUnlocked: true,
    });
  });
});
