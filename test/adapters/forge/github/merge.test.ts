import { describe, expect, it } from "vitest";
import type { Pull } from "../../../stand-ins/github/forge/model.ts";
import { CHECK, REPO } from "../../../stand-ins/github/forge/stage.ts";
import { secondaryLimit } from "../../../stand-ins/github/secondary-limit.ts";
import { aForgeStage, BRANCH, type ForgeStage, isMutation, isRequest, unavailable } from "./stage.ts";

const GREEN = { "ok.txt": "yes\n" };
const PUT = isRequest("PUT", /\/merge$/);
const QUEUED = { jobs: [CHECK], protection: { main: { mergeQueue: "squash" } } } as const;

/** A pull request whose checks have passed. */
async function green(stage: ForgeStage): Promise<Pull> {
  const pull = await stage.opened(GREEN);
  if (stage.github.forge.jobs.length > 0) await stage.forge.untilChecked(REPO, pull.headSha);
  return pull;
}

/** The messages of the commits on main at the forge, the newest first, with the numbers of their parents. */
async function landed(stage: ForgeStage): Promise<readonly string[]> {
  await stage.github.git(["fetch", "-q", "origin"]);
  const { stdout } = await stage.github.git(["log", "--first-parent", "--format=%s|%p", "origin/main"]);
  return stdout
    .trim()
    .split("\n")
    .map(
      (line) =>
        `${line.split("|")[0]} (${
          line
            .split("|")[1]
            ?.split(" ")
            .filter((each) => each !== "").length
        })`,
    );
}

describe("merge", () => {
  it("squashes with the engine's message, and says the same if it is asked again", async () => {
    const stage = await aForgeStage({ jobs: [CHECK] });
    const pull = await green(stage);
    const merged = await stage.merge(pull);
    expect(merged).toEqual({ as: "merged", commit: pull.mergeSha });
    expect(await landed(stage)).toEqual(["T-1: A change (1)", "First commit (0)"]);
    expect((await stage.github.git(["log", "-1", "--format=%b", "origin/main"])).stdout).toContain("Loopdash-Ticket: T-1");
    stage.requests();
    expect(await stage.merge(pull)).toEqual(merged);
    expect(stage.requests()).toEqual(["POST /graphql"]);
  });

  it.each([
    ["a merge, if squashes are not allowed", { settings: { allowSquash: false } }, ["T-1: A change (2)", "First commit (0)"]],
    [
      "a rebase, if nothing else is allowed",
      { settings: { allowSquash: false, allowMerge: false } },
      ["A change (1)", "First commit (0)"],
    ],
    [
      "a rebase, if the history must be linear",
      { settings: { allowSquash: false }, protection: { main: { hasLinearHistory: true } } },
      ["A change (1)", "First commit (0)"],
    ],
    [
      "a rebase, if the history must be linear, and the token cannot see that",
      { settings: { allowSquash: false }, protection: { main: { hasLinearHistory: true, source: "classic" as const } } },
      ["A change (1)", "First commit (0)"],
    ],
  ])("makes %s", async (_what, seed, history) => {
    const stage = await aForgeStage(seed);
    const pull = await green(stage);
    expect(await stage.merge(pull)).toEqual({ as: "merged", commit: pull.mergeSha });
    expect(await landed(stage)).toEqual(history);
    const isUnseen = Object.values(stage.github.forge.protection).some(({ source }) => source === "classic");
    expect(stage.requests().filter((request) => request.startsWith("PUT"))).toHaveLength(isUnseen ? 2 : 1);
  });

  it("takes the batch's method, and no other", async () => {
    const stage = await aForgeStage({}, { more: { method: "merge" } });
    await stage.merge(await green(stage));
    expect(await landed(stage)).toEqual(["T-1: A change (2)", "First commit (0)"]);
    const strict = await aForgeStage({ settings: { allowMerge: false } }, { more: { method: "merge" } });
    expect(await strict.merge(await green(strict))).toMatchObject({
      as: "refused",
      reason: expect.stringContaining("not allowed"),
    });
    expect(await landed(strict)).toEqual(["First commit (0)"]);
  });

  it("refuses with GitHub's words while a check is missing, and merges nothing", async () => {
    const stage = await aForgeStage({ jobs: [CHECK] });
    stage.forge.gate = () => Promise.withResolvers<void>().promise;
    const pull = await stage.opened(GREEN);
    expect(await stage.merge(pull)).toMatchObject({ as: "refused", reason: expect.stringContaining('"test" is expected') });
    expect(pull.mergedAt).toBeNull();
  });

  it("merges no commit but the one that was checked", async () => {
    const stage = await aForgeStage();
    const pull = await green(stage);
    const checked = pull.headSha;
    await stage.forge.person("ann").push(REPO, BRANCH, { "b.txt": "theirs\n" });
    expect(await stage.merge(pull, checked)).toEqual({ as: "changed" });
    expect(await landed(stage)).toEqual(["First commit (0)"]);
    // A person who merges their own commit has not merged the one that was checked.
    await stage.forge.person("ann").merge(REPO, pull.number);
    expect(await stage.merge(pull, checked)).toEqual({ as: "changed" });
  });

  it("merges no other commit if it is pushed right before the request", async () => {
    const stage = await aForgeStage();
    const pull = await green(stage);
    const checked = pull.headSha;
    const pushed = Promise.withResolvers<void>();
    // The first reading is of a time before the push.
    stage.standIn.alter = (answer) => {
      stage.standIn.alter = (each) => each;
      stage.forge
        .person("ann")
        .push(REPO, BRANCH, { "b.txt": "theirs\n" })
        .then(() => pushed.resolve(), pushed.reject);
      return answer;
    };
    expect(await stage.merge(pull, checked)).toEqual({ as: "changed" });
    await pushed.promise;
    expect(pull.mergedAt).toBeNull();
  });

  it("leaves closed and repointed pull requests alone", async () => {
    const stage = await aForgeStage();
    const pull = await green(stage);
    const person = stage.forge.person("ann");
    await person.close(REPO, pull.number);
    expect(await stage.merge(pull)).toEqual({ as: "changed" });
    await person.reopen(REPO, pull.number);
    await person.push(REPO, "release", { "r.txt": "1\n" });
    await person.retarget(REPO, pull.number, "release");
    expect(await stage.merge(pull)).toEqual({ as: "changed" });
    expect(pull.mergedAt).toBeNull();
  });

  it("reads again if the base moved while GitHub merged", async () => {
    const stage = await aForgeStage();
    const pull = await green(stage);
    stage.once(PUT, { status: 405, body: { message: "Base branch was modified. Review and try the merge again." } });
    expect(await stage.merge(pull)).toEqual({ as: "changed" });
  });

  it.each([
    ["after the effect", { after: "reset" } as const],
    ["in a server's failure after the effect", { after: { status: 502, body: { message: "Bad gateway" } } } as const],
    ["half", { after: "truncate" } as const],
  ])("has merged if the answer is lost %s", async (_when, fault) => {
    const stage = await aForgeStage();
    const pull = await green(stage);
    stage.once(PUT, fault);
    expect(await stage.merge(pull)).toEqual({ as: "merged", commit: pull.mergeSha });
    expect(stage.requests().filter((request) => request.startsWith("PUT"))).toHaveLength(1);
  });

  it("is unavailable if the answer is lost before the effect, or GitHub asks to wait", async () => {
    let late = 0;
    const stage = await aForgeStage({}, { more: { now: () => Date.now() + late } });
    const pull = await green(stage);
    stage.once(PUT, "reset");
    expect((await unavailable(stage.merge(pull))).message).toContain("cannot be reached");
    stage.once(PUT, secondaryLimit(60));
    expect((await unavailable(stage.merge(pull))).retryAt).toBeGreaterThan(Date.now() + 50_000);
    expect(pull.mergedAt).toBeNull();
    late = 62_000;
    expect(await stage.merge(pull)).toMatchObject({ as: "merged" });
  });
});

