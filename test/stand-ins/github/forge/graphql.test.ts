import { describe, expect, it } from "vitest";
import { aStage, CHECK, REPO, type Stage } from "./stage.ts";

const WHOLE = `query ($number: Int!) { rateLimit { cost } repository(owner: "acme", name: "app") { pullRequest(number: $number) {
  id number url state isDraft headRefName headRefOid baseRefName baseRefOid mergeable mergeStateStatus reviewDecision mergedAt
  mergeCommit { oid } isInMergeQueue mergeQueueEntry { position state id enqueuedAt }
  reviewThreads(first: 50) { nodes { id isResolved isOutdated path line
    comments(first: 50) { nodes { author { login __typename } body id createdAt } } } }
  comments(last: 20) { nodes { author { login } body } }
  reviews(last: 20) { nodes { state author { login } } }
  latestReviews(first: 20) { nodes { state author { login } } }
  commits(last: 1) { nodes { commit { oid statusCheckRollup { state contexts(first: 100) { totalCount pageInfo { hasNextPage endCursor }
    nodes {
      ... on CheckRun { databaseId name status conclusion detailsUrl startedAt completedAt isRequired(pullRequestNumber: $number)
        checkSuite { app { slug } workflowRun { databaseId workflow { name } } } }
      ... on StatusContext { context state targetUrl isRequired(pullRequestNumber: $number) } } } } } } }
} } }`;

async function whole(stage: Stage, number: number) {
  const { data, errors } = await stage.query(WHOLE, { number });
  expect(errors).toBeUndefined();
  return data.repository.pullRequest;
}

