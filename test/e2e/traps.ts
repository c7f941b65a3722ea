import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { HONEST, Stage } from "./stage.ts";

/** Seconds for one verb: what waits for a pipe, or reads a huge file, takes longer. */
const SECONDS = 60;

/** Programs that loopdash, git or a shell could start by their names. */
const PROGRAMS = [
  ..."git node npm npx pnpm yarn uv python3 sh bash env bwrap unshare mount umount prlimit setpriv ps ssh ssh-keygen gpg gpgsm".split(
    " ",
  ),
  ..."claude codex gemini opencode gh docker uname getconf cp rm true false which xdg-open cat sleep nsenter newuidmap".split(
    " ",
  ),
];

const HOOKS =
  "pre-commit post-checkout post-merge post-rewrite reference-transaction post-index-change fsmonitor-watchman pre-push".split(
    " ",
  );

/** A clone in which everything that can name a program names one that leaves a mark, and everything that can name a host names ours. */
export class Traps extends Stage {
  contacts = 0;
  readonly #server: Server = createServer((socket) => {
    this.contacts += 1;
    socket.destroy();
  });
  readonly marks = this.path("marks");
  port = 0;

  async open(): Promise<void> {
    await new Promise<void>((settle) => this.#server.listen(0, "127.0.0.1", settle));
    this.port = (this.#server.address() as { port: number }).port;
    mkdirSync(this.marks);
    const trap = this.write("bin/trap", `#!/bin/sh\n: > "${this.marks}/$(/usr/bin/basename "$0").$$"\nexit 1\n`, 0o755);
    this.repo("app", this.files());
    for (const folder of ["app/node_modules/.bin", "app/bin", "app/.venv/bin", "other/node_modules/.bin"]) {
      mkdirSync(this.path(folder), { recursive: true });
      for (const name of PROGRAMS) symlinkSync(trap, this.path(folder, name));
    }
    mkdirSync(this.path("other/.git"));
    mkdirSync(this.path("links"));
    symlinkSync(this.path("app/node_modules/.bin"), this.path("links/tools"));
    this.repo("app/sub", { "a.txt": "a\n" });
    this.git("app", "-c", "advice.addEmbeddedRepo=false", "add", "sub");
    this.git("app", "commit", "-q", "-m", "submodule");
    this.write("app/sub/.git/config", this.config(trap));
    this.write("app/sub/a.txt", "changed\n");
    for (const hook of HOOKS) this.write(`app/.git/hooks/${hook}`, readFileSync(trap, "utf8"), 0o755);
    this.write("app/.git/config", this.config(trap));
    this.write("app/.git/info/attributes", "* filter=t diff=t merge=t\n");
    // Git looks into a file again whose time has changed, by the filters.
    for (const file of Object.keys(this.files())) utimesSync(this.path("app", file), 1, 1);
    this.agent(HONEST);
    this.write("ticket.json", JSON.stringify({ id: "T-9", title: "Nine", repo: "app" }));
    const program = (role: string) => `{kind: command, command: [node, agent.mjs, ${role}]}`;
    const agents = ["finder", "designer", "mender", "verifier"].map((role) => `  ${role}: ${program(role)}\n`).join("");
    const place = `repo: {path: app}\nscope: ["*.js"]\nregression: {path: "cases/{n}.sh", command: [sh, "{file}"]}\nsandbox: auto\n`;
    this.write("goal.md", `---\nname: goal\n${place}agents:\n${agents}---\nNothing breaks.\n`);
    const over = { sandbox: "auto", finish: [{ step: "gates" }, { step: "merge" }] };
    renameSync(this.batch(["T-1"], { ...over, name: "quiet", commit: { sign: false } }), this.path("quiet.json"));
    this.batch(["T-1"], over);
  }

  files(): Record<string, string> {
    const host = `http://127.0.0.1:${this.port}`;
    const trap = this.path("bin/trap");
    return {
      "README.md": "# clone\n",
      ".npmrc": `registry=https://127.0.0.1:${this.port}/\nproxy=${host}\ngit=${trap}\nscript-shell=${trap}\nnode-options=--require ${trap}\n`,
      ".yarnrc.yml": `npmRegistryServer: ${host}\nyarnPath: ${trap}\n`,
      "package.json": JSON.stringify({
        name: "x",
        scripts: { test: trap, prepare: trap },
        dependencies: { a: `git+${host}/a.git` },
      }),
      "pip.conf": `[global]\nindex-url = ${host}/simple\n`,
      "requirements.txt": `--index-url ${host}/simple\na==1\n`,
      "pyproject.toml": `[[tool.uv.index]]\nurl = "${host}/simple"\n[tool.pytest.ini_options]\n`,
      ".gitattributes": "* filter=t diff=t merge=t text eol=crlf\n",
      ".gitmodules": `[submodule "a"]\n\tpath = a\n\turl = ${host}/a.git\n\tupdate = !${trap}\n`,
      ".mise.toml": `[hooks]\nenter = "${trap}"\n`,
      ".envrc": `${trap}\n`,
      Makefile: `X := $(shell ${trap})\ntest:\n\t${trap}\n`,
      "CLAUDE.md": "# agents\n",
      "AGENTS.md": "# agents\n",
      ".claude/settings.json": JSON.stringify({
        apiKeyHelper: trap,
        hooks: { SessionStart: [{ hooks: [{ type: "command", command: trap }] }] },
      }),
    };
  }

  config(trap: string): string {
    const host = `http://127.0.0.1:${this.port}`;
    const run = `!${trap}`;
    return `[core]
	repositoryformatversion = 1
	bare = false
	fsmonitor = ${trap}
	hooksPath = ${this.path("app/.git/hooks")}
	sshCommand = ${trap}
	editor = ${trap}
	pager = ${trap}
	askPass = ${trap}
	gitProxy = ${trap}
	alternateRefsCommand = ${trap}
	attributesFile = ${this.path("app/.gitattributes")}
[extensions]
	partialClone = origin
	worktreeConfig = true
[remote "origin"]
	url = ${host}/x/y.git
	pushurl = ext::${trap}
	fetch = +refs/heads/*:refs/remotes/origin/*
	promisor = true
	uploadpack = ${trap}
	receivepack = ${trap}
	vcs = ext
	proxy = ${host}
[url "${host}/"]
	insteadOf = https://github.com/
	insteadOf = git@github.com:
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[alias]
${"status config log diff rev-parse ls-files cat-file"
  .split(" ")
  .map((name) => `	${name} = ${run}\n`)
  .join("")}[filter "t"]
	clean = ${trap}
	smudge = ${trap}
	process = ${trap}
	required = true
[diff]
	external = ${trap}
[diff "t"]
	command = ${trap}
	textconv = ${trap}
[merge "t"]
	driver = ${trap}
[credential]
	helper = ${run}
[gpg]
	program = ${trap}
[gpg "ssh"]
	program = ${trap}
	defaultKeyCommand = ${trap}
[user]
	signingKey = ABCD
[commit]
	gpgSign = true
[gc]
	auto = 1
[uploadpack]
	packObjectsHook = ${trap}
[trailer "x"]
	command = ${trap}
	cmd = ${trap}
[pager]
	log = ${trap}
[submodule "a"]
	update = ${run}
[include]
	path = ${this.path("app/included")}
`;
  }

  /** The PATH of somebody who has let a clone's tools in, in each way. */
  hostilePath(knowsClone: boolean): string {
    const own = ["bin", ".venv/bin", "./sub/..//bin/"].map((folder) => `${this.path("app")}/${folder}`);
    const tools = [this.path("app/node_modules/.bin"), this.path("other/node_modules/.bin"), this.path("links/tools")];
    const loose = ["node_modules/.bin", ".", "", "bin", "//", "/nowhere", `/${this.env["PATH"]?.split(":")[0]}`];
    return [...(knowsClone ? own : []), ...tools, ...loose, this.env["PATH"]].join(":");
  }

  async close(): Promise<void> {
    await new Promise((settle) => this.#server.close(settle));
    this[Symbol.dispose]();
  }
}

const INIT = ["--from", "folder", "--yes", "--repo", "APP", "--agent", "node agent.mjs", "--force"];

/** How each verb is driven. APP is the clone. */
export const DRIVES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  run: [
    ["batch.json", "--dry-run"],
    ["batch.json", "--headless"],
    ["quiet.json", "--headless", "--fresh"],
  ],
  init: [
    [...INIT, "--out", "new.json"],
    [...INIT, "--out", "new.json", "--prepare", "none"],
    ["--improve", "--force"],
  ],
  ci: [
    ["main", "--repo", "APP", "--dry-run", "--agent", "node agent.mjs"],
    ["1", "--repo", "APP", "--dry-run", "--batch", "batch.json"],
  ],
  improve: [
    ["goal.md", "--once"],
    ["goal.md", "--status"],
  ],
  attach: [[]],
  replay: [[]],
  oracle: [["batch.json"], ["quiet.json"]],
  status: [[], ["--json"]],
  verify: [[]],
  runs: [[]],
  watch: [["--once"]],
  cache: [[]],
  add: [["test", "ticket.json"]],
  report: [[], ["--md"], ["--html"], ["--bundle", "."]],
  "verify-journal": [[]],
  doctor: [["batch.json"], ["batch.json", "--prepare"], []],
  harness: [["log"], ["diff"], ["keep", "x"], ["revert", "x"]],
  tracker: [["check", "--", "no-such-program"]],
  guard: [["check", "--", "git status"], ["install", "--project", "--yes"], ["status"], ["uninstall", "--project", "--yes"]],
  hook: [["before-tool", "--agent", "claude"]],
  bound: [
    ["show", "--repo", "APP"],
    ["show", "--batch", "batch.json"],
    ["check", "--repo", "APP"],
    ["check", "--repo", "APP", "HEAD"],
    ["suggest", "--repo", "APP", "--accept", "1"],
    ["approve", "a", "b", "c"],
  ],
  lint: [["APP"], ["APP", "--fix"]],
  notify: [["test", "batch.json"]],
  retry: [
    ["test", "a"],
    ["test", "--stalled"],
  ],
  revert: [["test", "a"]],
  rule: [["test", "a", "uphold"]],
  completion: [["bash"]],
};

/** What a verb has done that none may do. */
export const HARMLESS = { marks: [], contacts: 0, isHung: false, trace: "" };

export async function drive(traps: Traps, verb: string, args: readonly string[], cwd: string): Promise<object> {
  const words = [verb, ...args].map((word) =>
    word.replace(/^APP$/, traps.path("app")).replace(/^\w+\.json$/, (file) => traps.path(file)),
  );
  // Nothing tells a verb beside the clone which folders are of one.
  const knowsClone = cwd.endsWith("/app") || words.some((word) => word.startsWith(traps.root));
  const argv = ["/usr/bin/env", "-C", cwd, "/usr/bin/timeout", "-s", "KILL", String(SECONDS)];
  const { code, stdout, stderr } = await traps.start(words, { PATH: traps.hostilePath(knowsClone) }, undefined, argv).ended;
  const out = stdout + stderr;
  const marks = readdirSync(traps.marks).toSorted();
  for (const mark of marks) rmSync(join(traps.marks, mark));
  const { contacts } = traps;
  traps.contacts = 0;
  const trace = /defect of loopdash|^\s+at .*:\d+|Error:/m.test(out) ? out : "";
  return { marks, contacts, isHung: code === null || code === 137, trace };
}
