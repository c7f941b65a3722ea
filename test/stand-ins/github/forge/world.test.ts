import { describe, expect, it } from "vitest";
import { secondaryLimit } from "../secondary-limit.ts";
import { aStage, CHECK, REPO } from "./stage.ts";

describe("what protects a branch", () => {
  it("is told to administrators as protection, and to all as a branch's contexts and as rules", async () => {
    const main = { approvals: 2, isStrict: true, hasLinearHistory: true, mergeQueue: "rebase" as const };
    const stage = await aStage({ jobs: [CHECK], protection: { main }, settings: { allowMerge: false } });
    const branch = (await stage.get("/branches/main")).body;
    expect(branch).toMatchObject({ protected: true, protection: { required_status_checks: { contexts: ["test"] } } });
    const path = "/branches/main/protection/required_status_checks";
    expect((await stage.get(path)).status).toBe(404);
    Object.assign(stage.standIn.tokens.get("token") ?? {}, { isAdmin: true });
    expect((await stage.get(path)).body).toMatchObject({ strict: true, contexts: ["test"] });
    const rules = (await stage.get("/rules/branches/main")).body;
    expect(rules.map(({ type }: { type: string }) => type)).toEqual([
      "pull_request",
      "required_status_checks",
      "required_linear_history",
      "merge_queue",
    ]);
    expect(rules[0].parameters.required_approving_review_count).toBe(2);
    expect(rules[3].parameters.merge_method).toBe("REBASE");
    expect((await stage.get("/rules/branches/topic%2Fa")).body).toEqual([]);
    expect((await stage.get("")).body).toMatchObject({
      default_branch: "main",
      allow_merge_commit: false,
      allow_squash_merge: true,
    });
  });

  it("holds a head that is behind a strict base", async () => {
    const stage = await aStage({ jobs: [CHECK], protection: { main: { isStrict: true } } });
    stage.standIn.forge.mergeability.unknownReads = 0;
    const pull = await stage.open("topic", { "ok.txt": "yes\n" });
    await stage.standIn.forge.untilChecked(REPO, pull.headSha);
    await stage.standIn.forge.person("ann").push(REPO, "main", { "b.txt": "B\n" });
    expect((await stage.get(`/pulls/${pull.number}`)).body.mergeable_state).toBe("behind");
    expect((await stage.send("PUT", `/pulls/${pull.number}/merge`)).status).toBe(405);
    await stage.standIn.forge.person("ann").push(REPO, "main", { "ok.txt": "maybe\n" });
    expect((await stage.get(`/pulls/${pull.number}`)).body).toMatchObject({ mergeable: false, mergeable_state: "dirty" });
  });
});

describe("pull requests and people", () => {
  it("are listed by head and base, and are neither opened twice nor without commits", async () => {
    const stage = await aStage();
    const pull = await stage.open("topic/a", { "a.txt": "a\n" });
    await stage.git(["push", "-q", "origin", "origin/main:refs/heads/same"]);
    const open = (head: string, base = "main") => stage.send("POST", "/pulls", { title: "T", head, base });
    const again = await open("topic/a");
    expect([again.status, again.body.errors[0].message]).toEqual([422, "A pull request already exists for acme:topic/a."]);
    expect((await open("same")).body.errors[0].message).toBe("No commits between main and same");
    expect((await open("nowhere")).body.errors[0]).toMatchObject({ field: "head", code: "invalid" });
    const list = async (query: string) =>
      (await stage.get(`/pulls?${query}`)).body.map(({ number }: { number: number }) => number);
    expect(await list("head=acme:topic/a&base=main")).toEqual([pull.number]);
    expect(await list("head=acme:other")).toEqual([]);
    await stage.send("PATCH", `/pulls/${pull.number}`, { state: "closed", title: "Another" });
    expect([await list("state=open"), await list("state=closed")]).toEqual([[], [pull.number]]);
    expect((await open("topic/a")).status).toBe(201);
  });

  it("follow what people do: closing, reopening, another base, a deleted branch, comments, reviewers", async () => {
    const stage = await aStage();
    const ann = stage.standIn.forge.person("ann");
    const pull = await stage.open("topic", { "a.txt": "a\n" });
    const path = `/pulls/${pull.number}`;
    await ann.push(REPO, "release", { "r.txt": "r\n" });
    await ann.retarget(REPO, pull.number, "release");
    expect((await stage.get(path)).body.base.ref).toBe("release");
    await ann.comment(REPO, pull.number, "Please wait.");
    expect((await stage.get(`/issues/${pull.number}/comments`)).body).toMatchObject([
      { body: "Please wait.", user: { login: "ann" } },
    ]);
    await stage.send("POST", `${path}/requested_reviewers`, { reviewers: ["ben"] });
    expect((await stage.get(path)).body.requested_reviewers).toMatchObject([{ login: "ben" }]);
    await ann.close(REPO, pull.number);
    expect((await stage.send("PUT", `${path}/merge`)).status).toBe(405);
    await ann.reopen(REPO, pull.number);
    expect((await stage.get(path)).body.state).toBe("open");
    await ann.deleteBranch(REPO, "topic");
    expect((await stage.get(path)).body).toMatchObject({ state: "closed", merged: false });
    expect((await stage.send("PATCH", path, { state: "open" })).status).toBe(422);
  });
});

