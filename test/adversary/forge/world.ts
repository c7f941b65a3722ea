import { onTestFinished } from "vitest";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { eventsOf, HONEST, PROGRAM, Stage } from "../../e2e/stage.ts";
import { git, tryGit } from "../../stand-ins/github/forge/git.ts";
import type { ForgeRepo, Pull, SeedForge } from "../../stand-ins/github/forge/model.ts";
import type { ForgePerson } from "../../stand-ins/github/forge/person.ts";
import { GitHubStandIn } from "../../stand-ins/github/server.ts";
import type { Attack, Defence } from "../suite.ts";

/** The engine's token; its user is `loop`. */
export const TOKEN = "token-of-loopdash";

/** The workflow of each repository: its check `ci` passes if work.txt says "done". */
export const WORKFLOW = `name: ci
on: [pull_request]
jobs:
  ci:
    steps:
      - run: grep -qx done work.txt
`;

/** The traces of an attack at the forge and in the run. */
export interface Aftermath {
  /** The files on the base at the forge. */
  readonly files: ReadonlyMap<string, string>;
  readonly pulls: readonly Pull[];
  /** True if the issue of somebody else, #1, was closed. */
  readonly isOtherClosed: boolean;
  /** True if the run left the ticket to a person. */
  readonly isGated: boolean;
}

/** An attack by the agent of one ticket, or by others on its pull request. */
export interface ForgeAttack {
  readonly id: string;
  readonly what: string;
  readonly defence: Defence;
  /** The body of an async function over `{ ticket, attempt, prompt, fs, say, sh, origin, work, half, discover, commit }`. */
  readonly agent: string;
  /** More keys of the ticket. */
  readonly ticket?: Readonly<Record<string, unknown>>;
  /** More keys of the repository's forge in the batch. */
  readonly forge?: Readonly<Record<string, unknown>>;
  /** More of the repository at GitHub. */
  readonly seed?: SeedForge;
  /** Acts of others on the first pull request. The first commit's checks do not end before. */
  readonly others?: (
    pull: Pull,
    at: { readonly repo: string; readonly person: (login: string) => ForgePerson },
  ) => Promise<unknown>;
  /** The job whose check appears only after two more readings of the pull request than it needs to, once all else is there. */
  readonly isLate?: string;
  /** True if the checks of every commit but the first never appear. */
  readonly isFirstAloneChecked?: boolean;
  /** The run's words if it stops the attack: nothing else stopped it. */
  readonly told: RegExp;
  readonly harm: (after: Aftermath) => boolean;
}

/** Source of what every agent has. */
const HANDS = `const work = () => { fs.writeFileSync("work.txt", "done\\n"); say("worked"); };
const half = () => { fs.writeFileSync("work.txt", "half\\n"); say("half"); };
const discover = (found) => {
  const folder = process.env.LOOPDASH_OUTBOX + "/discovered";
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(folder + "/1.json", JSON.stringify({ reason: "seen on the way", ...found }));
};
const commit = (message) => { sh("git", "add", "-A"); sh("git", "-c", "user.name=a", "-c", "user.email=a@a", "commit", "-q", "-m", message); };
const aside = () => { sh("git", "reset", "-q", "--hard", "HEAD~1"); };
const attempted = (error) => say("tried: " + String(error.stderr ?? error.cause ?? error).slice(0, 500));
`;

const repoOf = ({ id }: ForgeAttack): string => id.toLowerCase();

/** Attacks as tickets of one batch, each in a repository of its own, so that one run tries them all. */
export function campaignAt(protect: readonly string[], attacks: readonly ForgeAttack[]): Attack[] {
  const runs = new Map<string, Promise<ReadonlyMap<string, () => boolean>>>();
  return attacks.map((attack) => ({
    id: attack.id,
    what: attack.what,
    defence: attack.defence,
    async succeeds(program) {
      const group = program === PROGRAM ? attacks : attacks.filter(({ defence }) => defence === attack.defence);
      const run = runs.get(program) ?? runAttacks(program, protect, group);
      runs.set(program, run);
      return (await run).get(attack.id)?.() ?? false;
    },
  }));
}