describe("one query for a pull request", () => {
  it("has no rollup until the first check appears, then each check of the head with what requires it", async () => {
    const stage = await aStage({ jobs: [CHECK, { name: "lint", command: ["node", "-e", "process.exit(1)"] }] });
    const { promise, resolve } = Promise.withResolvers<void>();
    stage.standIn.forge.gate = ({ stage: moment }) => (moment === "register" ? promise : undefined);
    const pull = await stage.open("topic", { "ok.txt": "yes\n" });
    expect(await whole(stage, pull.number)).toMatchObject({
      state: "OPEN",
      headRefOid: pull.headSha,
      mergeable: "UNKNOWN",
      mergeStateStatus: "UNKNOWN",
      commits: { nodes: [{ commit: { oid: pull.headSha, statusCheckRollup: null } }] },
    });
    expect(await whole(stage, pull.number)).toMatchObject({ mergeable: "MERGEABLE", mergeStateStatus: "BLOCKED" });
    resolve();
    await stage.standIn.forge.untilChecked(REPO, pull.headSha, 2);
    await stage.send("POST", `/statuses/${pull.headSha}`, { state: "success", context: "deploy" });
    const { commits, mergeStateStatus } = await whole(stage, pull.number);
    const { state, contexts } = commits.nodes[0].commit.statusCheckRollup;
    expect([mergeStateStatus, state, contexts.totalCount]).toEqual(["UNSTABLE", "FAILURE", 3]);
    const byName = Object.fromEntries(
      contexts.nodes.map((each: { name?: string; context?: string }) => [each.name ?? each.context, each]),
    );
    expect(byName).toMatchObject({
      test: { conclusion: "SUCCESS", isRequired: true, checkSuite: { app: { slug: "github-actions" } } },
      lint: { conclusion: "FAILURE", isRequired: false, checkSuite: { workflowRun: { workflow: { name: "CI" } } } },
      deploy: { state: "SUCCESS", isRequired: false },
    });
    expect(byName.test.databaseId).toBeGreaterThan(2 ** 31);
  });

  it("shows threads of people and bots, which are resolved, answered, and outdated by a push", async () => {
    const stage = await aStage();
    const pull = await stage.open("topic", { "a.txt": "one\ntwo\nthree\n" });
    stage.standIn.state.users["robot[bot]"] = { login: "robot[bot]", name: null, id: 5, isBot: true };
    const robot = stage.standIn.forge.person("robot[bot]");
    await robot.openThread(REPO, pull.number, { path: "a.txt", line: 2, body: "Why two?" });
    await stage.standIn.forge.person("ann").openThread(REPO, pull.number, { path: "a.txt", line: 3, body: "Why three?" });
    const before = (await whole(stage, pull.number)).reviewThreads.nodes;
    expect(before[0]).toMatchObject({ isResolved: false, isOutdated: false, path: "a.txt", line: 2 });
    expect(before[0].comments.nodes).toMatchObject([{ author: { login: "robot[bot]", __typename: "Bot" }, body: "Why two?" }]);
    const change = `mutation ($id: ID!) {
      addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: $id, body: "Because." }) { comment { id author { login } } }
      resolveReviewThread(input: { threadId: $id }) { thread { id isResolved } } }`;
    expect(await stage.query(change, { id: before[0].id })).toMatchObject({
      data: {
        addPullRequestReviewThreadReply: { comment: { author: { login: "loop" } } },
        resolveReviewThread: { thread: { isResolved: true } },
      },
    });
    await stage.push("topic", { "a.txt": "zero\none\n2\nthree\n" }, "topic");
    const after = (await whole(stage, pull.number)).reviewThreads.nodes;
    expect(after).toMatchObject([
      { isResolved: true, isOutdated: true, line: null },
      { isResolved: false, isOutdated: false, line: 4 },
    ]);
    expect(after[0].comments.nodes.map(({ body }: { body: string }) => body)).toEqual(["Why two?", "Because."]);
    expect((await stage.get(`/pulls/${pull.number}/comments`)).body).toHaveLength(3);
    const reader = stage.standIn.tokens.get("token");
    Object.assign(reader ?? {}, { canWrite: false });
    expect((await stage.query(change, { id: before[0].id })).errors[0].type).toBe("FORBIDDEN");
  });

  it("counts reviews of people who may write, and forgets approvals of an older head if the branch says so", async () => {
    const stage = await aStage({ protection: { main: { approvals: 1, dismissesStale: true } } });
    const pull = await stage.open("topic", { "a.txt": "one\n" });
    const decision = async () => (await whole(stage, pull.number)).reviewDecision;
    const { forge } = stage.standIn;
    await forge.person("stranger").approve(REPO, pull.number);
    expect(await decision()).toBe("REVIEW_REQUIRED");
    await forge.person("ann").requestChanges(REPO, pull.number, "No.");
    expect(await decision()).toBe("CHANGES_REQUESTED");
    await forge.person("ann").approve(REPO, pull.number);
    expect(await decision()).toBe("APPROVED");
    await forge.person("ben").push(REPO, "topic", { "b.txt": "Mine\n" });
    expect(await decision()).toBe("REVIEW_REQUIRED");
    expect((await stage.send("PUT", `/pulls/${pull.number}/merge`)).body.message).toContain("1 approving review is required");
    const own = await stage.send("POST", `/pulls/${pull.number}/reviews`, { event: "APPROVE" });
    expect(own.status).toBe(422);
  });
});

