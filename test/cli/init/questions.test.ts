import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { batchText } from "../../../src/cli/init/batch-text.ts";
import type { InitFlags } from "../../../src/cli/init/flags.ts";
import { Interview } from "../../../src/cli/init/interview.ts";
import { askQuestions } from "../../../src/cli/init/questions.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { refusal } from "../support.ts";

const folder = scratchFolder();
let root = "";
let env: Record<string, string> = {};
beforeEach(() => {
  root = folder();
  mkdirSync(join(root, "bin"));
  env = { PATH: `${join(root, "bin")}:/usr/bin:/bin`, HOME: root };
});

function write(name: string, text: string, mode = 0o644): void {
  mkdirSync(join(root, name, ".."), { recursive: true });
  writeFileSync(join(root, name), text, { mode });
}

function git(repo: string, ...args: string[]): void {
  const who = { GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@t", GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@t" };
  execFileSync("git", ["-C", join(root, repo), ...args], { env: { ...process.env, ...who }, stdio: "ignore" });
}

/** A repository whose tests are `npm test`, with a remote on GitHub. */
function aRepository(name: string): void {
  write(`${name}/package.json`, '{"scripts": {"test": "node --test"}}');
  git(name, "init", "-q", "-b", "main");
  git(name, "remote", "add", "origin", `https://bot:hunter2@github.com/acme/${name}.git`);
  git(name, "add", "-A");
  git(name, "commit", "-q", "-m", "start");
}

/** Vendors' programs on PATH that nothing here starts. */
function install(...programs: string[]): void {
  for (const program of programs) write(`bin/${program}`, "#!/bin/sh\nexit 1\n", 0o755);
}

function logInToClaude(): void {
  const claudeAiOauth = { accessToken: "a-token", refreshToken: "r", expiresAt: Date.now() + 3_600_000 };
  write(".claude/.credentials.json", JSON.stringify({ claudeAiOauth }));
}

/** Asks with these flags, and a person who types these lines; without them there is none, and `--yes` takes the defaults. */
async function asked(flags: Partial<InitFlags>, typed?: readonly string[], cwd = "app") {
  const shown: string[] = [];
  const lines = [...(typed ?? [])];
  const ask = (prompt: string) => {
    const line = lines.shift();
    shown.push(`${prompt}${line ?? ""}`);
    return line === undefined ? Promise.reject(new Error(`not typed: ${shown.join("\n")}`)) : Promise.resolve(line);
  };
  const interview = new Interview({ ...(typed && { ask }), tell: (line) => shown.push(line), takesDefaults: true });
  const place = join(root, cwd);
  const answered = await askQuestions(interview, { out: "batch.json", ...flags }, { cwd: place, env, folder: place });
  expect(lines).toEqual([]);
  return { ...answered, shown, text: batchText(answered.answers) };
}

