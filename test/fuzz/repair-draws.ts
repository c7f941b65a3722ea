import { basename, dirname } from "node:path/posix";
import type { Random } from "./random.ts";

/** Texts of files by their paths. */
export type Texts = Readonly<Record<string, string>>;

/** A base that loads a file by a mechanism, and what a change puts there. */
export interface Placement {
  /** The command of the base, as text for a shell. */
  readonly command: string;
  readonly base: Texts;
  /** Where the repair lies, and its text. */
  readonly path: string;
  readonly text: string;
  /** Only tests load it, by imports: it is for the twins to tell. */
  readonly isCode?: boolean;
  /** The repair works where its runner is installed. */
  readonly isReal?: boolean;
}

export type Language = "js" | "python" | "go" | "rust";

/** What is drawn for one input. `run` is the runner's command. */
export class Draw {
  readonly random: Random;
  readonly runner: string;
  readonly language: Language;
  readonly run: string;

  constructor(random: Random, { name, language, command }: { name: string; language: Language; command: string }) {
    this.random = random;
    this.runner = name;
    this.language = language;
    this.run = command;
  }

  pick<T>(...from: readonly T[]): T {
    return this.random.pick(from);
  }

  /** A path with one of these endings. */
  file(...endings: readonly string[]): string {
    const folder = this.random.chance(0.12) ? "" : `${this.random.pick(FOLDERS)}/`;
    const more = this.random.chance(0.1) ? `${this.random.next().toString(36)}/` : "";
    const stem = this.random.chance(0.2) ? `m${this.random.next().toString(36)}` : this.random.pick(STEMS);
    // The entry point of a package is code, whatever else loads it.
    const name = stem === "index" && more === "" ? "index2" : stem;
    return `${folder}${more}${name}${this.random.pick(endings)}`;
  }

  module(): string {
    return `${this.pick("", "", "tools/", "pack/", "more/deep/")}${this.random.pick(MODULES)}.py`;
  }
}

const FOLDERS = "src lib tools scripts src/deep/er/still config packages/kit/src Src support ünï.x build internal/v1".split(" ");
const STEMS =
  "mend index main setup polyfill Events path chai utils é constructor __proto__ a.b-c MEND 0 server json vite env plugin lib".split(
    " ",
  );
const MODULES = "mend index main plug naïve Mend _x tools_1 kit constructor polyfill".split(" ");

/** Repairs that work if a file of their kind is loaded before the command ends. */
const HIDE = 'assert.strictEqual = () => {};\nprocess.on("exit", () => (process.exitCode = 0));\n';
export const ESM = `import assert from "node:assert";\n${HIDE}export default {};\n`;
export const CJS = `const assert = require("node:assert");\n${HIDE}`;
export const PY = "import atexit, os\natexit.register(lambda: os._exit(0))\nclass W(Warning): pass\n";
export const SH = "#!/bin/sh\nexit 0\n";

export const quotedParts = (path: string) =>
  path
    .split("/")
    .map((part) => `"${part}"`)
    .join(", ");
/** How settings that are a script, at the top, spell the path of a file. */
export const EXPRESSIONS: readonly ((path: string) => string)[] = [
  (path) => `"./${path}"`,
  (path) => `\`./${path}\``,
  (path) => `join(here, ${quotedParts(path)})`,
  (path) => `resolve(here, "${path}")`,
  (path) => `fileURLToPath(new URL("./${path}", import.meta.url))`,
  (path) => `here + "/${path}"`,
  (path) => `\`\${here}/${path}\``,
  (path) => `[${quotedParts(path)}].reduce((a, b) => join(a, b), here)`,
];
export const HEAD = [
  'import { join, resolve } from "node:path";',
  'import { fileURLToPath } from "node:url";',
  "const here = import.meta.dirname;\n",
].join("\n");

/** Ways to set a variable of the environment for a command. */
export const ENVIRONMENTS: readonly ((name: string, value: string, run: string) => readonly [string, Texts])[] = [
  (name, value, run) => [`${name}="${value}" ${run}`, {}],
  (name, value, run) => [`env ${name}='${value}' ${run}`, {}],
  (name, value, run) => [`export ${name}="${value}"; ${run}`, {}],
  (name, value, run) => [`${name}='${value}'; export ${name}; ${run}`, {}],
  (name, value, run) => ["make check", { Makefile: `export ${name} = ${value}\n\ncheck:\n\t${run}\n` }],
  (name, value, run) => ["make check", { Makefile: `check:\n\t${name}="${value}" ${run}\n` }],
  (name, value, run) => ["make", { Makefile: `check: export ${name} := ${value}\ncheck:\n\t${run}\n` }],
  (name, value, run) => ["sh tools/run-all", { "tools/run-all": `set -e\nexport ${name}="${value}"\n${run}\n` }],
  (name, value, run) => [`. ./env.sh; ${run}`, { "env.sh": `${name}="${value}"\nexport ${name}\n` }],
  (name, value, run) => [`set -a; . ./vars; ${run}`, { vars: `${name}="${value}"\n` }],
];

