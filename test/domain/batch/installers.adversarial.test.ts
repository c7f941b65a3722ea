import { describe, expect, test } from "vitest";
import { CARGO, type Files, GO, inputsOf, LOCK, NPM, PIP, PNPM, PNPM_6, VENV, YARN } from "./installer-samples.ts";

const PRISMA = "  /prisma@5.0.0:\n    requiresBuild: true\n";

const COMPOSER = "composer install --no-scripts --no-plugins";
const PNPM_PLAIN = "pnpm install --frozen-lockfile --ignore-scripts";

function repositories(value: unknown): Files {
  return { "composer.json": JSON.stringify({ repositories: value }), "composer.lock": "{}" };
}

function locked(dependency: unknown): Files {
  return { "composer.json": "{}", "composer.lock": JSON.stringify({ "packages-dev": [dependency] }) };
}

describe("the inputs are the whole tree if an installer may read or run anything else", () => {
  const manifest = (more: object) => ({ ...NPM, "package.json": JSON.stringify({ dependencies: { a: "1" }, ...more }) });
  test.each<[string, string | readonly string[], Files, RegExp]>([
    ["npm: a prepare script", "npm ci --foreground-scripts", manifest({ scripts: { prepare: "x" } }), /script "prepare"/],
    [
      "npm: a postinstall script of a workspace",
      "npm ci",
      { ...NPM, "b/package.json": '{"scripts": {"postinstall": "x"}}' },
      /b\/package.json has a script/,
    ],
    ["npm: a linked folder", "npm ci", manifest({ dependencies: { a: "link:../a" } }), /names a folder/],
    ["npm: a folder without a scheme", "npm ci", manifest({ dependencies: { a: "./a" } }), /names a folder/],
    [
      "npm: an archive in the lockfile",
      "npm ci",
      { ...NPM, "package-lock.json": LOCK.replace("https://r", "file:r") },
      /names an archive/,
    ],
    [
      "npm: an archive in the lockfile, in capitals",
      "npm ci",
      { ...NPM, "package-lock.json": LOCK.replace("https://r", "FILE:r") },
      /names an archive/,
    ],
    ["npm: the programs of a workspace", "npm ci", { ...NPM, "b/package.json": '{"bin": "b.js"}' }, /programs/],
    ["npm: a shell of the repository", "npm ci", { ...NPM, ".npmrc": "script-shell=./sh\n" }, /\.npmrc/],
    ["npm: a folder that begins with a point", "npm ci", manifest({ dependencies: { a: ".vendor/a" } }), /names a folder/],
    ["npm: an archive by its name", "npm ci", manifest({ dependencies: { a: "a.tgz" } }), /names a folder/],
    ["npm: a git of the repository", "npm ci", { ...NPM, ".npmrc": "git=./tools/git\n" }, /\.npmrc/],
    ["npm: a cache of the repository", "npm ci", { ...NPM, ".npmrc": "registry=https://r\ncache = cache\n" }, /\.npmrc/],
    ["npm: another folder", "npm ci --prefix web", NPM, /may read any file/],
    ["npm: settings of the repository", "npm ci --userconfig=ci/npmrc", NPM, /may read any file/],
    ["npm: a package by its path", "npm install ./a", NPM, /may read any file/],
    ["npm: linked workspaces", "npm ci --install-strategy=linked", NPM, /may read any file/],
    ["pnpm: a lockfile that does not tell of scripts", "pnpm install --frozen-lockfile", PNPM, /does not say/],
    [
      "pnpm: a package with a script",
      "pnpm install --frozen-lockfile",
      { ...PNPM_6, "pnpm-lock.yaml": `${PNPM_6["pnpm-lock.yaml"]}${PRISMA}` },
      /install script/,
    ],
    [
      "pnpm: a lockfile of a member",
      "pnpm install --frozen-lockfile",
      { ...PNPM_6, "b/pnpm-lock.yaml": "lockfileVersion: '9.0'\n" },
      /b\/pnpm-lock.yaml/,
    ],
    ["pnpm: a hook", "pnpm install --frozen-lockfile", { ...PNPM_6, ".pnpmfile.cjs": "" }, /is a program/],
    [
      "pnpm: a folder as a package",
      "pnpm install --frozen-lockfile",
      { ...PNPM_6, "pnpm-lock.yaml": `${PNPM_6["pnpm-lock.yaml"]}resolution: {directory: ../a, type: directory}\n` },
      /names a folder/,
    ],
    [
      "pnpm: a patch of another folder",
      PNPM_PLAIN,
      { ...PNPM, "pnpm-workspace.yaml": "patchedDependencies:\n  a@1.3.0: fixes/a.patch\n" },
      /pnpm-workspace.yaml names a patch/,
    ],
    [
      "pnpm: a patch of another folder among others",
      PNPM_PLAIN,
      {
        ...PNPM,
        "pnpm-workspace.yaml": "patchedDependencies:\n  a: patches/a.patch\n  # b\n\n  'b@>1': \"patches/../b.patch\"\n",
      },
      /pnpm-workspace.yaml names a patch/,
    ],
    [
      "pnpm: patches in braces",
      PNPM_PLAIN,
      { ...PNPM, "pnpm-workspace.yaml": "patchedDependencies: {a: fixes/a.patch}\n" },
      /pnpm-workspace.yaml names a patch/,
    ],
    [
      "pnpm: a patch in a manifest",
      PNPM_PLAIN,
      { ...PNPM, "package.json": '{"pnpm": {"patchedDependencies": {"a@1": "fixes/a.patch"}}}' },
      /package.json names a patch/,
    ],
    ["pnpm: a program in settings", PNPM_PLAIN, { ...PNPM, "pnpm-workspace.yaml": "pnpmfile: hooks.cjs\n" }, /names a folder/],
    ["pnpm: a program in .npmrc", PNPM_PLAIN, { ...PNPM, ".npmrc": "pnpmfile=hooks.cjs\n" }, /names a folder/],
    [
      "pnpm: a folder in place of a package",
      PNPM_PLAIN,
      { ...PNPM, "pnpm-workspace.yaml": "overrides:\n  a: ../a\n" },
      /names a folder/,
    ],
    [
      "bun: a patch of another folder",
      "bun install --ignore-scripts",
      { "package.json": '{"patchedDependencies": {"a@1": "fixes/a.patch"}}', "bun.lock": "" },
      /package.json names a patch/,
    ],
    ["mise: a hook of this machine", "npm ci", { ...NPM, "mise.local.toml": "[hooks]\nenter = 'x'\n" }, /mise.local.toml names/],
    ["mise: a file that is run", "npm ci", { ...NPM, "mise.toml": "[env._]\nsource = 'x.sh'\n" }, /mise.toml names/],
    [
      "asdf: a folder for a version",
      "npm ci",
      { ...NPM, ".tool-versions": "nodejs path:./node\n" },
      /.tool-versions names a folder/,
    ],
    ["pnpm: another folder", "pnpm install --frozen-lockfile --dir web", PNPM_6, /may read any file/],
    ["yarn: scripts that run", "yarn install --immutable", { ...YARN, ".yarnrc.yml": "enableScripts: true\n" }, /enableScripts/],
    [
      "yarn: settings of a member alone",
      "yarn install --immutable",
      { ...YARN, ".yarnrc.yml": "", "b/.yarnrc.yml": "enableScripts: false\n" },
      /enableScripts/,
    ],
    ["yarn 1", "yarn install --immutable", { ...YARN, "yarn.lock": "# yarn lockfile v1\n" }, /enableScripts/],
    [
      "yarn: one package that is built",
      "yarn install --immutable",
      { ...YARN, "package.json": '{"dependenciesMeta": {"a": {"built": true}}}' },
      /install script/,
    ],
    [
      "yarn: a plugin",
      "yarn install --immutable",
      { ...YARN, ".yarnrc.yml": "enableScripts: false\nplugins:\n  - ./x.cjs\n" },
      /\.yarnrc\.yml/,
    ],
    [
      "yarn: a script of its own",
      "yarn install --immutable",
      { ...YARN, "package.json": '{"scripts": {"postinstall": "x"}}' },
      /postinstall/,
    ],
    ["pip: an editable install", "python3 -m pip install -e .", PIP, /may read any file/],
    ["pip: the repository", "python3 -m pip install .", PIP, /may read any file/],
    ["pip: an archive", "pip install a.whl", PIP, /may read any file/],
    ["pip: a folder of archives", "pip install --find-links wheels -r requirements.txt", PIP, /may read any file/],
    ["pip: an index in the repository", "pip install --index-url file:index -r requirements.txt", PIP, /may read any file/],
    ["pip: requirements outside", "pip install -r ../requirements.txt", PIP, /may read any file/],
    ["pip: requirements that are made before", "pip install -r made.txt", PIP, /made.txt, which the commit does not have/],
    [
      "pip: nested requirements of another name",
      "pip install -r requirements.txt",
      { ...PIP, "requirements.txt": "-r deps.txt\n", "deps.txt": "" },
      /more than packages/,
    ],
    [
      "pip: nested requirements outside",
      "pip install -r requirements.txt",
      { ...PIP, "requirements.txt": "-r ../requirements.txt\n" },
      /more than packages/,
    ],
    [
      "pip: an editable line",
      "pip install -r requirements.txt",
      { ...PIP, "requirements.txt": "a\n-e .\n" },
      /more than packages/,
    ],
    [
      "pip: an editable line after a requirement",
      "pip install -r requirements.txt",
      { ...PIP, "requirements.txt": "a==1 -e .\n" },
      /more than packages/,
    ],
    [
      "pip: a line in two",
      "pip install -r requirements.txt",
      { ...PIP, "requirements.txt": "a.wh\\\nl\n" },
      /more than packages/,
    ],
    [
      "pip: an archive in a line",
      "pip install -r requirements.txt",
      { ...PIP, "requirements.txt": "a-1.0.tar.gz\n" },
      /more than packages/,
    ],
    [
      "pip: a package by its address",
      "pip install -r requirements.txt",
      { ...PIP, "requirements.txt": "a @ file:///work/a\n" },
      /more than packages/,
    ],
    [
      "pip: nested, further down",
      "pip install -r requirements.txt",
      { ...PIP, "requirements.txt": "-r requirements/b.txt\n", "requirements/b.txt": "./c\n" },
      /requirements\/b.txt names more/,
    ],
    ["pip: a target with files", "pip install --target app -r requirements.txt", PIP, /finds app\/__init__.py/],
    ["python: a module that comes before its own", VENV, { ...PIP, "logging.py": "" }, /may load logging.py/],
    [
      "python: a package that comes before its own",
      "python3 -m pip install -r requirements.txt",
      { ...PIP, "requests/__init__.py": "" },
      /may load requests/,
    ],
    ["python: a link that may be a module", VENV, { ...PIP, ssl: "link" }, /may load ssl/],
    ["python: a private module", VENV, { ...PIP, "_manylinux.py": "" }, /may load _manylinux/],
    ["python: another module", "python3 -m build", PIP, /may read any file/],
    ["python: a script", "python3 setup.py develop", PIP, /may read any file/],
    ["python: a program", "python3 -c pass -m venv .venv", PIP, /may read any file/],
    ["venv: a folder of the commit", "python3 -m venv app", PIP, /finds app\/__init__.py/],
    ["venv: a folder below a file", "python3 -m venv README.md/x", PIP, /finds README.md/],
    ["venv: the checkout", "python3 -m venv .", PIP, /may read any file/],
    ["venv: a pip of the commit", ".venv/bin/pip install a", { ...PIP, ".venv/bin/pip": "" }, /may read any file/],
    [
      "cargo: a dependency by its path",
      "cargo fetch",
      { ...CARGO, "Cargo.toml": '[dependencies]\na = {path="../a"}\n' },
      /names a folder/,
    ],
    [
      "cargo: a path as a dotted key",
      "cargo fetch",
      { ...CARGO, "b/Cargo.toml": 'dependencies.a.path = "a"\n' },
      /names a folder/,
    ],
    [
      "cargo: a hidden path",
      "cargo fetch",
      { ...CARGO, "Cargo.toml": '[dependencies]\na = {"p\\u0061th" = "../a"}\n' },
      /in escapes/,
    ],
    ["cargo: a build script", "cargo fetch", { ...CARGO, "Cargo.toml": '[package]\nbuild = "make.rs"\n' }, /build script/],
    [
      "cargo: vendored sources",
      "cargo fetch",
      { ...CARGO, ".cargo/config.toml": '[source.v]\ndirectory = "vendor"\n' },
      /\.cargo\/config.toml/,
    ],
    [
      "cargo: a compiler of the repository",
      "cargo fetch",
      { ...CARGO, ".cargo/config": '[build]\nrustc-wrapper = "./rustc"\n' },
      /\.cargo\/config may name/,
    ],
    [
      "cargo: a toolchain in a folder",
      "cargo fetch",
      { ...CARGO, "rust-toolchain": '[toolchain]\npath = "t"\n' },
      /rust-toolchain names/,
    ],
    ["cargo: a build", "cargo build", CARGO, /may read any file/],
    ["cargo: another manifest", "cargo fetch --manifest-path=b/Cargo.toml", CARGO, /may read any file/],
    ["cargo: settings by an option", "cargo fetch --config x.toml", CARGO, /may read any file/],
    ["cargo: crates that are committed", "cargo vendor", { ...CARGO, "vendor/a/Cargo.toml": "" }, /finds vendor/],
    ["go: a replacement", "go mod download", { ...GO, "go.mod": "module m\nreplace a => ./a\n" }, /go.mod names a folder/],
    [
      "go: a replacement outside",
      "go mod download",
      { ...GO, "go.work": "replace (\n\ta v1 => ../a\n)\n" },
      /go.work names a folder/,
    ],
    ["go: vendoring, which reads all imports", "go mod vendor", GO, /may read any file/],
    ["go: a module by its name", "go mod download a@latest", GO, /may read any file/],
    ["go: another manifest", "go mod download -modfile=x.mod", GO, /may read any file/],
    ["uv: the project itself", "uv sync --frozen", { "uv.lock": "" }, /may read any file/],
    ["composer: a folder as a package", COMPOSER, repositories([{ type: "path", url: "packages/foo" }]), /composer.json names/],
    [
      "composer: a folder by its name",
      COMPOSER,
      repositories({ foo: { type: "path", url: "packages/foo" } }),
      /composer.json names/,
    ],
    ["composer: archives", COMPOSER, repositories([{ type: "artifact", url: "zips" }]), /composer.json names/],
    ["composer: a package described there", COMPOSER, repositories([{ type: "package", package: {} }]), /composer.json names/],
    ["composer: a clone of a folder", COMPOSER, repositories([{ type: "vcs", url: "../foo" }]), /composer.json names/],
    ["composer: an index in a file", COMPOSER, repositories([{ type: "composer", url: "file://index" }]), /composer.json names/],
    ["composer: a locked folder", COMPOSER, locked({ dist: { type: "path", url: "foo" } }), /composer.lock names/],
    ["composer: a locked archive", COMPOSER, locked({ dist: { type: "zip", url: "zips/b.zip" } }), /composer.lock names/],
    ["composer: no JSON", COMPOSER, { "composer.json": "{" }, /composer.json is not valid JSON/],
    [
      "composer: a class map by a setting",
      COMPOSER,
      { "composer.json": '{"config": {"optimize-autoloader": true}}' },
      /composer.json names/,
    ],
    ["composer: a class map", "composer install --no-scripts --no-plugins -o", { "composer.json": "{}" }, /may read any file/],
  ])("%s", (_, commands, files, why) => {
    const found = inputsOf(commands, files);
    expect(found).toMatchObject({ reach: "tree", why: expect.stringMatching(why) });
  });
});
