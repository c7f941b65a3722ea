import { describe, expect, test } from "vitest";
import { listPreparePrograms } from "../../../src/domain/batch/prepare-inputs.ts";
import { CARGO, CODE, type Files, GO, inputsOf, MANIFEST, NPM, PIP, PNPM, PNPM_6, VENV, YARN } from "./installer-samples.ts";

describe("the inputs of an installer are its manifests", () => {
  test.each<[string, string | readonly string[], Files, readonly string[]]>([
    [
      "npm, whose scripts print",
      "npm ci --foreground-scripts --no-audit --omit dev --loglevel=error",
      NPM,
      ["package-lock.json", "package.json"],
    ],
    [
      "pnpm without scripts",
      "pnpm install --frozen-lockfile --ignore-scripts --reporter=silent",
      PNPM,
      ["package.json", "pnpm-lock.yaml"],
    ],
    ["pnpm, whose lockfile tells of scripts", "pnpm install --frozen-lockfile", PNPM_6, ["package.json", "pnpm-lock.yaml"]],
    [
      "pnpm, with patches",
      "pnpm install --frozen-lockfile --ignore-scripts",
      {
        ...PNPM,
        "pnpm-workspace.yaml":
          "packages:\n  - ./packages/*\npatchedDependencies:\n  a@1.0.0: patches/a.patch\n\n  'b@>1': './tools/patches/b.patch'\nonlyBuiltDependencies: []\n",
        "patches/a.patch": "",
        "tools/patches/b.patch": "",
      },
      ["package.json", "patches/a.patch", "pnpm-lock.yaml", "pnpm-workspace.yaml", "tools/patches/b.patch"],
    ],
    [
      "files that choose tools, of a person and of an environment too",
      "npm ci",
      {
        ...NPM,
        ...{
          ".python-versions": "",
          "mise.local.toml": "",
          ".mise.ci.toml": "",
          ".config/mise.toml": "",
          "mise.ci.local.toml": "",
        },
        ...{ ".config/mise/conf.d/node.toml": "", ".mise/config.toml": "", "mise.lock": "", ".mise/tasks/build": "" },
      },
      [
        ...[".config/mise.toml", ".config/mise/conf.d/node.toml", ".mise.ci.toml", ".mise/config.toml", ".python-versions"],
        ...["mise.ci.local.toml", "mise.local.toml", "mise.lock", "package-lock.json", "package.json"],
      ],
    ],
    [
      "composer, with repositories of hosts",
      "composer install --no-scripts --no-plugins --no-dev",
      {
        ...CODE,
        "composer.json": JSON.stringify({
          repositories: [
            { type: "composer", url: "https://packages.example.com" },
            { type: "vcs", url: "git@github.com:a/b.git" },
            { type: "git", url: "https://example.com/c.git" },
            { "packagist.org": false },
          ],
        }),
        "composer.lock": JSON.stringify({
          packages: [
            {
              name: "a/b",
              source: { type: "git", url: "https://example.com/a.git" },
              dist: { type: "zip", url: "https://e/a.zip" },
            },
            { name: "a/meta", type: "metapackage" },
          ],
        }),
      },
      ["composer.json", "composer.lock"],
    ],
    ["yarn, whose settings forbid scripts", "yarn install --immutable", YARN, [".yarnrc.yml", "package.json", "yarn.lock"]],
    ["yarn without a verb", "yarn --immutable", YARN, [".yarnrc.yml", "package.json", "yarn.lock"]],
    [
      "bun",
      "bun install --frozen-lockfile --ignore-scripts",
      { "package.json": MANIFEST, "bun.lock": "" },
      ["bun.lock", "package.json"],
    ],
    ["a virtual environment", VENV, PIP, ["requirements.txt"]],
    ["a virtual environment and its pip", [VENV, ".venv/bin/pip install -q -r requirements.txt"], PIP, ["requirements.txt"]],
    [
      "its python",
      [VENV, ".venv/bin/python -m pip install --no-input --retries 0 -r requirements.txt"],
      PIP,
      ["requirements.txt"],
    ],
    ["a version of python", ["python3.12 -I -m venv --copies .venv", "pip3.12 install -U pip"], PIP, ["requirements.txt"]],
    [
      "requirements of any name, and constraints",
      "pip install --require-hashes -r deps/dev.txt -c deps/pins",
      { ...CODE, "deps/dev.txt": "a\n", "deps/pins": "a==1\n" },
      ["deps/dev.txt", "deps/pins"],
    ],
    [
      "requirements that lead to others",
      "pip install --target vendor -r requirements/dev.txt",
      {
        ...CODE,
        "requirements/dev.txt": "-r base.txt # all\n-c ../constraints.txt\nb \\\n  --hash=sha256:00\n",
        "requirements/base.txt": "a\n",
        "constraints.txt": "a==1\n",
      },
      ["constraints.txt", "requirements/base.txt", "requirements/dev.txt"],
    ],
    [
      "cargo, with settings of the registry",
      "cargo fetch --locked",
      {
        ...CARGO,
        ".cargo/config.toml": '[registries.corp]\nindex = "sparse+https://r/"\n[net]\nretry = 3\n',
        "crates/b/Cargo.toml": "",
        "build.rs": "",
        "rust-toolchain": "1.80\n",
      },
      [".cargo/config.toml", "Cargo.lock", "Cargo.toml", "build.rs", "crates/b/Cargo.toml", "rust-toolchain"],
    ],
    ["cargo vendor", "cargo vendor --locked third-party", CARGO, ["Cargo.lock", "Cargo.toml"]],
    ["go", "go mod download -x", { ...GO, "go.work": "use ./b\n", "b/go.mod": "" }, ["b/go.mod", "go.mod", "go.sum", "go.work"]],
    [
      "uv",
      "uv sync --frozen --no-install-workspace --no-dev -q",
      { ...CODE, "uv.lock": "", "pyproject.toml": "" },
      ["pyproject.toml", "uv.lock"],
    ],
    [
      "poetry",
      "poetry install --no-root --only main",
      { ...CODE, "poetry.lock": "", "pyproject.toml": "" },
      ["poetry.lock", "pyproject.toml"],
    ],
  ])("%s", (_, commands, files, paths) => {
    expect(inputsOf(commands, files)).toMatchObject({ reach: "files", paths });
  });

  test("of which each takes part with its interpreter", () => {
    expect(
      listPreparePrograms([
        ["python3.12", "-m", "venv", ".venv"],
        ["cargo", "fetch"],
        ["npm", "ci"],
      ]),
    ).toEqual([...["cargo", "node", "npm", "python", "python3", "python3.12", "rustc"]]);
  });
});