describe("the merge queue", () => {
  const queued = { jobs: [CHECK], protection: { main: { mergeQueue: "squash" as const } } };
  const ENQUEUE = `mutation ($id: ID!, $head: GitObjectID) { enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) {
    mergeQueueEntry { position state } } }`;

  it("merges in order, each after the checks of a commit that is built on the one before", async () => {
    const stage = await aStage(queued);
    const { forge } = stage.standIn;
    const first = await stage.open("a", { "ok.txt": "yes\n" });
    const second = await stage.open("b", { "b.txt": "B\n", "ok.txt": "yes\n" });
    await forge.untilChecked(REPO, first.headSha);
    await forge.untilChecked(REPO, second.headSha);
    expect((await stage.send("PUT", `/pulls/${first.number}/merge`)).body.message).toContain("through the merge queue");
    const { promise, resolve } = Promise.withResolvers<void>();
    forge.gate = ({ event }) => (event === "merge_group" ? promise : undefined);
    const ids = [(await whole(stage, first.number)).id, (await whole(stage, second.number)).id];
    expect((await stage.query(ENQUEUE, { id: ids[0], head: second.headSha })).errors[0]).toMatchObject({ type: "UNPROCESSABLE" });
    expect((await stage.query(ENQUEUE, { id: ids[0], head: first.headSha })).errors).toBeUndefined();
    expect((await stage.query(ENQUEUE, { id: ids[1] })).data.enqueuePullRequest.mergeQueueEntry.position).toBe(2);
    await forge.until(() => stage.forge.queue[0]?.state === "AWAITING_CHECKS");
    expect(await whole(stage, second.number)).toMatchObject({
      isInMergeQueue: true,
      mergeQueueEntry: { position: 2, state: "QUEUED" },
    });
    expect((await stage.git(["push", "origin", "HEAD:refs/heads/gh-readonly-queue/main/x"])).stderr).toContain("remote rejected");
    resolve();
    await forge.until(() => second.mergedAt !== null);
    await forge.exclusive(async () => undefined);
    expect(await whole(stage, first.number)).toMatchObject({
      state: "MERGED",
      isInMergeQueue: false,
      mergeCommit: { oid: first.mergeSha },
    });
    await stage.git(["fetch", "-q", "--prune", "origin"]);
    const log = (await stage.git(["log", "--format=%s", "origin/main"])).stdout.trim().split("\n");
    expect(log).toEqual(["Add b (#2)", "Add a (#1)", "First commit"]);
    expect(stage.jobs(second.mergeSha ?? "")).toMatchObject([{ conclusion: "success" }]);
    expect((await stage.git(["branch", "-r"])).stdout).not.toContain("gh-readonly-queue");
  });

  it("drops one whose group fails, and one that a person takes out", async () => {
    const groupOnly = { name: "group", command: ["node", "-e", "process.exit(1)"], on: ["merge_group" as const] };
    const stage = await aStage({
      ...queued,
      jobs: [CHECK, groupOnly],
      protection: { main: { mergeQueue: "merge", contexts: [] } },
    });
    const { forge } = stage.standIn;
    const pull = await stage.open("a", { "ok.txt": "yes\n" });
    await forge.untilChecked(REPO, pull.headSha);
    const protection = stage.forge.protection["main"];
    if (protection !== undefined) stage.forge.protection["main"] = { ...protection, contexts: ["test", "group"] };
    await stage.send("POST", `/statuses/${pull.headSha}`, { state: "success", context: "group" });
    await forge.person("ann").enqueue(REPO, pull.number);
    await forge.until(() => stage.forge.queue.length === 0);
    expect(pull.mergedAt).toBeNull();
    forge.gate = ({ event }) => (event === "merge_group" ? Promise.withResolvers<void>().promise : undefined);
    await forge.person("ann").enqueue(REPO, pull.number);
    await forge.until(() => stage.forge.queue[0]?.state === "AWAITING_CHECKS");
    await forge.person("ann").dequeue(REPO, pull.number);
    expect(await whole(stage, pull.number)).toMatchObject({ state: "OPEN", isInMergeQueue: false, mergeQueueEntry: null });
    await forge.person("ann").enqueue(REPO, pull.number);
    await forge.until(() => stage.forge.queue[0]?.state === "AWAITING_CHECKS");
    const dequeue = `mutation ($id: ID!) { dequeuePullRequest(input: { id: $id }) { mergeQueueEntry { id } } }`;
    const { id } = await whole(stage, pull.number);
    expect((await stage.query(dequeue, { id })).errors).toBeUndefined();
    expect((await stage.query(dequeue, { id })).errors[0].type).toBe("UNPROCESSABLE");
  });
});