describe("merge through a queue", () => {
  it("asks the queue, which merges once its own checks have passed", async () => {
    const stage = await aForgeStage(QUEUED);
    const pull = await green(stage);
    const { promise, resolve } = Promise.withResolvers<void>();
    stage.forge.gate = () => promise;
    expect(await stage.merge(pull)).toEqual({ as: "queued" });
    stage.requests();
    expect(await stage.merge(pull)).toEqual({ as: "queued" });
    expect(stage.requests()).toEqual(["POST /graphql"]);
    resolve();
    await stage.forge.until(() => pull.mergedAt !== null);
    expect(await stage.merge(pull)).toEqual({ as: "merged", commit: pull.mergeSha });
  });

  it("queues no commit but the one that was checked", async () => {
    const stage = await aForgeStage(QUEUED);
    const pull = await green(stage);
    const checked = pull.headSha;
    await stage.forge.person("ann").push(REPO, BRANCH, { "b.txt": "theirs\n" });
    await stage.forge.untilChecked(REPO, pull.headSha);
    const theirs = pull.headSha;
    // The reading before it is of a time before the push.
    stage.standIn.alter = (answer) => {
      stage.standIn.alter = (each) => each;
      return JSON.parse(JSON.stringify(answer).replace(theirs, checked));
    };
    expect(await stage.merge(pull, checked)).toEqual({ as: "changed" });
    expect(stage.github.forge.queue).toEqual([]);
  });

  it("has been queued if the answer is lost after the effect, once", async () => {
    const stage = await aForgeStage(QUEUED);
    const pull = await green(stage);
    stage.forge.gate = () => Promise.withResolvers<void>().promise;
    stage.once(isMutation("enqueuePullRequest"), { after: "reset" });
    expect(await stage.merge(pull)).toEqual({ as: "queued" });
    expect(stage.requests().filter((request) => request === "POST /graphql")).toHaveLength(3);
    stage.once(isMutation("enqueuePullRequest"), "reset");
    await stage.forge.person("ann").dequeue(REPO, pull.number);
    await unavailable(stage.merge(pull));
    expect(stage.github.forge.queue).toEqual([]);
  });

  it("says why the queue refuses", async () => {
    const stage = await aForgeStage(QUEUED);
    stage.forge.gate = () => Promise.withResolvers<void>().promise;
    const pull = await stage.opened(GREEN);
    expect(await stage.merge(pull)).toEqual({
      as: "refused",
      reason: 'GitHub refuses to put the pull request into the merge queue: Required status check "test" is expected.',
    });
  });
});
