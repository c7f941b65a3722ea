import { describe, expect, it } from "vitest";
import { type BranchChecksOptions, createBranchChecks } from "../../../../src/adapters/forge/github/branch-checks.ts";
import { findBranch } from "../../../../src/adapters/forge/github/find-branch.ts";
import type { SeedJob } from "../../../stand-ins/github/forge/model.ts";
import { REPO } from "../../../stand-ins/github/forge/stage.ts";
import { aForgeStage, BRANCH, type ForgeStage, unavailable } from "./stage.ts";

const LINT: SeedJob = { name: "lint", command: ["false"], workflow: "Style" };
const UNIT: SeedJob = { name: "test", command: ["true"], workflow: "Test" };

function accessOf({ standIn }: ForgeStage) {
  const token = { get: async () => "token", renew: () => Promise.reject(new Error("there is no other token")) };
  return { repo: REPO, baseUrl: standIn.enterpriseUrl, token, now: Date.now };
}

const checksOf = (stage: ForgeStage, more: Partial<BranchChecksOptions> = {}) =>
  createBranchChecks({ ...accessOf(stage), branch: BRANCH, ...more });

/** A branch with an open pull request whose jobs are over. */
async function checked() {
  const stage = await aForgeStage({ jobs: [LINT, UNIT] });
  const { headSha } = await stage.opened({ "a.txt": "a" });
  await stage.forge.untilChecked(REPO, headSha, 2);
  return { stage, headSha };
}

/** A signal that is never aborted. */
const { signal } = new AbortController();

const namesOf = async (port: ReturnType<typeof createBranchChecks>) =>
  (await port.read(signal)).checks.map(({ name, state }) => `${name} ${state}`).toSorted();

