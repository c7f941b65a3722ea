import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { SeedForge, SeedJob } from "../test/stand-ins/github/forge/model.ts";
import { GitHubStandIn } from "../test/stand-ins/github/server.ts";
import { playFlakyTest } from "./flaky-test.ts";
import { BOT, playOthers } from "./forge-people.ts";

const run = promisify(execFile);

/** The token of the stand-in, which is no secret. */
const TOKEN = "token-of-the-example";
const NAME = "spring-release-by-pull-requests";

/** The parts of this example that the other one lacks, for `setUpExample`: a ticket, and a test that measures time. */
export const FORGE_PARTS = join(import.meta.dirname, "forge");

/** The jobs that run on each commit of a pull request, and on shop's main. The first machine that runs infra's tests is lost. */
const JOBS: Readonly<Record<"shop" | "infra", readonly SeedJob[]>> = {
  shop: [
    { name: "tests", command: ["node", "--test"], isRequired: true, on: ["pull_request", "push"] },
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
  /** The batch's name. */
  readonly name: string;
  /** The batch file. */
  readonly batch: string;
  /** The variables that loopdash needs in its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Opens the forge over a workspace that `setUpExample` made with `FORGE_PARTS` in the folder of an example. Each check takes twice `checkMs`, beside
 * what its command takes.
 */
export async function openForgeWorld(example: string, checkMs = 0): Promise<ForgeWorld> {
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
  const unopened = new GitHubStandIn({ seed });
  play(unopened, checkMs);
  const standIn = await unopened.open();
  for (const name of ["shop", "infra"]) {
    const args = ["remote", "add", "origin", `${standIn.url}/example/${name}.git`];
    await run("git", args, { cwd: join(workspace, name) });
  }
  return {
    standIn,
    name: NAME,
    batch: await writeBatch(example, standIn.enterpriseUrl),
    env: { GITHUB_TOKEN: TOKEN },
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  };
}

/** Lets those act who look at pull requests, and the machines of the checks be as slow as they are. Each check takes twice `checkMs`. */
function play(standIn: GitHubStandIn, checkMs: number): void {
  const others = playOthers(standIn);
  const flaky = playFlakyTest(standIn);
  standIn.forge.gate = async (moment) => {
    if (moment.stage === "register") return;
    await sleep(checkMs, undefined, { ref: false });
    if (moment.stage === "start") return;
    await others.said(moment.repo, moment.sha);
    await flaky.known(moment);
  };
}

/** Writes the example's batch with a forge for both repositories. CI finds on the pull request what would break dev after a landing; nobody approves zones. */
async function writeBatch(example: string, baseUrl: string): Promise<string> {
  const workspace = join(example, "workspace");
  const { onBroken: _, bound: __, ...batch } = JSON.parse(await readFile(join(example, "..", "batch.example.json"), "utf8"));
  const within = (path: string): string => (path.startsWith("example/") ? resolve(example, "..", path) : path);
  const { agent, reviewer, sandboxPolicy, tracker, limits, finish, tickets } = batch;
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
    name: NAME,
    tickets: [...tickets, { id: "SHOP-7" }],
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
