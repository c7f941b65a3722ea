import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Pull, SeedForge, SeedJob } from "../test/stand-ins/github/forge/model.ts";
import { GitHubStandIn } from "../test/stand-ins/github/server.ts";

const run = promisify(execFile);

/** The token of the stand-in, which is no secret. */
const TOKEN = "token-of-the-example";
const BOT = "review-bot[bot]";

/** The jobs that run on each commit of a pull request. The first machine that runs infra's tests is lost. */
const JOBS: Readonly<Record<"shop" | "infra", readonly SeedJob[]>> = {
  shop: [
    { name: "tests", command: ["node", "--test"], isRequired: true },
    { name: "smoke", command: ["node", "scripts/smoke.mjs"], isRequired: true },
  ],
  infra: [
    {
      name: "tests",
      command: ["node", "--test"],
      isRequired: true,
      infrastructure: { how: "runner lost", attempts: 1, commits: 1 },
    },
    { name: "smoke", command: ["node", "scripts/smoke.mjs"], isRequired: true },
  ],
};

/** The example's repositories at a stand-in of GitHub, and the batch whose changes land there by pull requests. */
export interface ForgeWorld extends AsyncDisposable {
  readonly standIn: GitHubStandIn;
  /** The batch file. */
  readonly batch: string;
  /** The variables that loopdash needs in its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Opens the forge over a workspace that `setUpExample` made in the folder of an example. */
export async function openForgeWorld(example: string): Promise<ForgeWorld> {
  const workspace = join(example, "workspace");
  const seedOf = (name: "shop" | "infra", more: SeedForge = {}) => ({
    forge: { from: join(workspace, name), jobs: JOBS[name], ...more },
    associations: { ann: "MEMBER" },
  });
  const seed = {
    users: { [BOT]: { isBot: true } },
    repos: {
      "example/shop": seedOf("shop"),
      "example/infra": seedOf("infra", { protection: { main: { mergeQueue: "squash" } } }),
    },
    tokens: { [TOKEN]: "loopdash" },
  } as const;
  const standIn = await new GitHubStandIn({ seed }).open();
  playOthers(standIn);
  for (const name of ["shop", "infra"]) {
    const args = ["remote", "add", "origin", `${standIn.url}/example/${name}.git`];
    await run("git", args, { cwd: join(workspace, name) });
  }
  return {
    standIn,
    batch: await writeBatch(example, standIn.enterpriseUrl),
    env: { GITHUB_TOKEN: TOKEN },
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  };
}

/** Plays those who look at pull requests: a bot in a thread of SHOP-1, and a person who writes on that of the receipt. */
function playOthers({ forge, state }: GitHubStandIn): void {
  const acts: Readonly<Record<string, (repo: string, pull: Pull) => Promise<unknown>>> = {
    "SHOP-1": (repo, { number }) =>
      forge
        .person(BOT)
        .openThread(repo, number, { path: "src/money.js", line: 1, body: "allocate() does not say when it throws." }),
    "SHOP-5-d1": (repo, { number }) =>
      forge.person("ann").comment(repo, number, "Can the width be exported? The printer's driver wants to know it."),
  };
  const begun = new Map<string, Promise<unknown>>();
  // A check's result is shown once they have said what they have to say about its commit.
  forge.gate = ({ stage, repo, sha }) => {
    const pull = state.repos.find(({ fullName }) => fullName === repo)?.forge?.pulls.find(({ headSha }) => headSha === sha);
    const ticket = pull?.headRef.split("/").at(-1) ?? "";
    const act = acts[ticket];
    if (stage !== "finish" || pull === undefined || act === undefined) return undefined;
    const said = begun.get(ticket) ?? act(repo, pull);
    begun.set(ticket, said);
    return said.then(() => undefined);
  };
}

/** Writes the example's batch with a forge for both repositories. CI finds on the pull request what would break dev after a landing. */
async function writeBatch(example: string, baseUrl: string): Promise<string> {
  const workspace = join(example, "workspace");
  const { onBroken: _, ...batch } = JSON.parse(await readFile(join(example, "..", "batch.example.json"), "utf8"));
  const within = (path: string): string => (path.startsWith("example/") ? resolve(example, "..", path) : path);
  const { agent, reviewer, sandboxPolicy, tracker, limits, finish } = batch;
  const repos = Object.fromEntries(
    ["shop", "infra"].map((name) => {
      const forge = { kind: "github", repo: `example/${name}`, baseUrl };
      return [name, { path: join(workspace, name), base: "main", forge }];
    }),
  );
  const command = (words: readonly string[]): string[] => words.map((word) => within(word.replace(/^\{batch\}\//, "")));
  const written = {
    ...batch,
    repos,
    name: "spring-release-by-pull-requests",
    // Agents are kept from the token of a forge.
    sandbox: "required",
    tracker: { ...tracker, path: within(tracker.path) },
    agent: { ...agent, command: command(agent.command) },
    reviewer: { ...reviewer, command: command(reviewer.command) },
    sandboxPolicy: { read: sandboxPolicy.read.map((path: string) => (path === "example" ? example : within(path))) },
    limits: { ...limits, minutesPerAttempt: 5 },
    finish: finish.map((step: { command?: readonly string[] }) =>
      step.command ? { ...step, command: command(step.command) } : step,
    ),
  };
  const path = join(workspace, "forge.json");
  await writeFile(path, `${JSON.stringify(written, undefined, 2)}\n`);
  return path;
}
