import { describe, expect, onTestFinished, test } from "vitest";
import type { Fault } from "../stand-ins/github/fault.ts";
import { tryGit } from "../stand-ins/github/forge/git.ts";
import type { SeedForge } from "../stand-ins/github/forge/model.ts";
import { GitHubStandIn, type SeenRequest } from "../stand-ins/github/server.ts";
import { eventsOf, HONEST, PROGRAM, Stage } from "./stage.ts";

const REPO = "acme/app";
const TOKEN = "token-of-loopdash";
/** A required job that passes if T-1.txt says "done". */
const CHECKED = {
  name: "ci",
  isRequired: true,
  command: [
    "node",
    "-e",
    'const t = require("fs").readFileSync("T-1.txt", "utf8"); if (t !== "done\\n") { console.log("::error file=T-1.txt,line=1::says " + t); process.exit(1); }',
  ],
};

/** A clone of a repository at the stand-in, and a batch whose changes land there by pull requests. */
async function staged(forge: SeedForge, over: Record<string, unknown> = {}) {
  const seed = { repos: { [REPO]: { forge, associations: { ann: "MEMBER" } } }, tokens: { [TOKEN]: "loop" } } as const;
  const standIn = await new GitHubStandIn({ seed }).open();
  const stage = new Stage(PROGRAM);
  onTestFinished(async () => {
    stage[Symbol.dispose]();
    await standIn[Symbol.asyncDispose]();
  });
  // The stand-in is in this process, which must not wait for git.
  const login = `http.extraHeader=Authorization: Basic ${btoa(`x-access-token:${TOKEN}`)}`;
  const cloned = await tryGit(stage.root, ["-c", login, "clone", "-q", `${standIn.url}/${REPO}.git`, "app"]);
  expect(cloned).toMatchObject({ code: 0 });
  stage.agent(HONEST);
  const spec = { kind: "github", repo: REPO, baseUrl: standIn.enterpriseUrl, ...(over["forge"] as object) };
  const { forge: _, ...rest } = over;
  const batch = stage.batch(["T-1"], { sandbox: "required", repos: { app: { path: "app", forge: spec } }, ...rest });
  const env = { GITHUB_TOKEN: TOKEN };
  const forgeOf = () => {
    const found = standIn.state.repos.find(({ fullName }) => fullName === REPO)?.forge;
    if (found === undefined) throw new Error("the repository has no git");
    return found;
  };
  const run = async () => {
    const ended = await stage.run([batch, "--json"], env);
    return { ...ended, events: eventsOf(ended.stdout), said: `${ended.stdout.slice(-4_000)}${ended.stderr}` };
  };
  /** What the base at the forge says. */
  const there = async (...args: string[]) => {
    expect(await tryGit(stage.path("app"), ["-c", login, "fetch", "-q", "origin", "main"])).toMatchObject({ code: 0 });
    return stage.git("app", ...args);
  };
  return { stage, standIn, batch, env, run, forgeOf, there };
}

