import { existsSync } from "node:fs";
import { HONEST, type Stage } from "../../e2e/stage.ts";
import type { Attack } from "../suite.ts";
import { attack, BACKWARDS, keptIn } from "./attacks.ts";
import { DEFENCES } from "./defences.ts";

const env = { TOKEN: "{secret:corp}" };
const merged = [{ step: "merge" }];
/** An agent that puts this text in the place of a script that prepare runs, and so has it run on its candidate. */
const rewrites = (file: string, text: string) => `${HONEST} fs.writeFileSync("${file}", ${JSON.stringify(`${text}\n`)});`;
/** A finish line whose last command runs outside the sandbox. */
const outside = [...merged, { step: "verify", name: "live", command: ["sh", "{batch}/verify.sh"], sandbox: "off" }];
const prepared = { app: { path: "app", prepare: [["sh", "install.sh"]] } };
/** Shell that makes a program which git starts, and sets it in a configuration. */
const monitored = (program: string, config: string, text: string) =>
  `printf '${text.replaceAll("\n", "\\n")}' >${program}; chmod +x ${program}; git config -f ${config} core.fsmonitor "$PWD/${program}"`;

const hasEscaped = ({ stage }: { readonly stage: Stage }) => existsSync(stage.path("escaped"));

/** What rustup's stand-ins do for `cargo`: they run the toolchain that they are told, or else the one of a file in the folder. */
const RUSTUP = `#!/bin/sh
[ -z "$RUSTUP_TOOLCHAIN" ] || { echo "toolchain '$RUSTUP_TOOLCHAIN' is not installed" >&2; exit 1; }
exec "$(sed -n 's/^path = "\\(.*\\)"/\\1/p' rust-toolchain.toml)/bin/cargo" "$@"
`;