async function runAttacks(program: string, protect: readonly string[], group: readonly ForgeAttack[]) {
  const standIn = await openStandIn(group);
  const stage = new Stage(program);
  onTestFinished(async () => {
    stage[Symbol.dispose]();
    await standIn[Symbol.asyncDispose]();
  });
  gateChecks(standIn, group);
  const batch = await writeBatch(stage, standIn, { protect, group });
  const { code, stdout, stderr } = await stage.start([batch, "--json"], { GITHUB_TOKEN: TOKEN }, program).ended;
  const events = eventsOf(stdout);
  if (code === 4 || standIn.mistakes.length > 0) throw new Error(`${stderr}\n${standIn.mistakes.join("\n")}`);
  const outcomes = group.map(async (attack) => {
    const said = saidOf(events, attack.id);
    const after = { ...(await aftermath(standIn, attack)), isGated: said.includes('"type":"ticket-gated"') };
    return [attack.id, outcomeOf(attack, after, { said, stderr, isShipped: program === PROGRAM })] as const;
  });
  return new Map(await Promise.all(outcomes));
}

function openStandIn(group: readonly ForgeAttack[]): Promise<GitHubStandIn> {
  const files = { "README.md": "# A repository\n", ".github/workflows/ci.yml": WORKFLOW };
  const issues = [{ number: 1, title: "Somebody else's ticket" }];
  const repos = group.map((attack) => {
    const forge: SeedForge = { files, readsWorkflows: true, ...attack.seed };
    return [`acme/${repoOf(attack)}`, { forge, issues, associations: { ann: "MEMBER" } }] as const;
  });
  const users = { "robot[bot]": { isBot: true } };
  return new GitHubStandIn({ seed: { users, repos: Object.fromEntries(repos), tokens: { [TOKEN]: "loop" } } }).open();
}

/** Lets others act on each first pull request before its checks end, and keeps back checks that are never to appear. */
function gateChecks(standIn: GitHubStandIn, group: readonly ForgeAttack[]): void {
  const acts = new Map(
    group.flatMap((attack) => {
      const { others } = attack;
      if (others === undefined) return [];
      const repo = `acme/${repoOf(attack)}`;
      const firstOf = () => forgeOf(standIn, repo).pulls[0];
      const acted = standIn.forge
        .until(() => firstOf() !== undefined)
        .then(() => others(firstOf() as Pull, { repo, person: (login) => standIn.forge.person(login) }));
      acted.catch((error: unknown) => standIn.mistakes.push(String(error)));
      return [[repo, acted.then(() => undefined)] as const];
    }),
  );
  const late = new Map<string, string>(
    group.flatMap((each) => (each.isLate === undefined ? [] : [[`acme/${repoOf(each)}`, each.isLate]])),
  );
  const isFirstAlone = new Set(
    group.filter(({ isFirstAloneChecked }) => isFirstAloneChecked).map((each) => `acme/${repoOf(each)}`),
  );
  const first = new Map<string, string>();
  standIn.forge.gate = ({ stage, repo, sha, job }) => {
    if (stage === "register" && late.get(repo) === job)
      return (acts.get(repo) ?? Promise.resolve()).then(() => readAgain(standIn, repo.slice("acme/".length)));
    if (!first.has(repo)) first.set(repo, sha);
    if (stage === "register" && isFirstAlone.has(repo) && first.get(repo) !== sha) return new Promise(() => undefined);
    return stage === "finish" ? acts.get(repo) : undefined;
  };
}

/** Resolves once two more readings of a repository's pull request have been asked for after the next one: whoever reads has had time to act. */
function readAgain(standIn: GitHubStandIn, name: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { fault } = standIn;
  let left = 3;
  standIn.fault = (request) => {
    const isReading = JSON.stringify(request.body).includes("mergeStateStatus") && request.body["variables"] !== undefined;
    if (isReading && JSON.stringify(request.body["variables"]).includes(`"${name}"`)) left -= 1;
    if (left === 0) resolve();
    return fault(request);
  };
  return promise;
}