describe("the checks of a branch", () => {
  it("are those of the commit at its tip, by runs and by statuses", async () => {
    const { stage, headSha } = await checked();
    const headers = { authorization: "Bearer token", "content-type": "application/json" };
    const body = JSON.stringify({ state: "pending", context: "deploy" });
    await fetch(`${stage.standIn.enterpriseUrl}/repos/${REPO}/statuses/${headSha}`, { method: "POST", headers, body });
    expect((await checksOf(stage).read(signal)).tip).toBe(headSha);
    expect(await namesOf(checksOf(stage))).toEqual(["deploy waiting", "lint failed", "test passed"]);
    stage.forge.gate = ({ stage: at }) => (at === "finish" ? new Promise(() => undefined) : undefined);
    const pushed = await stage.forge.person("ann").push(REPO, BRANCH, { "b.txt": "b" });
    const { tip, checks } = await checksOf(stage).read(signal);
    expect([tip, checks.filter(({ state }) => state === "failed" || state === "passed")]).toEqual([pushed, []]);
  });

  it("are those of one workflow, by its name or its file, and never those of one's own run", async () => {
    const { stage } = await checked();
    expect(await namesOf(checksOf(stage, { workflow: "Test" }))).toEqual(["test passed"]);
    expect(await namesOf(checksOf(stage, { workflow: "style.yml" }))).toEqual(["lint failed"]);
    expect(await namesOf(checksOf(stage, { workflow: "elsewhere.yml" }))).toEqual([]);
    const own = stage.standIn.state.repos[0]?.forge?.runs.find(({ workflow }) => workflow === "Style")?.id;
    if (own === undefined) throw new Error("there is no run");
    expect(await namesOf(checksOf(stage, { ignoredRun: own }))).toEqual(["test passed"]);
    expect(stage.standIn.mistakes).toEqual([]);
  });

  it("are all of its statuses, also those of a second page, with what failed there", async () => {
    const { stage, headSha } = await checked();
    const statuses = stage.standIn.state.repos[0]?.forge?.statuses;
    if (statuses === undefined) throw new Error("there is no forge");
    const add = (id: number, state: "success" | "failure") =>
      statuses.push({
        ...{ id, sha: headSha, context: `bot ${id}`, state, description: "says no", targetUrl: null, createdAt: 0 },
        creator: "ann",
      });
    for (let id = 1; id <= 100; id += 1) add(id, "success");
    add(101, "failure");
    const { checks } = await checksOf(stage).read(signal);
    expect(checks.filter(({ name }) => name.startsWith("bot "))).toHaveLength(101);
    expect(checks.find(({ name }) => name === "bot 101")).toMatchObject({ state: "failed" });
    expect(await checksOf(stage).failures(headSha, ["bot 101"], signal)).toMatchObject([{ name: "bot 101", log: "says no" }]);
  });

  it("tell one that was skipped from one that has passed", async () => {
    const { stage } = await checked();
    const job = stage.standIn.state.repos[0]?.forge?.ciJobs.find(({ name }) => name === "test");
    if (job === undefined) throw new Error("there is no job");
    job.conclusion = "skipped";
    const { checks } = await checksOf(stage).read(signal);
    expect(checks.find(({ name }) => name === "test")).toMatchObject({ state: "passed", isInconclusive: true });
    expect(checks.find(({ name }) => name === "lint")?.isInconclusive).toBeUndefined();
  });

  it("tell one that is neutral from one that has passed", async () => {
    const { stage } = await checked();
    const job = stage.standIn.state.repos[0]?.forge?.ciJobs.find(({ name }) => name === "test");
    if (job === undefined) throw new Error("there is no job");
    job.conclusion = "neutral";
    const { checks } = await checksOf(stage).read(signal);
    expect(checks.find(({ name }) => name === "test")).toMatchObject({ state: "passed", isInconclusive: true });
  });

  it("tell whether a workflow is among them, and since when there are others", async () => {
    const { stage } = await checked();
    expect((await checksOf(stage).read(signal)).withoutWorkflowSince).toBeUndefined();
    const headSha = await stage.forge.person("ann").push(REPO, "alone", { "c.txt": "c" });
    const checks = checksOf(stage, { branch: "alone" });
    expect(await checks.read(signal)).toEqual({ tip: headSha, checks: [] });
    for (const [id, at] of [5_000, 7_000].entries())
      stage.standIn.state.repos[0]?.forge?.statuses.push({
        ...{ id, sha: headSha, context: `bot ${id}`, state: "success", description: "", targetUrl: null, createdAt: at },
        creator: "ann",
      });
    expect(await checks.read(signal)).toMatchObject({ checks: [{}, {}], withoutWorkflowSince: 5_000 });
  });

  it("are all jobs of one name in a run of a workflow, such as those of a matrix", async () => {
    const stage = await aForgeStage({ jobs: [{ ...UNIT, command: ["false"] }, UNIT] });
    const { headSha } = await stage.opened({ "a.txt": "a" });
    await stage.forge.untilChecked(REPO, headSha, 2);
    for (const job of stage.standIn.state.repos[0]?.forge?.ciJobs ?? [])
      Object.assign(job, { startedAt: 1_000, completedAt: 9_000 });
    expect(await namesOf(checksOf(stage))).toEqual(["test failed", "test passed"]);
  });

  it("tell whether their workflow still runs: a job that needs another one is still to appear", async () => {
    const stage = await aForgeStage({ jobs: [UNIT, { ...UNIT, name: "later", needs: "test" }] });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    stage.forge.gate = ({ stage: at, job }) => (at === "register" && job === "later" ? held : undefined);
    const { headSha } = await stage.opened({ "a.txt": "a" });
    await stage.forge.untilChecked(REPO, headSha, 1);
    expect(await checksOf(stage).read(signal)).toMatchObject({ checks: [{ state: "passed" }], isWorkflowRunning: true });
    release();
    await stage.forge.untilChecked(REPO, headSha, 2);
    const { checks, isWorkflowRunning } = await checksOf(stage).read(signal);
    expect([checks.length, isWorkflowRunning]).toEqual([2, undefined]);
    expect(stage.standIn.mistakes).toEqual([]);
  });

  it("tell of a workflow whose next job appeared while they were being read", async () => {
    const { stage, headSha } = await checked();
    const jobs = stage.standIn.state.repos[0]?.forge?.ciJobs ?? [];
    const job = jobs.find(({ name }) => name === "test");
    if (job === undefined) throw new Error("there is no job");
    // Its run has ended by what is read between the two lists.
    let lists = 0;
    stage.standIn.fault = ({ path }) => {
      if (!path.endsWith(`/commits/${headSha}/check-runs`)) return undefined;
      lists += 1;
      if (lists === 2) jobs.push({ ...job, id: job.id + 1_000_000, name: "later", status: "queued", conclusion: null });
      return undefined;
    };
    const { checks, isWorkflowRunning } = await checksOf(stage, { workflow: "Test" }).read(signal);
    expect([checks.map(({ name }) => name), isWorkflowRunning, lists]).toEqual([["test"], true, 2]);
  });

  it.each(["read", "failures", "history", "rerun"] as const)(
    "are no longer asked for once the signal is aborted: %s",
    async (what) => {
      const { stage, headSha } = await checked();
      const controller = new AbortController();
      const { promise: asked, resolve } = Promise.withResolvers<void>();
      stage.standIn.fault = () => {
        resolve();
        return "hang";
      };
      // Without the signal, the answer would be waited for as long as the test has.
      const checks = checksOf(stage, { timeoutMs: 600_000 });
      const answer = what === "read" ? checks.read(controller.signal) : checks[what](headSha, ["lint"], controller.signal);
      const ended = unavailable(answer);
      await asked;
      const before = stage.standIn.log.length;
      controller.abort();
      await ended;
      expect(stage.standIn.log.length).toBe(before);
    },
  );

  it("are no longer downloaded once the signal is aborted", async () => {
    const { stage, headSha } = await checked();
    const controller = new AbortController();
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    stage.standIn.forge.downloads.hangs = () => {
      resolve();
      return true;
    };
    const ended = unavailable(checksOf(stage, { timeoutMs: 600_000 }).failures(headSha, ["lint"], controller.signal));
    await asked;
    controller.abort();
    await ended;
  });

  it("are none without the branch, and no answer is none", async () => {
    const { stage } = await checked();
    expect(await checksOf(stage, { branch: "elsewhere" }).read(signal)).toEqual({ tip: undefined, checks: [] });
    stage.standIn.fault = () => ({ status: 500 });
    await unavailable(checksOf(stage).read(signal));
  });
});

describe("findBranch", () => {
  it("gives the tip and the open pull request, by either name", async () => {
    const { stage, headSha } = await checked();
    const found = { branch: BRANCH, tip: headSha, pullRequest: { number: 1, url: expect.stringMatching(/\/pull\/1$/) } };
    expect(await findBranch(accessOf(stage), BRANCH)).toEqual(found);
    expect(await findBranch(accessOf(stage), 1)).toEqual(found);
  });

  it("refuses a pull request that is merged", async () => {
    const stage = await aForgeStage();
    await stage.opened({ "a.txt": "a" });
    await stage.forge.person("ann").merge(REPO, 1);
    expect(await findBranch(accessOf(stage), 1)).toMatchObject({ why: "pull request #1 is merged" });
  });
});