/** Attacks by settings that git and version managers read, on a secret of `prepare` or to leave the sandbox. */
export const BY_GIT: readonly Attack[] = [
  attack({
    id: "X15-git",
    what: "an install script of a change sets a program that git starts, and the next prepare command, with a secret, asks git",
    defence: DEFENCES.gitFolder,
    set: ({ stage }) => {
      stage.repo("app", { "install.sh": "exit 0\n", ".gitignore": "model\n", "check.sh": "cat model\n" });
      stage.write("fetch.sh", "git status --porcelain >/dev/null; exit 0\n");
      const started = `#!/bin/sh\n[ -z "$TOKEN" ] || echo "$TOKEN" ${BACKWARDS} >model\n`;
      const setsIt = `printf '${started.replaceAll("\n", "\\n")}' >.git/m.sh; chmod +x .git/m.sh; git config core.fsmonitor .git/m.sh`;
      stage.agent(rewrites("install.sh", setsIt));
      return {
        repos: { app: { path: "app", prepare: [["sh", "install.sh"], { command: ["sh", "{batch}/fetch.sh"], env }] } },
        finish: [{ step: "check", name: "tests", command: ["sh", "check.sh"], canary: "off" }, ...merged],
      };
    },
    harm: keptIn,
  }),
  attack({
    id: "X15-outside",
    what: "an install script of a change sets a program that git starts, and a verification outside the sandbox asks git",
    defence: DEFENCES.gitFolder,
    set: ({ stage }) => {
      stage.repo("app", { "install.sh": "exit 0\n" });
      stage.write("verify.sh", "git status --porcelain >/dev/null; exit 0\n");
      const started = `#!/bin/sh\necho out >${stage.path("escaped")}\n`;
      const setsIt = `printf '${started.replaceAll("\n", "\\n")}' >.git/m.sh; chmod +x .git/m.sh; git config core.fsmonitor .git/m.sh`;
      stage.agent(rewrites("install.sh", setsIt));
      const verify = { step: "verify", name: "live", command: ["sh", "{batch}/verify.sh"], sandbox: "off" };
      return { repos: { app: { path: "app", prepare: [["sh", "install.sh"]] } }, finish: [...merged, verify] };
    },
    harm: hasEscaped,
  }),
  attack({
    id: "X15-copy",
    what: "an install script of a change poisons the copy from which the git folder is put back, for a verification outside",
    defence: DEFENCES.gitCopy,
    set: ({ stage }) => {
      stage.repo("app", { "install.sh": "exit 0\n" });
      stage.write("verify.sh", "git status --porcelain >/dev/null; exit 0\n");
      const hook = `#!/bin/sh\necho out >${stage.path("escaped")}\n`.replaceAll("\n", "\\n");
      // The program lies where the copy will be put, and the folder itself has changed.
      const poison = `[ ! -d .git-as-made ] || { printf '${hook}' >.git-as-made/m.sh; chmod +x .git-as-made/m.sh; git config -f .git-as-made/config alias.status '!sh .git/m.sh'; git config -f .git-as-made/config filter.own.clean 'sh .git/m.sh'; mkdir -p .git-as-made/info; echo '* filter=own' >.git-as-made/info/attributes; echo x >.git/changed; touch -d 2001-01-01 *; }`;
      stage.agent(rewrites("install.sh", poison));
      return { repos: prepared, finish: outside };
    },
    harm: hasEscaped,
  }),
  attack({
    id: "X15-submodule",
    what: "an install script of a change makes the repository of a submodule, and a verification outside asks git of all",
    defence: DEFENCES.nestedGit,
    set: ({ stage }) => {
      stage.repo("app", { "install.sh": "exit 0\n" });
      stage.git("app", "update-index", "--add", "--cacheinfo", `160000,${stage.git("app", "rev-parse", "HEAD")},sub`);
      stage.git("app", "commit", "-q", "-m", "a submodule");
      stage.write("verify.sh", "git status --porcelain >/dev/null; exit 0\n");
      const own = "git init -q; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x";
      const sets = monitored(".git/m.sh", ".git/config", `#!/bin/sh\necho out >${stage.path("escaped")}\n`);
      stage.agent(rewrites("install.sh", `[ ! -d .git ] || { mkdir -p sub; cd sub; ${own}; ${sets.replace("$PWD/", "")}; }`));
      return { repos: prepared, finish: outside };
    },
    harm: hasEscaped,
  }),
  attack({
    id: "X15-bare",
    what: "a landed change gives a folder the form of a repository, and a verification outside asks git there",
    defence: DEFENCES.carefulGit,
    set: ({ stage }) => {
      stage.repo("app", { "pkg/a.txt": "a\n" });
      stage.write("verify.sh", "cd pkg; git status --porcelain . >/dev/null; exit 0\n");
      const config = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ${stage.path("escaped")}; false"\n`;
      const files = { "objects/x": "x", "refs/x": "", HEAD: "ref: refs/heads/main\n", config };
      const writes = Object.entries(files).map(([name, text]) => `fs.writeFileSync("pkg/${name}", ${JSON.stringify(text)});`);
      stage.agent(`${HONEST} fs.mkdirSync("pkg/objects"); fs.mkdirSync("pkg/refs"); ${writes.join(" ")}`);
      return { finish: outside };
    },
    harm: hasEscaped,
  }),
  attack({
    id: "X15-toolchain",
    what: "a landed change pins a toolchain of its own, where the user has no default one, and a verification outside builds",
    defence: DEFENCES.carefulToolchains,
    set: ({ stage }) => {
      stage.repo("app");
      stage.write(".cargo/bin/cargo", RUSTUP, 0o755);
      stage.write("verify.sh", `PATH=${stage.path(".cargo/bin")}:$PATH; cargo build; exit 0\n`);
      const cargo = `#!/bin/sh\necho out >${stage.path("escaped")}\n`;
      stage.agent(`${HONEST} fs.mkdirSync("tc/bin", { recursive: true });
        fs.writeFileSync("tc/bin/cargo", ${JSON.stringify(cargo)}, { mode: 0o755 });
        fs.writeFileSync("rust-toolchain.toml", '[toolchain]\\npath = "${stage.path("app/tc")}"\\n');`);
      return { finish: outside };
    },
    harm: hasEscaped,
  }),
  attack({
    id: "X15-filter",
    what: "a landed change brings the module that a filter of the user's own git settings loads, and a verification outside asks git",
    defence: DEFENCES.carefulGit,
    set: ({ stage }) => {
      const attributes = stage.write("attributes", "*.ipynb filter=strip\n");
      stage.write(
        ".gitconfig",
        `[core]\n\tattributesFile = ${attributes}\n[filter "strip"]\n\tclean = /usr/bin/python3 -m nbstripout\n`,
      );
      stage.repo("app", { "install.sh": "exit 0\n" });
      stage.write("verify.sh", "git status --porcelain >/dev/null; exit 0\n");
      const module = `open("${stage.path("escaped")}", "w")\n`;
      stage.agent(`${rewrites("install.sh", "touch -d 2001-01-01 a.ipynb")} fs.writeFileSync("a.ipynb", "{}\\n");
        fs.writeFileSync("nbstripout.py", ${JSON.stringify(module)});`);
      return { repos: prepared, finish: outside };
    },
    harm: hasEscaped,
  }),
  attack({
    id: "X15-hooks",
    what: "a landed change brings a hook to where the user's own git settings look for one, and a verification outside asks git",
    defence: DEFENCES.carefulGit,
    set: ({ stage }) => {
      stage.write(".gitconfig", "[core]\n\thooksPath = .githooks\n");
      stage.repo("app", { "install.sh": "exit 0\n" });
      stage.write("verify.sh", "git update-index -q --refresh; exit 0\n");
      const hook = `#!/bin/sh\necho out >${stage.path("escaped")}\n`;
      stage.agent(`${rewrites("install.sh", "touch -d 2001-01-01 T-1.txt")}
        fs.mkdirSync(".githooks"); fs.writeFileSync(".githooks/post-index-change", ${JSON.stringify(hook)}, { mode: 0o755 });`);
      return { repos: prepared, finish: outside };
    },
    harm: hasEscaped,
  }),
];
