import { describe, expect, it } from "vitest";
import type { Pull } from "../../../stand-ins/github/forge/model.ts";
import { CHECK, REPO } from "../../../stand-ins/github/forge/stage.ts";
import { aForgeStage, BRANCH, type ForgeStage, isMutation, isRequest, unavailable } from "./stage.ts";

const GREEN = { "ok.txt": "yes\n" };
const ANSWER = "Done in the next commit.";

async function withThreads(): Promise<{ readonly stage: ForgeStage; readonly pull: Pull }> {
  const stage = await aForgeStage();
  const pull = await stage.opened({ "a.txt": "one\ntwo\n" });
  stage.standIn.state.users["robot[bot]"] = { login: "robot[bot]", name: null, id: 5, isBot: true };
  const at = { path: "a.txt", body: "Why?" };
  await stage.forge.person("robot[bot]").openThread(REPO, pull.number, { ...at, line: 1 });
  await stage.forge.person("ann").openThread(REPO, pull.number, { ...at, line: 2 });
  return { stage, pull };
}

async function answered({ stage, pull }: { readonly stage: ForgeStage; readonly pull: Pull }): Promise<void> {
  const { threads } = await stage.pullRequests.read(pull.number);
  await stage.pullRequests.answer(pull.number, threads, ANSWER);
}

function bodies({ threads }: Pull): readonly (readonly string[])[] {
  return threads.map(({ comments }) => comments.map(({ body }) => body));
}