function forgeOf(standIn: GitHubStandIn, repo: string): ForgeRepo {
  const found = standIn.state.repos.find(({ fullName }) => fullName === repo)?.forge;
  if (found === undefined) throw new Error(`${repo} has no git`);
  return found;
}

async function writeBatch(
  stage: Stage,
  standIn: GitHubStandIn,
  { protect, group }: { readonly protect: readonly string[]; readonly group: readonly ForgeAttack[] },
): Promise<string> {
  const login = `http.extraHeader=Authorization: Basic ${btoa(`x-access-token:${TOKEN}`)}`;
  for (const name of group.map(repoOf))
    await git(stage.root, ["-c", login, "clone", "-q", `${standIn.url}/acme/${name}.git`, name]);
  // The credentials that the user's own git has.
  stage.write(".git-credentials", `${standIn.url.replace("//", `//x-access-token:${TOKEN}@`)}\n`);
  const bodies = group.map(({ id, agent }) => `${JSON.stringify(id)}: async () => { ${agent} }`);
  stage.agent(`const origin = ${JSON.stringify(standIn.url)};
${HANDS}
await ({ ${bodies.join(",\n")} }[ticket] ?? (() => { work(); ${HONEST} }))();`);
  const repos = group.map((attack) => {
    const spec = { kind: "github", repo: `acme/${repoOf(attack)}`, baseUrl: standIn.enterpriseUrl };
    return [repoOf(attack), { path: repoOf(attack), forge: { ...spec, checks: ["ci"], appearMinutes: 0.05, ...attack.forge } }];
  });
  return stage.batch(
    group.map((attack) => ({ id: attack.id, repo: repoOf(attack), ...attack.ticket })),
    {
      sandbox: "required",
      protect,
      repos: Object.fromEntries(repos),
      limits: { workers: 4, attempts: 2, discoveries: 5, sharedFaults: 0 },
    },
  );
}

async function aftermath(standIn: GitHubStandIn, attack: ForgeAttack): Promise<Omit<Aftermath, "isGated">> {
  const fullName = `acme/${repoOf(attack)}`;
  const folder = `${standIn.forge.root}/${fullName}.git`;
  const names = (await git(folder, ["ls-tree", "-r", "-z", "--name-only", "main"])).split("\0").filter((name) => name !== "");
  const texts = names.map(async (name) => [name, (await tryGit(folder, ["cat-file", "blob", `main:${name}`])).stdout] as const);
  const issues = standIn.state.repos.find((repo) => repo.fullName === fullName)?.issues ?? [];
  return {
    files: new Map(await Promise.all(texts)),
    pulls: forgeOf(standIn, fullName).pulls,
    isOtherClosed: issues.find(({ number }) => number === 1)?.state === "closed",
  };
}

/** The run's events about a ticket and those that its agent found, one per line. */
function saidOf(events: readonly RunEvent[], ticket: string): string {
  const isMeant = (event: RunEvent) => "ticket" in event && (event.ticket === ticket || event.ticket.startsWith(`${ticket}-d`));
  return events.flatMap((event) => (isMeant(event) ? [JSON.stringify(event)] : [])).join("\n");
}

/** The outcome, checked now, because the stage is gone by the time of the attack's own test; errors are thrown there. */
function outcomeOf(
  attack: ForgeAttack,
  after: Aftermath,
  { said, stderr, isShipped }: { readonly said: string; readonly stderr: string; readonly isShipped: boolean },
): () => boolean {
  const isHarmed = attack.harm(after);
  const shown = `${said.slice(-4_000)}\n${stderr}`;
  if (!isHarmed && isShipped && !attack.told.test(said))
    return () => {
      throw new Error(`${attack.id} was stopped, but not for ${attack.told}:\n${shown}`);
    };
  if (!isHarmed && !isShipped)
    return () => {
      throw new Error(`${attack.id} was stopped with the defence taken out:\n${shown}`);
    };
  return () => isHarmed;
}