describe("what init takes without asking", () => {
  test("Linear, the repository here with its tests, a logged-in agent and another vendor as the reviewer", async () => {
    aRepository("app");
    install("claude", "codex");
    logInToClaude();
    env = { ...env, LINEAR_API_KEY: "lin_hunter2", OPENAI_API_KEY: "sk-hunter2" };
    const { answers, shown, text } = await asked({ team: "ENG", label: "agents" });
    expect(answers).toEqual({
      name: "app",
      tracker: { kind: "linear", team: "ENG", label: "agents" },
      repos: { app: { path: ".", base: "main", prepare: [] } },
      hooks: [],
      hosts: [],
      test: ["npm", "test"],
      agent: { kind: "claude", billing: "subscription" },
      reviewer: { kind: "codex", apiKeyEnv: "OPENAI_API_KEY" },
    });
    expect(text + shown.join()).not.toMatch(/hunter2|a-token/);
  });

  test("GitHub where its token is set and the remote is there", async () => {
    aRepository("app");
    install("claude");
    env = { ...env, GITHUB_TOKEN: "x" };
    const { answers, text } = await asked({ labels: "ready, agents" });
    expect(answers.tracker).toEqual({ kind: "github", repo: "acme/app", labels: ["ready", "agents"] });
    // No login and no key is known: the program's own login is what doctor will ask for.
    expect(answers).toMatchObject({ agent: { kind: "claude", billing: "subscription" }, reviewer: undefined });
    expect(text).not.toContain("hunter2");
  });

  test("several repositories, each with its own tests and its own issues", async () => {
    aRepository("app");
    aRepository("infra");
    install("claude");
    const { answers } = await asked({ repo: ["app", "ops=infra#main"], from: "github", search: "is:open" }, undefined, ".");
    expect(answers).toMatchObject({
      test: "own",
      repos: { app: { path: "app" }, ops: { path: "infra" } },
      tracker: { kind: "github", repos: { app: "acme/app", ops: "acme/infra" }, search: "is:open" },
    });
  });

  test("hooks are named, and are checks if a flag or a person says so", async () => {
    aRepository("app");
    write("app/.husky/pre-commit", "npm run lint\n");
    git("app", "add", "-A");
    git("app", "commit", "-q", "-m", "hooks");
    install("claude");
    logInToClaude();
    env = { ...env, LINEAR_API_KEY: "lin_hunter2" };
    const without = await asked({ team: "ENG", label: "agents" });
    expect(without.shown.join("\n")).toContain("no run obeys the hook pre-commit (husky: npm run lint)");
    expect(without.text).not.toContain("husky");
    const { answers } = await asked({ team: "ENG", label: "agents", hooks: "checks" });
    expect(answers.hooks).toEqual([{ step: "check", name: "pre-commit", command: ["sh", "-e", ".husky/pre-commit"] }]);
    await expect(asked({ team: "ENG", label: "agents", hooks: "all" })).rejects.toThrow("--hooks cannot be used");
  });

  test("what flags say in place of what was found", async () => {
    aRepository("app");
    write("app/agent.mjs", "");
    write("tickets/A-1.md", "# One\n");
    const { answers, emptyFolder } = await asked({
      ...{ from: "folder", tickets: "../tickets", test: "none", prepare: ["make deps", "make all"], name: "night" },
      ...{ agent: "node agent.mjs", reviewer: "sh -c 'cat \"$X\"'" },
    });
    expect(emptyFolder).toBeUndefined();
    expect(answers).toEqual({
      name: "night",
      tracker: { kind: "local", path: "../tickets" },
      repos: {
        app: {
          path: ".",
          base: "main",
          prepare: [
            ["make", "deps"],
            ["make", "all"],
          ],
        },
      },
      hooks: [],
      hosts: [],
      test: "none",
      agent: { kind: "command", command: ["node", "agent.mjs"] },
      reviewer: { kind: "command", command: ["sh", "-c", 'cat "$X"'] },
    });
  });

  test("a folder with tickets that is found, else one to make beside the repository", async () => {
    aRepository("app");
    install("claude");
    expect(await asked({ from: "folder" })).toMatchObject({ emptyFolder: join(root, "app-tickets") });
    write("tickets/A-1.md", "# One\n");
    expect(await asked({})).toMatchObject({
      answers: { tracker: { kind: "local", path: "../tickets" } },
      emptyFolder: undefined,
    });
    expect(existsSync(join(root, "app-tickets"))).toBe(false);
  });
});