describe("answer", () => {
  it("answers each thread once, and resolves those of bots alone", async () => {
    const { stage, pull } = await withThreads();
    const { threads } = await stage.pullRequests.read(pull.number);
    await stage.pullRequests.answer(pull.number, threads, ANSWER);
    await stage.pullRequests.answer(pull.number, threads, ANSWER);
    expect(bodies(pull)).toEqual([
      ["Why?", ANSWER],
      ["Why?", ANSWER],
    ]);
    expect(pull.threads.map(({ isResolved }) => isResolved)).toEqual([true, false]);
  });

  it.each(["addPullRequestReviewThreadReply", "resolveReviewThread"])(
    "answers once if the answer to %s is lost",
    async (name) => {
      const { stage, pull } = await withThreads();
      const { threads } = await stage.pullRequests.read(pull.number);
      for (const fault of ["reset", { after: "reset" }] as const) {
        stage.once(isMutation(name), fault);
        await unavailable(stage.pullRequests.answer(pull.number, threads, ANSWER));
      }
      await stage.pullRequests.answer(pull.number, threads, ANSWER);
      expect(bodies(pull)).toEqual([
        ["Why?", ANSWER],
        ["Why?", ANSWER],
      ]);
      expect(pull.threads[0]?.isResolved).toBe(true);
    },
  );

  it("leaves an answered thread of a person as it was, until somebody says more", async () => {
    const { stage, pull } = await withThreads();
    const before = (await stage.pullRequests.read(pull.number)).threads.filter(({ isBot }) => !isBot);
    await answered({ stage, pull });
    const after = await stage.pullRequests.read(pull.number);
    expect(after.threads.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    await stage.forge.person("ben").reply(REPO, pull.number, pull.threads[1]?.id ?? 0, "Still wrong.");
    const more = await stage.pullRequests.read(pull.number);
    expect(more.threads).toMatchObject([{ body: `Why?\n\n${ANSWER}\n\nStill wrong.` }]);
    expect(more.threads[0]?.id).not.toBe(before[0]?.id);
    await answered({ stage, pull });
    expect(bodies(pull)[1]).toEqual(["Why?", ANSWER, "Still wrong.", ANSWER]);
  });
});

describe("removeBranch", () => {
  it("removes the branch that is where it should be, and nothing else", async () => {
    const stage = await aForgeStage();
    const pull = await stage.opened(GREEN);
    const at = pull.headSha;
    const theirs = await stage.forge.person("ann").push(REPO, BRANCH, { "b.txt": "theirs\n" });
    await stage.pullRequests.removeBranch(BRANCH, at);
    expect((await stage.github.git(["ls-remote", "origin", BRANCH])).stdout).toContain(theirs);
    await stage.pullRequests.removeBranch(BRANCH, theirs);
    expect((await stage.github.git(["ls-remote", "origin", BRANCH])).stdout).toBe("");
    await stage.pullRequests.removeBranch(BRANCH, theirs);
    await expect(stage.pullRequests.removeBranch("main", theirs)).rejects.toThrow("is the base");
  });

  it("is done if the answer is lost after the effect, and is not if before", async () => {
    const stage = await aForgeStage();
    const { headSha } = await stage.opened(GREEN);
    stage.once(isRequest("DELETE", /\/git\/refs\//), "reset");
    await unavailable(stage.pullRequests.removeBranch(BRANCH, headSha));
    stage.once(isRequest("DELETE", /\/git\/refs\//), { after: "reset" });
    await stage.pullRequests.removeBranch(BRANCH, headSha);
    expect((await stage.github.git(["ls-remote", "origin", BRANCH])).stdout).toBe("");
  });
});

describe("rerun", () => {
  const FLAKY = { ...CHECK, flaky: "fails first on each SHA" } as const;

  it("starts the failed job again, once, though the answer is lost", async () => {
    const stage = await aForgeStage({ jobs: [FLAKY, { ...CHECK, name: "other" }] });
    const { headSha } = await stage.opened(GREEN);
    await stage.forge.untilChecked(REPO, headSha, 2);
    const gate = Promise.withResolvers<void>();
    stage.forge.gate = ({ stage: moment }) => (moment === "start" ? gate.promise : undefined);
    stage.once(isRequest("POST", /\/actions\/jobs\/\d+\/rerun$/), { after: "reset" });
    const asked = stage.pullRequests.rerun(headSha, ["test", "other", "no such check"]);
    await stage.forge.until(() => stage.github.jobs(headSha).length === 3);
    expect(await asked).toEqual(["test"]);
    expect(await stage.pullRequests.rerun(headSha, ["test", "other"])).toEqual([]);
    gate.resolve();
    await stage.forge.untilChecked(REPO, headSha, 3);
    expect(stage.github.jobs(headSha).map(({ name, conclusion }) => [name, conclusion])).toEqual([
      ["test", "failure"],
      ["other", "success"],
      ["test", "success"],
    ]);
  });

  it("starts several jobs of a run by one request", async () => {
    const stage = await aForgeStage({ jobs: [FLAKY, { ...FLAKY, name: "other" }] });
    const { headSha } = await stage.opened(GREEN);
    await stage.forge.untilChecked(REPO, headSha, 2);
    stage.requests();
    await stage.pullRequests.rerun(headSha, ["test", "other"]);
    expect(stage.requests().filter((request) => request.startsWith("POST"))).toEqual([
      expect.stringMatching(/\/rerun-failed-jobs$/),
    ]);
    await stage.forge.untilChecked(REPO, headSha, 4);
  });

  it("tells which job has to end first: GitHub starts none again while others of its workflow run", async () => {
    const stage = await aForgeStage({ jobs: [FLAKY, { ...CHECK, name: "docs" }] });
    const gate = Promise.withResolvers<void>();
    stage.forge.gate = ({ job, stage: moment }) => (job === "docs" && moment === "finish" ? gate.promise : undefined);
    const { headSha } = await stage.opened(GREEN);
    await stage.forge.untilChecked(REPO, headSha, 1);
    const refused = await unavailable(stage.pullRequests.rerun(headSha, ["test"]));
    expect(refused).toMatchObject({
      name: "JobsStillRun",
      message: "GitHub re-runs failed jobs when docs has ended",
      open: ["docs"],
    });
    gate.resolve();
    await stage.forge.untilChecked(REPO, headSha, 2);
    expect(await stage.pullRequests.rerun(headSha, ["test"])).toEqual(["test"]);
  });

  it("tells that the token may not, which no wait mends", async () => {
    const stage = await aForgeStage({ jobs: [FLAKY] });
    const { headSha } = await stage.opened(GREEN);
    await stage.forge.untilChecked(REPO, headSha, 1);
    const body = { message: "Resource not accessible by personal access token" };
    stage.once(isRequest("POST", /\/actions\/jobs\/\d+\/rerun$/), { status: 403, body });
    const refused = await unavailable(stage.pullRequests.rerun(headSha, ["test"]));
    expect(refused).toMatchObject({ name: "RerunRefused", message: expect.stringContaining("(403): Resource not accessible") });
  });

  it("leaves a history of all runs of a check on the commit, with the words of the failed one", async () => {
    const stage = await aForgeStage({ jobs: [FLAKY, { ...CHECK, name: "other" }] });
    const { headSha } = await stage.opened(GREEN);
    await stage.forge.untilChecked(REPO, headSha, 2);
    expect(await stage.pullRequests.history(headSha, ["test"])).toMatchObject([{ name: "test", failure: { name: "test" } }]);
    await stage.pullRequests.rerun(headSha, ["test"]);
    await stage.forge.untilChecked(REPO, headSha, 3);
    const [newest, first, ...others] = await stage.pullRequests.history(headSha, ["test"]);
    expect([newest, others]).toEqual([{ name: "test" }, []]);
    expect(first?.failure?.log).not.toBe("");
  });

  it("is unavailable while GitHub is", async () => {
    const stage = await aForgeStage({ jobs: [FLAKY] });
    const { headSha } = await stage.opened(GREEN);
    await stage.forge.untilChecked(REPO, headSha);
    stage.once(isRequest("POST", /\/rerun$/), "reset");
    await unavailable(stage.pullRequests.rerun(headSha, ["test"]));
    expect(stage.github.jobs(headSha)).toHaveLength(1);
  });
});

describe("pauseMs", () => {
  it("is a fifth of the wait so far, between 150 ms and five seconds, while the budget is ahead of its half", async () => {
    const stage = await aForgeStage();
    const { number } = await stage.opened(GREEN);
    const { limits, used } = stage.standIn.budgets;
    limits.graphql = 5000;
    await stage.pullRequests.read(number);
    expect([0, 10_000, 600_000].map((waited) => stage.pullRequests.pauseMs(waited))).toEqual([150, 2000, 5000]);
    used.graphql = 0.06 * limits.graphql;
    await stage.pullRequests.read(number);
    expect(stage.pullRequests.pauseMs(0)).toBe(5000);
  });

  it("leaves half of what is left, between five seconds and five minutes", async () => {
    const stage = await aForgeStage();
    const { number } = await stage.opened(GREEN);
    stage.standIn.budgets.limits.graphql = 5000;
    await stage.pullRequests.read(number);
    await stage.pullRequests.read(number);
    expect(stage.pullRequests.pauseMs(60_000)).toBe(5000);
    stage.standIn.budgets.limits.graphql = stage.standIn.budgets.used.graphql + 2;
    await stage.pullRequests.read(number);
    expect(stage.pullRequests.pauseMs(0)).toBe(300_000);
  });

  it("counts one reading of every open pull request as the cost of a round", async () => {
    const stage = await aForgeStage();
    const { number } = await stage.opened(GREEN);
    const { number: other } = await stage.github.open("other", { "b.txt": "b\n" });
    stage.standIn.budgets.limits.graphql = 700;
    stage.standIn.budgets.used.graphql = 50;
    for (let round = 0; round < 2; round += 1) await stage.pullRequests.read(number);
    const one = stage.pullRequests.pauseMs(0);
    for (let round = 0; round < 4; round += 1) for (const each of [number, other]) await stage.pullRequests.read(each);
    expect(stage.pullRequests.pauseMs(0)).toBeGreaterThan(1.6 * one);
  });
});