describe("mishaps of the forge", () => {
  it("loses the answer to a merge that took effect, fails, limits, and shows what was", async () => {
    const stage = await aStage();
    const { standIn } = stage;
    const pull = await stage.open("topic", { "a.txt": "a\n" });
    const path = `/pulls/${pull.number}`;
    standIn.fault = ({ method }) => (method === "PUT" ? { after: { status: 502, body: { message: "Bad gateway" } } } : undefined);
    expect((await stage.send("PUT", `${path}/merge`)).status).toBe(502);
    standIn.fault = () => undefined;
    expect((await stage.get(path)).body.merged).toBe(true);
    standIn.staleWrites = 1;
    expect((await stage.get(path)).body).toMatchObject({ merged: false, state: "open" });
    standIn.staleWrites = 0;
    standIn.fault = () => secondaryLimit(60);
    const limited = await stage.get(path);
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([403, "60"]);
    expect(limited.body.message).toContain("secondary rate limit");
  });

  it("limits who writes too fast, until the minute is over", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    const stage = await aStage({}, { limits: { pointsPerMinute: 11 }, now: () => now });
    const write = () => stage.send("POST", "/issues", { title: "T" });
    expect([(await write()).status, (await write()).status, (await stage.get("")).status]).toEqual([201, 201, 200]);
    now += 20_000;
    const limited = await write();
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([403, "40"]);
    now += 40_000;
    expect((await write()).status).toBe(201);
  });
});

describe("the workflow files of a pushed tree", () => {
  const WORKFLOW = "on: [push]\njobs:\n  ci:\n    steps:\n      - uses: actions/checkout@v4\n      - run: test -f ok.txt\n";

  it("are read from that tree, and run where they say", async () => {
    const stage = await aStage({ readsWorkflows: true, files: { ".github/workflows/ci.yml": WORKFLOW } });
    const red = await stage.open("red", { "other.txt": "x\n" });
    await stage.standIn.forge.untilChecked(REPO, red.headSha);
    const own = WORKFLOW.replace("[push]", "[pull_request, merge_group]").replace("  ci:", "  own:\n    name: mine");
    const green = await stage.open("green", { "ok.txt": "x\n", ".github/workflows/ci.yml": own });
    await stage.standIn.forge.untilChecked(REPO, green.headSha);
    expect(stage.jobs(red.headSha)).toMatchObject([{ name: "ci", conclusion: "failure" }]);
    expect(stage.jobs(green.headSha)).toMatchObject([{ name: "mine", conclusion: "success" }]);
  });

  it("that are for other events run nothing", async () => {
    const files = { ".github/workflows/ci.yml": WORKFLOW.replace("[push]", "workflow_dispatch") };
    const stage = await aStage({ readsWorkflows: true, jobs: [CHECK], files });
    const pull = await stage.open("topic", { "ok.txt": "yes\n" });
    await stage.standIn.forge.untilChecked(REPO, pull.headSha);
    expect(stage.jobs(pull.headSha)).toMatchObject([{ name: "test" }]);
  });
});

describe("a merge", () => {
  it.each([
    ["in the message of what lands", { commit_message: "Closes: #1" }, ""],
    ["of another spelling", { commit_title: "FIXED GH-1" }, ""],
    ["with the repository's name", { commit_message: `resolves ${REPO}#1` }, ""],
    ["in the pull request's text", {}, "close **#1**"],
    ["in what a reader sees of it", {}, "fix <b>&#35;1</b>"],
  ])("closes an issue by a keyword %s", async (_where, message, body) => {
    const stage = await aStage();
    const { body: opened } = await stage.send("POST", "/issues", { title: "An issue" });
    expect(opened.number).toBe(1);
    const pull = await stage.open("topic", { "a.txt": "a\n" });
    await stage.send("PATCH", `/pulls/${pull.number}`, { body });
    const merged = await stage.send("PUT", `/pulls/${pull.number}/merge`, {
      merge_method: "squash",
      commit_title: "A change",
      ...message,
    });
    expect(merged.status).toBe(200);
    expect(stage.standIn.state.repos[0]?.issues[0]?.state).toBe("closed");
  });

  it("closes no issue by other words", async () => {
    const stage = await aStage();
    await stage.send("POST", "/issues", { title: "An issue" });
    const pull = await stage.open("topic", { "a.txt": "a\n" });
    await stage.send("PATCH", `/pulls/${pull.number}`, { body: "closes see #1, fixes#1, prefix #1, closes #\u200b1" });
    await stage.send("PUT", `/pulls/${pull.number}/merge`, { commit_message: "see #1" });
    expect(stage.standIn.state.repos[0]?.issues[0]?.state).toBe("open");
  });
});