describe("what init refuses", () => {
  const from = (flags: Partial<InitFlags>) => refusal(asked({ agent: "cat", ...flags }));
  beforeEach(() => {
    aRepository("app");
  });

  test.for<[what: string, flags: Partial<InitFlags>, flag: string]>([
    ["a source", {}, "--from linear|github|folder"],
    ["a query for Linear", { from: "linear" }, "--team ENG (or --project NAME, --label NAME)"],
    ["a query for GitHub", { from: "github" }, "--labels A,B (or --milestone TITLE"],
    ["an agent", { from: "folder", agent: undefined as never }, "--agent claude|codex|gemini|opencode"],
    ["the key of an agent without a login", { from: "folder", agent: "opencode:openai/gpt-5" }, "--agent-key VARIABLE"],
  ])("names the flag if there is no %s", async ([what, flags, flag]) => {
    if (what.startsWith("the key")) install("opencode");
    const error = await from(flags);
    expect(error).toMatchObject({ exitCode: 2, what: "loopdash init needs more answers; nothing was written" });
    expect(error.todo).toContain(`\n${flag}`);
  });

  test.for<[flags: Partial<InitFlags>, why: string | RegExp]>([
    [{ from: "folder", tickets: "tickets" }, /lies in the repository app, where agents' changes land/],
    [{ from: "folder", tickets: "package.json/.." }, /lies in the repository app/],
    [{ from: "folder", tickets: "/dev/null" }, "/dev/null is a file, and a folder is needed"],
    [{ from: "linear", team: "-" }, /name a team, a project or a label/],
    [{ from: "linear", team: "A", cycle: "soon" }, /^cycle: /],
    [{ from: "github", repoIssues: ["acme"], labels: "a" }, "repo: write it as owner/name"],
    [{ from: "github", repoIssues: ["ops=acme/a"], labels: "a" }, 'tracker.repos.ops: the batch has no repository "ops"'],
    [{ from: "github", project: "acme", repoIssues: ["a/b"] }, "project: write it as owner/number"],
    [{ from: "linear", team: "A", apiUrl: "ftp://x" }, /^apiUrl: write an address/],
    [{ from: "folder", repo: [".#nowhere"] }, ". has no local branch nowhere"],
    [{ from: "folder", repo: [".", "../app"] }, "two repositories are called app: name one as other=../app"],
    [{ from: "folder", test: "no-such-program x" }, 'no folder of PATH has a program "no-such-program"'],
    [{ from: "folder", test: "npm test && true" }, /no shell reads the command/],
    [{ from: "folder", prepare: ["A=1 x"] }, /sets a variable/],
    [{ from: "folder", agent: "claud" }, /there is no program "claud"; vendors' programs are claude,/],
    [{ from: "folder", agent: "gemini" }, "gemini is not on PATH: install it (docs/use/agents.md), or choose another"],
    [{ from: "folder", agent: "opencode" }, "opencode needs a model: write opencode:MODEL"],
    [{ from: "folder", agent: "claude", agentKey: "sk-hunter2" }, /^name the variable that holds the key/],
    [{ from: "folder", agent: "claude", agentKey: "AIzaHunter2" }, /^name the variable that holds the key/],
    [{ from: "folder", agent: "claude", reviewer: "claude" }, /the agent's model is of the same vendor/],
    [{ from: "folder", agent: "claude", reviewer: "opencode:anthropic/claude-x" }, /the agent's model is of the same vendor/],
    [{ from: "folder", name: "a/b" }, /^name: use 1 to 40 letters/],
  ])("%j", async ([flags, why]) => {
    install("claude", "opencode");
    const error = await from(flags);
    expect(error.exitCode).toBe(2);
    if (typeof why === "string") expect(error.why).toContain(why);
    else expect(error.why).toMatch(why);
    expect(JSON.stringify([error.what, error.why, error.todo])).not.toMatch(/hunter2/i);
  });

  test("a flag of another kind of tracker", async () => {
    expect(await from({ from: "folder", team: "ENG" })).toMatchObject({ what: "--team is not for tickets from folder" });
    expect(await from({ team: "ENG", repoIssues: ["a/b"] })).toMatchObject({
      what: "--repo-issues is not for tickets from linear",
    });
  });
});

describe("what init asks a person", () => {
  beforeEach(() => {
    aRepository("app");
  });

  test("the query of Linear, until it selects something, and a cycle only of a team", async () => {
    install("claude");
    const { answers, shown } = await asked({}, ["1", "", "-", "", "-", "agents", "", "", "", ""]);
    expect(answers.tracker).toEqual({ kind: "linear", label: "agents" });
    expect(shown).toContain("  name a team, a project or a label: without one there is no query");
    expect(shown.join("\n")).not.toContain("Cycle");
    const team = await asked({}, ["linear", "", "ENG", "", "", "12", "", "", "", ""]);
    expect(team.answers.tracker).toEqual({ kind: "linear", team: "ENG", cycle: 12 });
  });

  test("the query of GitHub, with the remote as the default", async () => {
    install("claude");
    const { answers, shown } = await asked({}, ["2", "", "", "-", "", "", "is:open", "", "", "", ""]);
    expect(answers.tracker).toEqual({ kind: "github", repo: "acme/app", search: "is:open" });
    expect(shown).toContain("Repository with the issues, as owner/name [acme/app]: ");
    expect(shown.join("\n")).toMatch(/search for open issues finds a ticket no more once it is closed/);
    const other = await asked({}, ["2", "", "", "-", "", "", "is:closed opening", "", "", "", ""]);
    expect(other.shown.join("\n")).not.toContain("no more once it is closed");
  });

  test("for another folder of tickets if none is to be made", async () => {
    write("other/A-1.md", "# One\n");
    const { answers, emptyFolder } = await asked({ agent: "cat", reviewer: "none" }, ["3", "", "", "no", "../other", ""]);
    expect({ tracker: answers.tracker, emptyFolder }).toEqual({
      tracker: { kind: "local", path: "../other" },
      emptyFolder: undefined,
    });
  });

  test("who pays, if a login and a key are there; the key itself is no answer, and is not repeated", async () => {
    install("claude");
    logInToClaude();
    env = { ...env, ANTHROPIC_API_KEY: "x" };
    const folderFlags = { from: "folder", repo: ["."], test: "none", reviewer: "none" } as const;
    const { answers, shown } = await asked(folderFlags, ["", "", "1", "sk-ant-1", "ANTHROPIC_API_KEY"]);
    expect(answers.agent).toEqual({ kind: "claude", apiKeyEnv: "ANTHROPIC_API_KEY" });
    expect(shown).toContain("   1  claude (logged in, ANTHROPIC_API_KEY is set)");
    expect(shown.filter((line) => line.includes("sk-ant-1"))).toEqual([
      "Key of claude: the name of its variable, or login (its own login here) [login]: sk-ant-1",
    ]);
  });

  test("which of the repositories below a folder, by number", async () => {
    aRepository("infra");
    const flags = { agent: "cat", reviewer: "none", from: "linear", team: "A" } as const;
    const { answers } = await asked(flags, ["2,1", "npm test"], ".");
    expect(Object.entries(answers.repos).map(([name, { path }]) => `${name} ${path}`)).toEqual(["infra infra", "app app"]);
    expect(answers.test).toEqual(["npm", "test"]);
  });
});
