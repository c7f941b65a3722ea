import { expect, onTestFinished } from "vitest";
import type { CiResult } from "../../src/domain/ci/ci-result.ts";
import { tryGit } from "../stand-ins/github/forge/git.ts";
import type { SeedJob } from "../stand-ins/github/forge/model.ts";
import { GitHubStandIn } from "../stand-ins/github/server.ts";
import { PROGRAM, Stage } from "./stage.ts";

export const REPO = "acme/app";
export const TOKEN = "token-of-loopdash";
export const BRANCH = "feature/answer";

/** Formats text.txt: no blanks at the ends of lines. With --check it only looks, and prints what prettier does. */
const FORMAT = `import { readFileSync, writeFileSync } from "node:fs";
const text = readFileSync("text.txt", "utf8"), formatted = text.replace(/ +$/gm, "");
if (!process.argv.includes("--check")) writeFileSync("text.txt", formatted);
else if (text !== formatted) { console.log("[warn] text.txt"); process.exit(1); }
`;
const CHECK = `import { readdirSync, readFileSync, writeFileSync } from "node:fs";
const said = readFileSync("answer.txt", "utf8").trim();
if (said !== "42") { console.log("not ok 1 - the answer\\n  ---\\n  message: 'expected 42, got " + said + "'\\n  ...\\n1..1"); process.exit(1); }
console.log("ok 1 - the answer\\n1..1");
`;
const FILES = {
  "package.json": JSON.stringify({ private: true, scripts: { format: "node format.mjs" } }),
  "format.mjs": FORMAT,
  "check.mjs": CHECK,
  "text.txt": "a\nb\n",
  "answer.txt": "42\n",
};
const JOBS: readonly SeedJob[] = [
  { name: "style", command: ["node", "format.mjs", "--check"], workflow: "Style" },
  { name: "test", command: ["node", "check.mjs"], workflow: "Test" },
];
/** A test that fails by chance: it passes in the second run alone. The folder counts the runs. */
export const chanceIn = (counts: string): SeedJob => ({
  name: "chance",
  command: [
    "node",
    "-e",
    `const fs = require("fs"), folder = process.argv[1], n = fs.readdirSync(folder).length;
    fs.writeFileSync(folder + "/" + n, "");
    console.log((n === 1 ? "ok 1 - sums" : "not ok 1 - sums\\n  ---\\n  message: 'by chance'\\n  ...") + "\\n1..1");
    process.exit(n === 1 ? 0 : 1);`,
    counts,
  ],
});
const AGENT = `say("TOLD " + /expected 42, got 41/.test(prompt)); fs.writeFileSync("answer.txt", "42\\n");`;

interface Over {
  readonly change?: Readonly<Record<string, string>>;
  readonly jobs?: readonly SeedJob[];
  readonly agent?: string;
  /** False if nobody has opened a pull request: no job starts. */
  readonly isOpened?: boolean;
}

/** A clone of a repository at the stand-in with a branch that a person pushed, its pull request, and a batch that names the agent. */
export async function staged({ change = {}, jobs = JOBS, agent = AGENT, isOpened = true }: Over = {}) {
  const forge = { files: FILES, jobs };
  const seed = { repos: { [REPO]: { forge, associations: { ann: "MEMBER" } } }, tokens: { [TOKEN]: "loop" } } as const;
  const standIn = await new GitHubStandIn({ seed }).open();
  const stage = new Stage(PROGRAM);
  onTestFinished(async () => {
    stage[Symbol.dispose]();
    await standIn[Symbol.asyncDispose]();
  });
  const pushed = await standIn.forge.person("ann").push(REPO, BRANCH, { "note.txt": "by ann\n", ...change });
  if (isOpened) {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const body = JSON.stringify({ title: "The answer", head: BRANCH, base: "main" });
    const opened = await fetch(`${standIn.enterpriseUrl}/repos/${REPO}/pulls`, { method: "POST", headers, body });
    expect(opened.status).toBe(201);
  }
  // The stand-in is in this process, which must not wait for git.
  const login = `http.extraHeader=Authorization: Basic ${btoa(`x-access-token:${TOKEN}`)}`;
  const clone = ["-c", login, "clone", "-q", "-b", BRANCH, `${standIn.url}/${REPO}.git`, "app"];
  expect(await tryGit(stage.root, clone)).toMatchObject({ code: 0 });
  stage.agent(agent);
  const batch = stage.batch(["T-1"], { sandbox: "required" });
  const env = { GITHUB_TOKEN: TOKEN, GITHUB_API_URL: standIn.enterpriseUrl };
  const ci = (...args: string[]) => stage.run(["ci", "--repo", "app", "--batch", batch, "--headless", ...args], env);
  const result = async (...args: string[]) => {
    const { code, stdout, stderr } = await ci(BRANCH, "--json", ...args);
    expect(stdout, stderr).toMatch(/^\{/);
    return { code, stderr, ...(JSON.parse(stdout) as CiResult) };
  };
  /** The branch at the stand-in. */
  const there = async (...args: string[]) => {
    const fetched = await tryGit(stage.path("app"), ["-c", login, "fetch", "-q", "origin", BRANCH]);
    expect(fetched).toMatchObject({ code: 0 });
    return stage.git("app", ...args);
  };
  return { stage, standIn, batch, env, pushed, ci, result, there };
}