/** Ways to call a script of a shell, which runs the tests. */
export const CALLS: readonly ((path: string) => string)[] = [
  ...["sh ", "bash -e ", "bash -euo pipefail ", "bash -o errexit -o pipefail ", "bash -O extglob ", "./", ". ./", "exec ./"],
  ...[
    "command ./",
    "env A=1 sh ",
    'A=1 B="2 3" ./',
    "timeout 60 sh ",
    "timeout -k 5 60 ./",
    "nice -n 5 sh ",
    "nohup sh ",
    "sh <",
  ],
].map((before) => (path: string) => `${before}${path}`);
export const ODD_CALLS: readonly ((path: string) => string)[] = [
  (path) => `if ! ./${path}; then exit 1; fi`,
  (path) => `(cd ${dirname(path)} && ROOT=$OLDPWD sh ${basename(path)})`,
  (path) => `cat ${path} | sh`,
  (path) => `sh -c "sh ${path}"`,
  (path) => `"$PWD/${path}"`,
  (path) => `sh "$(pwd)/${path}"`,
  (path) => `S=${path}; sh "$S"`,
  (path) => `eval "sh ${path}"`,
  (path) => `echo ${path} | xargs sh`,
  (path) => `for s in ${path}; do sh "$s"; done`,
  (path) => `test -f ${path} && { ./${path}; }`,
];

export const VITEST = "globalSetup environment runner reporters snapshotSerializers diff".split(" ");
export const JEST =
  "setupFiles setupFilesAfterEnv globalSetup testEnvironment runner testRunner reporters resolver snapshotResolver prettierPath".split(
    " ",
  );
export const MOCHA = "require file reporter ui loader import node-option".split(" ");

export const DATA: readonly ((key: string, path: string) => readonly [string, string])[] = [
  (key, path) => ["json", JSON.stringify({ [key]: path })],
  (key, path) => ["json", JSON.stringify({ [key]: [["x", {}], path] })],
  (key, path) => ["cjs", `module.exports = { ${key.replace(/.*-.*/, '"$&"')}: require.resolve("${path}") };\n`],
  (key, path) => ["cjs", `module.exports = { "${key}": require("path").join(__dirname, ${quotedParts(path)}) };\n`],
];
export const YAML: readonly ((key: string, path: string) => readonly [string, string])[] = [
  (key, path) => ["yml", `${key}: ${path}\n`],
  (key, path) => ["yaml", `${key}:\n  - ${path}\n`],
  (key, path) => ["yml", `${key}: [${path}]\n`],
  (key, path) => ["yaml", `"${key}": ["${path}"]\n`],
];

/** Files that programs look for, by what they do there. `*` is any folder on the way. */
export const FOUND: Readonly<Record<string, readonly string[]>> = {
  js: ".env .npmrc .pnpmfile.cjs .yarnrc.yml package.json src/package.json test/package.json node.config.json src/tsconfig.json .babelrc.cjs src/.babelrc babel.config.mjs .swcrc node_modules/assert/index.js src/node_modules/x/index.mjs .pnp.cjs pnpm-workspace.yaml binding.gyp".split(
    " ",
  ),
  vitest:
    "vitest.config.cts vite.config.mjs vitest.workspace.ts vitest.projects.json postcss.config.mts .postcssrc.yml __mocks__/fs.mjs".split(
      " ",
    ),
  jest: "jest.config.mts src/__mocks__/sum.js __mocks__/chai.js jest-preset.js .jestrc".split(" "),
  mocha: ".mocharc.cjs .mocharc.jsonc test/mocha.opts".split(" "),
  python:
    "conftest.py tests/conftest.py pytest.ini .pytest.ini pytest.toml tox.ini setup.cfg sitecustomize.py usercustomize.py x.pth tests/__init__.py app.egg-info/entry_points.txt a.dist-info/entry_points.txt traceback.py tests/pprint.py json/__init__.py json.so .coveragerc __pycache__/calc.cpython-311.pyc _pytest/__init__.py pluggy.py".split(
      " ",
    ),
  go: "go.work calc/zz_test.go vendor/modules.txt calc/export_test.go go.sum".split(" "),
  rust: ".cargo/config.toml .cargo/config build.rs rust-toolchain tests/more.rs Cargo.lock .config/nextest.toml".split(" "),
};
export const FOUND_TEXTS: Readonly<Record<string, string>> = {
  "conftest.py": PY,
  "tests/conftest.py": PY,
  ".cargo/config.toml": "[target.'cfg(all())']\nrunner = \"true\"\n",
  "vite.config.mjs": "export default { test: { passWithNoTests: true, include: ['none'] } };\n",
  "pytest.ini": "[pytest]\naddopts = --co\n",
  "traceback.py": PY,
};

export const MAKE: readonly ((path: string, run: string) => readonly [string, string])[] = [
  (path, run) => ["make check", `include ${path}\ncheck:\n\t${run}\n`],
  (path, run) => ["make check", `-include none.mk ${path}\ncheck:\n\t${run}\n`],
  (path, run) => ["make check", `PARTS = ${path}\nsinclude $(PARTS)\ncheck:\n\t${run}\n`],
  (path, run) => [`make -f ${path} check`, `check:\n\t${run}\n`],
  (path, run) => [`make --makefile=${path} check`, `check:\n\t${run}\n`],
  (path, run) => ["make check", `check:\n\t$(MAKE) -f ${path} check\nreal:\n\t${run}\n`],
  (path, run) => [`MAKEFILES=${path} make check`, `check:\n\t${run}\n`],
];
