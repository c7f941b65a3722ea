import { describe, expect, onTestFinished, test } from "vitest";
import { branches, git } from "../stand-ins/github/forge/git.ts";
import type { SeedForge } from "../stand-ins/github/forge/model.ts";
import { GitHubStandIn, type SeenRequest } from "../stand-ins/github/server.ts";
import { PROGRAM, Stage } from "./stage.ts";

const REPO = "acme/app";
const TOKEN = "token-of-loopdash";
const BOT = "robot[bot]";
const CI = { name: "ci", isRequired: true, command: ["grep", "-q", ".", "work.txt"] };

/** A moment at which the engine is killed: when it sends this request for the n-th time. */
interface Point {
  readonly name: string;
  readonly is: (request: SeenRequest) => boolean;
  readonly nth?: number;
}

const isSent = (method: string, path: RegExp) => (request: SeenRequest) => request.method === method && path.test(request.path);
const isMutation = (name: string) => (request: SeenRequest) => String(request.body["query"]).includes(`${name}(`);
const isPush = isSent("POST", /git-receive-pack$/);

/** Every effect at the forge and in the tracker that a ticket has whose first commit a bot objects to. */
const EFFECTS: readonly Point[] = [
  { name: "the push", is: isPush },
  { name: "the pull request is opened", is: isSent("POST", /\/pulls$/) },
  { name: "the push of the repair", is: isPush, nth: 2 },
  { name: "the answer in the bot's thread", is: isMutation("addPullRequestReviewThreadReply") },
  { name: "the thread is resolved", is: isMutation("resolveReviewThread") },
  { name: "the merge", is: isSent("PUT", /\/pulls\/2\/merge$/) },
  { name: "the branch is removed", is: isSent("DELETE", /\/git\/refs\//) },
  { name: "the tracker is told what landed", is: isSent("POST", /\/issues\/1\/comments$/) },
  {
    name: "the ticket is closed",
    is: (request) => isSent("PATCH", /\/issues\/1$/)(request) && request.body["state"] === "closed",
  },
];

async function staged(forge: SeedForge) {
  const issues = [{ number: 1, title: "Do the work", body: "All of it.", labels: ["batch"] }];
  const seed = { users: { [BOT]: { isBot: true } }, repos: { [REPO]: { forge, issues } }, tokens: { [TOKEN]: "loop" } };
  const standIn = await new GitHubStandIn({ seed }).open();
  const stage = new Stage(PROGRAM);
  onTestFinished(async () => {
    stage[Symbol.dispose]();
    await standIn[Symbol.asyncDispose]();
  });
  const login = `http.extraHeader=Authorization: Basic ${btoa(`x-access-token:${TOKEN}`)}`;
  await git(stage.root, ["-c", login, "clone", "-q", `${standIn.url}/${REPO}.git`, "app"]);
  stage.agent(`fs.writeFileSync("work.txt", attempt === 1 ? "half\\n" : "done\\n"); say("worked");`);
  const at = { repo: REPO, baseUrl: standIn.enterpriseUrl };
  const batch = stage.batch([], {
    sandbox: "required",
    tracker: { kind: "github", labels: ["batch"], ...at },
    repos: { app: { path: "app", forge: { kind: "github", ...at } } },
    limits: { attempts: 3 },
  });
  const found = () => {
    const repo = standIn.state.repos.find(({ fullName }) => fullName === REPO);
    if (repo?.forge === undefined) throw new Error("the repository has no git");
    return { ...repo, forge: repo.forge, folder: `${standIn.forge.root}/${REPO}.git` };
  };
  return { standIn, stage, batch, found, env: { GITHUB_TOKEN: TOKEN } };
}

type Staged = Awaited<ReturnType<typeof staged>>;

/** A bot objects to the first commit, whose check ends only then. */
function botObjects({ standIn, found }: Staged): void {
  const first = () => found().forge.pulls[0];
  const objected = standIn.forge
    .until(() => first() !== undefined)
    .then(() => standIn.forge.person(BOT).openThread(REPO, 2, { path: "work.txt", line: 1, body: "Say that it is done." }));
  standIn.forge.gate = ({ stage }) => (stage === "finish" ? objected.then(() => undefined) : undefined);
}

/** Kills the engine at a point: before the request takes effect, or after it and before its answer. Then runs it to its end. */
async function killedAt({ standIn, stage, batch, env }: Staged, { is, nth = 1 }: Point, when: "before" | "after"): Promise<void> {
  let seen = 0;
  standIn.fault = (request) => {
    if (!is(request)) return undefined;
    seen += 1;
    return seen === nth ? (when === "before" ? "hang" : { after: "hang" }) : undefined;
  };
  const first = stage.start([batch, "--json"], env);
  const held = expect.poll(() => standIn.log.filter((request) => is(request) && request.status === 0), { timeout: 120_000 });
  await Promise.race([
    held.toHaveLength(1),
    first.ended.then(({ stdout, stderr }) => expect.fail(`it ended: ${stdout.slice(-3_000)}${stderr}`)),
  ]);
  first.child.kill("SIGKILL");
  await first.ended;
  const { code, stdout, stderr } = await stage.run([batch, "--json"], env);
  expect(code, `${stdout.slice(-4_000)}${stderr}`).toBe(0);
}

/** One pull request that was merged once, the branch gone, and the ticket done. */
async function expectOnce({ standIn, stage, found }: Staged): Promise<void> {
  const { forge, folder, issues } = found();
  expect(forge.pulls).toHaveLength(1);
  expect(forge.pulls[0]).toMatchObject({ number: 2, mergedBy: "loop" });
  const [landed, ...before] = (await git(folder, ["log", "--format=%H", "main"])).split("\n");
  expect(before).toHaveLength(1);
  expect(stage.git("app", "rev-parse", "main")).toBe(landed);
  expect([...(await branches(folder)).keys()]).toEqual(["main"]);
  const [issue, pull] = issues;
  expect(issue).toMatchObject({ number: 1, state: "closed", stateReason: "completed" });
  expect(issue?.comments.map(({ author }) => author)).toEqual(["loop"]);
  expect(pull?.comments).toEqual([]);
  expect((await stage.report()).tickets).toMatchObject([{ id: "app-1", state: "done" }]);
  expect(standIn.mistakes).toEqual([]);
}

describe.each(["before", "after"] as const)("kill -9 %s", { timeout: 300_000 }, (when) => {
  test.each(EFFECTS)("$name: one pull request, one answer, one merge", async (point) => {
    const world = await staged({ jobs: [CI] });
    botObjects(world);
    await killedAt(world, point, when);
    await expectOnce(world);
    expect(world.stage.git("app", "show", "main:work.txt")).toBe("done");
    const [thread] = world.found().forge.pulls[0]?.threads ?? [];
    expect(thread?.comments.map(({ author }) => author)).toEqual([BOT, "loop"]);
    expect(thread?.isResolved).toBe(true);
  });

  test("the merge queue is asked: it is in the queue once", async () => {
    const world = await staged({ jobs: [CI], protection: { main: { mergeQueue: "squash" } } });
    await killedAt(world, { name: "", is: isMutation("enqueuePullRequest") }, when);
    await expectOnce(world);
  });

  test("a job that lost its machine is started again: once, and no agent works again", async () => {
    const world = await staged({ jobs: [{ ...CI, infrastructure: { how: "runner lost", attempts: 1 } }] });
    await killedAt(world, { name: "", is: isSent("POST", /\/actions\/(?:jobs|runs)\/\d+\/rerun/) }, when);
    await expectOnce(world);
    expect(world.found().forge.ciJobs.map(({ attempt }) => attempt)).toEqual([1, 2]);
    // The work of the first agent.
    expect(world.stage.git("app", "show", "main:work.txt")).toBe("half");
  });
});