describe("a repository whose changes land by pull requests", { timeout: 300_000 }, () => {
  test("has one pull request a ticket, whose required check ran on the pushed commit, and the base has what it checked", async () => {
    const { stage, standIn, batch, env, run, forgeOf, there } = await staged({ jobs: [CHECKED] });
    const plan = await stage.run([batch, "--dry-run"], env);
    expect(plan.stdout, plan.stderr).toContain("app lands on main here and at acme/app by pull requests");
    const { code, said, events } = await run();
    expect(code, said).toBe(0);
    const { pulls } = forgeOf();
    expect(pulls).toHaveLength(1);
    expect(await there("show", "FETCH_HEAD:T-1.txt")).toBe("done");
    expect(await there("rev-parse", "FETCH_HEAD")).toBe(stage.git("app", "rev-parse", "main"));
    expect(stage.landed()).toEqual(["T-1"]);
    expect(forgeOf().ciJobs.length).toBeGreaterThan(0);
    expect(events.filter(({ type }) => type === "pull-request-opened")).toHaveLength(1);
    expect(stage.git("app", "status", "--porcelain")).toBe("");
    expect((await stage.report()).pullRequests).toMatchObject([{ ticket: "T-1", number: 1 }]);
    // The token is nowhere in what is kept.
    expect(stage.everything()).not.toContain(TOKEN);
    expect(standIn.mistakes).toEqual([]);
  });

  test("a red check goes back to an agent with what its machine says, and its repair lands by the same pull request", async () => {
    const { stage, run, forgeOf, there } = await staged({ jobs: [CHECKED] });
    stage.agent(`if (attempt > 1) say("TOLD " + /says half/.test(prompt));
      fs.writeFileSync("T-1.txt", attempt === 1 ? "half\\n" : "done\\n");`);
    const { code, said, stdout } = await run();
    expect(code, said).toBe(0);
    expect(stdout).toContain("TOLD true");
    expect(forgeOf().pulls).toHaveLength(1);
    expect(await there("show", "FETCH_HEAD:T-1.txt")).toBe("done");
    expect((await stage.report()).tickets).toMatchObject([{ id: "T-1", state: "done", attempts: 2 }]);
  });

  test("a missing approval leaves the ticket to a person, with the link, and its change waits there", async () => {
    const { stage, run, forgeOf, there } = await staged({ jobs: [CHECKED], protection: { main: { approvals: 1 } } });
    const { code, said } = await run();
    expect(code, said).toBe(0);
    const [ticket] = (await stage.report()).tickets;
    expect(ticket).toMatchObject({
      state: "human-gated",
      humanStep: expect.stringMatching(/approve and merge pull request #1, .*\/pull\/1/),
    });
    expect(forgeOf().pulls).toMatchObject([{ number: 1 }]);
    expect((await there("log", "--format=%s", "FETCH_HEAD")).split("\n")).toHaveLength(1);
  });

  const isMerge = ({ method, path }: SeenRequest) => method === "PUT" && path.endsWith("/merge");
  const BRIEF = { forge: { appearMinutes: 0.1 } };

  test.each<[string, (head: string) => Fault]>([
    ["failed, and is done", () => ({ after: { status: 500, body: { message: "oops" } } })],
    ["refused, and is done", () => ({ after: { status: 405, body: { message: "Merge already in progress" } } })],
    ["lost, and is done", () => ({ after: "reset" })],
  ])("a merge that is %s lands once, and costs no attempt", async (_what, faultOf) => {
    const { stage, standIn, run, forgeOf, there } = await staged({ jobs: [CHECKED] });
    standIn.fault = (request) => (isMerge(request) ? faultOf("") : undefined);
    const { code, said } = await run();
    expect(code, said).toBe(0);
    expect(standIn.log.filter(isMerge)).toHaveLength(1);
    expect((await there("log", "--format=%s", "FETCH_HEAD")).split("\n")).toHaveLength(2);
    expect(forgeOf().pulls).toHaveLength(1);
    expect((await stage.report()).tickets).toMatchObject([{ id: "T-1", state: "done", attempts: 1 }]);
  });

  test.each([
    ["an unknown commit", () => "f".repeat(40)],
    ["the pushed commit itself", (head: string) => head],
  ])(
    "a merge that is answered as done with %s and never happens is a person's: nothing is pushed to the base",
    async (_what, shaOf) => {
      const { stage, standIn, run, forgeOf, there } = await staged({ jobs: [CHECKED] }, BRIEF);
      standIn.fault = (request) =>
        isMerge(request)
          ? { status: 200, body: { sha: shaOf(forgeOf().pulls[0]?.headSha ?? ""), merged: true, message: "merged" } }
          : undefined;
      const { code, said } = await run();
      expect(code, said).toBe(0);
      expect((await stage.report()).tickets).toMatchObject([
        {
          state: "human-gated",
          attempts: 1,
          humanStep: expect.stringMatching(/its merge was told as .*, which main there lacks: it is shown as open/),
        },
      ]);
      expect((await there("log", "--format=%s", "FETCH_HEAD")).split("\n")).toHaveLength(1);
      expect(standIn.log.filter(isMerge)).toHaveLength(1);
    },
  );

  test("a merge that is answered before the base has it, as another commit than it becomes, lands once", async () => {
    const { stage, standIn, run, forgeOf, there } = await staged({ jobs: [CHECKED] });
    let reads = 0;
    standIn.fault = (request) => {
      if (isMerge(request)) return { status: 200, body: { sha: "f".repeat(40), merged: true, message: "merged" } };
      const isLate = standIn.log.some(isMerge) && String(request.body["query"]).includes("reviewThreads");
      if (isLate) reads += 1;
      if (isLate && reads === 2) void standIn.forge.person("ann").merge(REPO, 1);
      return undefined;
    };
    const { code, said } = await run();
    expect(code, said).toBe(0);
    expect((await there("log", "--first-parent", "--format=%s", "FETCH_HEAD")).split("\n")).toHaveLength(2);
    expect((await stage.report()).tickets).toMatchObject([
      { state: "done", attempts: 1, mergedSha: forgeOf().pulls[0]?.mergeSha },
    ]);
    expect(said).toContain("which main there lacks");
  });

  test.each(["pull-request-intended", "pull-request-opened", "pull-request-merging"])(
    "kill -9 at %s: one pull request, one merge",
    async (moment) => {
      const { stage, batch, env, run, forgeOf, there } = await staged({ jobs: [CHECKED] });
      const first = stage.start([batch, "--json"], env);
      await first.until(new RegExp(`"type":"${moment}"`));
      first.child.kill("SIGKILL");
      await first.ended;
      const { code, said } = await run();
      expect(code, said).toBe(0);
      expect(forgeOf().pulls).toHaveLength(1);
      expect((await there("log", "--format=%s", "FETCH_HEAD")).split("\n")).toHaveLength(2);
      expect((await stage.report()).tickets).toMatchObject([{ id: "T-1", state: "done" }]);
    },
  );
});
