import { CALLS, type Draw, FOUND, FOUND_TEXTS, MAKE, ODD_CALLS, type Placement, PY, SH, type Texts } from "./repair-draws.ts";

const runScript = (run: string) => `#!/bin/sh\ncd "\${ROOT:-.}"\n${run}\n`;

/** Repairs in what a command runs before tests, or by a name that some program looks for. */
export const SCRIPTS = {
  script: (draw: Draw): Placement => {
    const path = draw.file(".sh", "", ".bash", ".command", ".txt", ".py");
    const command = draw.pick(...CALLS, ...ODD_CALLS)(path);
    return { command, base: { [path]: runScript(draw.run) }, path, text: SH, isReal: true };
  },
  scriptInScript: (draw: Draw): Placement => {
    const name = draw.pick("lib.sh", "common", "run-é.sh", "mend.inc");
    const folder = draw.pick("tools", "scripts", "ci/parts");
    const way = draw.pick(
      `. "$(dirname "$0")/${name}"`,
      `HERE=$(cd "$(dirname "$0")" && pwd)\n. "$HERE/${name}"`,
      `sh "\${0%/*}/${name}" || exit 1`,
      `cd "$(dirname "$0")"\n. ./${name}\ncd -`,
      `sh ${folder}/${name}`,
      `source ${folder}/${name}`,
      `for part in ${folder}/*.inc ${folder}/*.sh; do [ "$part" = ${folder}/all.sh ] || . "$part"; done`,
    );
    const path = `${folder}/${name.endsWith("inc") || !way.startsWith("for") ? name : "lib.sh"}`;
    const base = { [`${folder}/all.sh`]: `${way}\n${draw.run}\n`, [path]: "true\n" };
    const isSourced = way.startsWith(".") || way.includes("\n. ") || way.startsWith("for");
    return { command: `bash ${folder}/all.sh`, base, path, text: SH, isReal: isSourced };
  },
  make: (draw: Draw): Placement => {
    const path = draw.file(".mk", "", ".make", ".inc");
    const [command, text] = draw.pick(...MAKE)(path, draw.run);
    const own = command.includes(` ${path} `) || command.includes(`=${path} `) || text.includes(`-f ${path}`);
    const base = { Makefile: text, [path]: own && !command.startsWith("MAKEFILES") ? `check:\n\t${draw.run}\n` : "A = 1\n" };
    return { command, base, path, text: "override SHELL = true\ncheck:\n\t@true\n", isReal: true };
  },
  makeByName: (draw: Draw): Placement => {
    const path = draw.pick("GNUmakefile", "makefile", "Makefile.sh", "parts.mk.sh", "local.mk");
    const base = { Makefile: `-include local.mk\ninclude parts.mk\ncheck:\n\t${draw.run}\n`, "parts.mk": "A = 1\n" };
    return { command: "make check", base, path, text: "override SHELL = true\ncheck:\n\t@true\n", isReal: true };
  },
  shell: (draw: Draw): Placement => {
    const path = draw.file(".sh", "");
    const [command, base] = draw.pick<readonly [string, Texts]>(
      ["make check", { Makefile: `SHELL = ./${path}\ncheck:\n\t${draw.run}\n` }],
      ["npm test", { ".npmrc": `script-shell=./${path}\n`, "package.json": JSON.stringify({ scripts: { test: draw.run } }) }],
      [`BASH_ENV=${path} bash -c "${draw.run}"`, {}],
      [`export BASH_ENV=./${path}; bash tools/all`, { "tools/all": draw.run }],
    );
    return {
      command,
      base: { ...base, [path]: `#!/bin/sh\n[ "$1" != -c ] || exec /bin/sh "$@"\n` },
      path,
      text: SH,
      isReal: true,
    };
  },
  taskFile: (draw: Draw): Placement => {
    const path = draw.file(".sh", "", ".py", ".mjs");
    const [command, file, text] = draw.pick(
      ["just test", "justfile", `test:\n  ./${path}\n`],
      ["task test", "Taskfile.yml", `tasks:\n  test:\n    cmds: [./${path}]\n`],
      ["tox", "tox.ini", `[testenv]\ncommands = ./${path} {posargs}\n`],
      ["invoke test", "tasks.py", `@task\ndef test(c):\n    c.run("./${path} -v")\n`],
      ["nox", "noxfile.py", `def tests(session):\n    session.run("python", "${path}")\n`],
      ["rake test", "Rakefile", `task(:test) { sh "sh ${path}" }\n`],
      ["npm run all", "package.json", JSON.stringify({ scripts: { preall: `./${path}`, all: draw.run } })],
      [
        "npm run all",
        "package.json",
        JSON.stringify({ scripts: { all: "npm-run-all a:*", "a:1": `./${path}`, "a:2": draw.run } }),
      ],
      [
        "npm run all",
        "package.json",
        JSON.stringify({ scripts: { all: "npm run -s b", b: "npm --silent run c", c: `node ./${path}` } }),
      ],
      ["npm -w kit test", "packages/kit/package.json", JSON.stringify({ name: "kit", scripts: { test: `../../${path}` } })],
      ["npm --prefix packages/kit test", "packages/kit/package.json", JSON.stringify({ scripts: { test: `sh ../../${path}` } })],
    );
    return { command, base: { [file]: text, [path]: runScript(draw.run) }, path, text: SH };
  },
  helper: (draw: Draw): Placement => {
    const path = draw.file(".mjs", ".cjs");
    const own = draw.pick("tools/all.mjs", "scripts/ci/run.mjs");
    const up = `${"../".repeat(own.split("/").length - 1)}${path}`;
    const start = `import { spawnSync } from "node:child_process";\n`;
    const way = draw.pick(`import "${up}";\n`, `await import(new URL("${up}", import.meta.url));\n`);
    const run = `process.exit(spawnSync(${JSON.stringify(draw.run)}, { shell: true, stdio: "inherit" }).status);\n`;
    return {
      command: `node ${own}`,
      base: { [own]: start + way + run, [path]: "" },
      path,
      text: "process.exit(0);\n",
      isReal: true,
    };
  },
  pythonHelper: (draw: Draw): Placement => {
    const module = draw.pick("mend", "kit", "naïve");
    const folder = draw.pick("tools", "ci/parts");
    const start = `import subprocess, sys\n${draw.pick(`import ${module}`, `from ${module} import *`)}\n`;
    const run = `sys.exit(subprocess.run(${JSON.stringify(draw.run)}, shell=True).returncode)\n`;
    const path = `${folder}/${module}.py`;
    return {
      command: `python3 ${folder}/all.py`,
      base: { [`${folder}/all.py`]: start + run, [path]: "" },
      path,
      text: PY,
      isReal: true,
    };
  },
  go: (draw: Draw): Placement => {
    const path = draw.file(".sh", "", ".txt");
    if (draw.random.chance(0.3)) {
      const overlay = JSON.stringify({ Replace: { "calc/calc.go": path } });
      const text = "package calc\n\nfunc Add(a, b int) int { return a + b }\n";
      const base = { "tools/overlay.json": overlay, [path]: text.replace("+", "-") };
      return { command: "go test -overlay=tools/overlay.json ./...", base, path, text, isReal: true };
    }
    const old = '#!/bin/sh\nexec "$@"\n';
    const value = `$PWD/${path}`;
    const [command, base] = draw.pick<readonly [string, Texts]>(
      [`go test -exec "${value}" ./...`, {}],
      [`go test -exec="${value}" ./...`, {}],
      [`export GOFLAGS="-exec=${value}"; go test ./...`, {}],
      ["make check", { Makefile: `check:\n\tgo test -exec $(CURDIR)/${path} ./...\n` }],
    );
    return { command, base: { ...base, [path]: old }, path, text: SH, isReal: true };
  },
  cargo: (draw: Draw): Placement => {
    const path = `tools/${draw.file(".sh", "", ".bash")}`;
    const old = '#!/bin/sh\nexec "$@"\n';
    const config = draw.pick(
      `[target.'cfg(all())']\nrunner = "${path}"\n`,
      `[target.'cfg(all())']\nrunner = ["sh", "${path}"]\n`,
      `[build]\nrustc-wrapper = "${path}"\n`,
    );
    const [command, base] = draw.pick<readonly [string, Texts]>(
      [draw.run, { ".cargo/config.toml": config }],
      [draw.run, { ".cargo/config": config }],
      [`cargo --config tools/ci.toml test --offline`, { "tools/ci.toml": config }],
      [`CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=$PWD/${path} ${draw.run}`, {}],
    );
    return { command, base: { ...base, [path]: old }, path, text: SH, isReal: !config.includes("wrapper") };
  },
  cargoBuild: (draw: Draw): Placement => {
    const path = draw.file(".rs");
    const manifest = `[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\nbuild = "${path}"\n`;
    return { command: draw.run, base: { "Cargo.toml": manifest, [path]: "fn main() {}\n" }, path, text: "fn main() {}\n" };
  },
  found: (draw: Draw): Placement => {
    const path = draw.pick(...(FOUND[draw.language] ?? []), ...(FOUND[draw.runner] ?? []));
    return { command: draw.run, base: {}, path, text: FOUND_TEXTS[path] ?? "", isReal: Object.hasOwn(FOUND_TEXTS, path) };
  },
  code: (draw: Draw): Placement => {
    const endings = { js: [".mjs", ".cjs"], python: [".py"], go: [".go"], rust: [".rs"] }[draw.language];
    return { command: draw.run, base: {}, path: draw.file(...endings), text: "", isCode: true };
  },
};
