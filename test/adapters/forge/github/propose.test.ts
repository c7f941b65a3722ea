import { describe, expect, it } from "vitest";
import type { GitRemote } from "../../../../src/ports/vcs.ts";
import { REPO } from "../../../stand-ins/github/forge/stage.ts";
import { secondaryLimit } from "../../../stand-ins/github/secondary-limit.ts";
import { aForgeStage, BRANCH, isRequest, unavailable } from "./stage.ts";

function aRemote(part: Partial<GitRemote>): GitRemote {
  const unasked = async () => undefined;
  return { name: "origin", tip: unasked, fetch: unasked, checkWritable: unasked, push: async () => ({ as: "pushed" }), ...part };
}

const POST = isRequest("POST", /\/pulls$/);

describe("propose", () => {
  it("pushes the commit and opens a pull request, once however often it is asked", async () => {
    const stage = await aForgeStage();
    const head = await stage.commit({ "a.txt": "one\n" });
    const first = await stage.propose(head);
    expect(first).toEqual({ as: "open", number: 1, url: `${stage.standIn.url}/${REPO}/pull/1` });
    stage.requests();
    expect(await stage.propose(head)).toEqual(first);
    expect(stage.requests()).toEqual([`GET /repos/${REPO}/pulls`]);
    expect(stage.github.forge.pulls).toMatchObject([{ headRef: BRANCH, headSha: head, baseRef: "main" }]);
  });

  it("moves the branch forward and changes the texts that are others", async () => {
    const stage = await aForgeStage();
    const previous = await stage.commit({ "a.txt": "one\n" });
    await stage.propose(previous);
    const head = await stage.commit({ "a.txt": "two\n" }, previous);
    expect(await stage.propose(head, { previous, title: "Better\u001b[31m" })).toMatchObject({ as: "open", number: 1 });
    expect(stage.github.pull(1).headSha).toBe(head);
    expect((await stage.github.get("/pulls/1")).body).toMatchObject({ title: "Better", body: expect.stringMatching(/^Why\.\n/) });
    expect(stage.requests().filter((request) => request.startsWith("PATCH"))).toHaveLength(1);
  });

  it("changes its own text, and none that a person has edited", async () => {
    const stage = await aForgeStage();
    const head = await stage.commit({ "a.txt": "one\n" });
    await stage.propose(head, { body: "- [ ] read" });
    await stage.propose(head, { body: "- [ ] read twice" });
    const { body } = (await stage.github.get("/pulls/1")).body;
    expect(body).toMatch(/^- \[ \] read twice\n/);
    const edited = body.replace("[ ]", "[x]");
    await stage.github.send("PATCH", "/pulls/1", { body: edited });
    expect(await stage.propose(head, { body: "- [ ] read again", title: "Other" })).toMatchObject({ as: "open" });
    expect((await stage.github.get("/pulls/1")).body).toMatchObject({ body: edited, title: "Other" });
  });

  it.each([
    ["comes after the effect", { after: "reset" } as const, 1],
    ["comes before the effect", "reset" as const, 2],
    ["is a server's failure after the effect", { after: { status: 502, body: { message: "Bad gateway" } } } as const, 1],
    ["is cut off", { after: "truncate" } as const, 1],
  ])("opens one pull request if the loss of an answer %s", async (_how, fault, posts) => {
    const stage = await aForgeStage();
    stage.once(POST, fault);
    expect(await stage.propose(await stage.commit({ "a.txt": "one\n" }))).toMatchObject({ as: "open", number: 1 });
    expect(stage.requests().filter((request) => request.startsWith("POST"))).toHaveLength(posts);
    expect(stage.github.forge.pulls).toHaveLength(1);
  });

  it("looks again if GitHub says that there is one, which a list that lags behind did not show", async () => {
    const stage = await aForgeStage();
    const head = await stage.commit({ "a.txt": "one\n" });
    await stage.propose(head);
    stage.once(isRequest("GET", /\/pulls$/), { status: 200, body: [] });
    expect(await stage.propose(head, { title: "Other" })).toMatchObject({ as: "open", number: 1 });
    expect((await stage.github.get("/pulls/1")).body.title).toBe("Other");
    stage.standIn.fault = (request) => (isRequest("GET", /\/pulls$/)(request) ? { status: 200, body: [] } : undefined);
    expect((await unavailable(stage.propose(head))).message).toContain("does not show it yet");
  });

  it("tells that somebody pushed to the branch or removed it, and leaves it as it is", async () => {
    const stage = await aForgeStage();
    const previous = await stage.commit({ "a.txt": "one\n" });
    await stage.propose(previous);
    const theirs = await stage.forge.person("ann").push(REPO, BRANCH, { "b.txt": "mine\n" });
    const head = await stage.commit({ "a.txt": "two\n" }, previous);
    expect(await stage.propose(head, { previous, title: "Other" })).toEqual({ as: "moved", tip: theirs });
    expect((await stage.github.get("/pulls/1")).body).toMatchObject({ title: "T-1: A change", head: { sha: theirs } });
    await stage.forge.person("ann").deleteBranch(REPO, BRANCH);
    expect(await stage.propose(head, { previous })).toEqual({ as: "moved", tip: undefined });
  });

  it("goes on if the branch is where it is to be, because an earlier push came through", async () => {
    const stage = await aForgeStage();
    const head = await stage.commit({ "a.txt": "one\n" });
    stage.once(isRequest("POST", /git-receive-pack$/), { after: "reset" });
    expect(await stage.propose(head)).toMatchObject({ as: "open", number: 1 });
    const late = await aForgeStage({}, { more: { remote: aRemote({ push: async () => ({ as: "moved" }) }) } });
    const pushed = await late.github.push(BRANCH, { "a.txt": "one\n" });
    expect(await late.propose(pushed)).toMatchObject({ as: "moved", tip: undefined });
    const seen = await aForgeStage(
      {},
      { more: { remote: aRemote({ push: async () => ({ as: "moved" }), tip: async () => pushed }) } },
    );
    await seen.github.push(BRANCH, { "a.txt": "one\n" });
    expect(await seen.propose(pushed)).toMatchObject({ as: "open", number: 1 });
  });

  it("gives a closed or merged pull request of the branch as it is, and opens no second one", async () => {
    const stage = await aForgeStage();
    const previous = await stage.commit({ "a.txt": "one\n" });
    await stage.propose(previous);
    await stage.forge.person("ann").close(REPO, 1);
    const head = await stage.commit({ "a.txt": "two\n" }, previous);
    expect(await stage.propose(head, { previous, title: "Other" })).toMatchObject({ as: "open", number: 1 });
    expect((await stage.github.get("/pulls/1")).body).toMatchObject({ state: "closed", title: "T-1: A change" });
    await stage.forge.person("ann").reopen(REPO, 1);
    await stage.forge.person("ann").merge(REPO, 1);
    expect(await stage.propose(head, { previous: head })).toMatchObject({ as: "open", number: 1 });
    expect(stage.github.forge.pulls).toHaveLength(1);
  });

  it("opens no second one if a person has pointed it at another base", async () => {
    const stage = await aForgeStage();
    const head = await stage.commit({ "a.txt": "one\n" });
    await stage.propose(head);
    await stage.forge.person("ann").push(REPO, "release", { "r.txt": "1\n" });
    await stage.forge.person("ann").retarget(REPO, 1, "release");
    expect(await stage.propose(head)).toMatchObject({ as: "open", number: 1 });
    expect(stage.github.forge.pulls).toMatchObject([{ baseRef: "release" }]);
  });

  it("takes no pull request of another branch for its own if GitHub ignores the filter", async () => {
    const stage = await aForgeStage();
    await stage.github.open("other", { "b.txt": "theirs\n" });
    const all = (await stage.github.get("/pulls")).body;
    stage.once(isRequest("GET", /\/pulls$/), { status: 200, body: all });
    expect(await stage.propose(await stage.commit({ "a.txt": "one\n" }))).toMatchObject({ as: "open", number: 2 });
  });

  it("says why GitHub refuses", async () => {
    const stage = await aForgeStage({ protection: { [BRANCH]: {} } });
    const head = await stage.commit({ "a.txt": "one\n" });
    expect(await stage.propose(head)).toMatchObject({
      as: "refused",
      reason: expect.stringContaining("protected branch hook declined"),
    });
    const nothing = (await stage.github.git(["rev-parse", "origin/main"])).stdout.trim();
    const refused = await stage.pullRequests.propose({ branch: "loopdash/run/T-2", head: nothing, title: "T-2", body: "" });
    expect(refused).toEqual({
      as: "refused",
      reason: "GitHub refuses to open the pull request (422): Validation Failed: No commits between main and loopdash/run/T-2",
    });
  });

  it("is unavailable while GitHub or its git is, with the time to ask again", async () => {
    let late = 0;
    const stage = await aForgeStage({}, { more: { now: () => Date.now() + late } });
    const head = await stage.commit({ "a.txt": "one\n" });
    stage.standIn.isAway = () => true;
    expect((await unavailable(stage.propose(head))).message).toContain("cannot be reached");
    stage.standIn.isAway = () => false;
    stage.standIn.fault = (request) => (POST(request) ? secondaryLimit(90) : undefined);
    const before = Date.now();
    const { message, retryAt = 0 } = await unavailable(stage.propose(head));
    expect(message).toContain("rate limit");
    expect(retryAt - before).toBeGreaterThanOrEqual(90_000);
    expect(retryAt - before).toBeLessThan(120_000);
    late = 120_000;
    Object.assign(stage.standIn.tokens.get("token") ?? {}, { isRevoked: true });
    stage.standIn.fault = () => undefined;
    expect((await unavailable(stage.propose(head))).message).not.toContain('token"');
    expect((await unavailable(stage.pullRequests.read(1))).message).toContain("there is no other token");
  });
});
