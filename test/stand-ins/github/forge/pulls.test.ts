import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { aStage, CHECK, REPO } from "./stage.ts";

describe("git over HTTP", () => {
  it("refuses pushes to a protected branch, with or without force, and takes the others of the same push", async () => {
    const stage = await aStage({ jobs: [CHECK] });
    await stage.git(["commit", "-q", "--allow-empty", "-m", "Mine"]);
    const refused = await stage.git(["push", "origin", "HEAD:main", "HEAD:refs/heads/topic/a"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("GH006: Protected branch update failed for refs/heads/main.");
    expect(refused.stderr).toContain("[remote rejected] HEAD -> main (protected branch hook declined)");
    expect(refused.stderr).toContain("[new branch]      HEAD -> topic/a");
    expect((await stage.git(["push", "--force", "origin", "HEAD:main"])).stderr).toContain("protected branch hook declined");
    expect((await stage.git(["push", "origin", ":main"])).stderr).toContain("remote rejected");
    const refs = (await stage.git(["ls-remote", "origin"])).stdout;
    const mine = (await stage.git(["rev-parse", "HEAD"])).stdout.trim();
    expect(refs).toContain(`${mine}\trefs/heads/topic/a`);
    expect(refs).not.toContain(`${mine}\trefs/heads/main`);
  });

  it("asks for a token, hides repositories, and lets a token that may only read push nothing", async () => {
    const stage = await aStage();
    expect((await stage.git(["ls-remote", "origin"], "wrong")).stderr).toMatch(/Authentication failed|could not read Username/);
    expect((await stage.git(["ls-remote", `${stage.standIn.url}/acme/other.git`])).stderr).toContain("Repository not found.");
    Object.assign(stage.standIn.tokens.get("reader") ?? {}, { canWrite: false });
    expect((await stage.git(["ls-remote", "origin"], "reader")).code).toBe(0);
    const push = await stage.git(["push", "origin", "HEAD:topic"], "reader");
    expect(push.stderr).toContain("Permission to acme/app.git denied to eve.");
    expect(push.stderr).toContain("403");
    expect((await stage.git(["push", "origin", "HEAD:topic"])).code).toBe(0);
  });

  it("loses the answer to a push that has taken effect", async () => {
    const stage = await aStage();
    stage.standIn.fault = ({ path, method }) =>
      method === "POST" && path.endsWith("git-receive-pack") ? { after: "reset" } : undefined;
    expect((await stage.git(["push", "origin", "HEAD:topic"])).code).not.toBe(0);
    expect((await stage.git(["ls-remote", "origin"])).stdout).toContain("refs/heads/topic");
  });
});

describe("large pushes and fetches", () => {
  it("come through in parts", async () => {
    const stage = await aStage();
    const text = randomBytes(3_000_000).toString("base64");
    const sha = await stage.push("large", { "large.txt": text });
    await stage.git(["gc", "-q", "--prune=now"]);
    const other = await stage.git(["clone", "-q", "--branch", "large", `${stage.standIn.url}/${REPO}`, "other"]);
    expect(other).toMatchObject({ code: 0 });
    expect((await stage.git(["-C", "other", "rev-parse", "HEAD"])).stdout.trim()).toBe(sha);
    expect(await stage.get("/git/ref/heads/large")).toMatchObject({ body: { object: { sha } } });
  });
});

describe("a pull request from a fork", () => {
  it("has the fork's branch as its head, which the repository does not have, and its checks run", async () => {
    const stage = await aStage({ jobs: [CHECK] });
    const own = await stage.open("topic", { "ok.txt": "no\n" });
    const { number, headSha } = await stage.standIn.forge.person("eve").openFromFork(REPO, "topic", { "ok.txt": "yes\n" });
    expect((await stage.get(`/pulls/${number}`)).body).toMatchObject({
      head: { label: "eve:topic", ref: "topic", sha: headSha, repo: { full_name: "eve/app", fork: true } },
      base: { repo: { full_name: REPO, fork: false } },
    });
    const listed = (head: string) => stage.get(`/pulls?head=${head}`);
    expect((await listed("eve:topic")).body).toMatchObject([{ number }]);
    expect((await listed("acme:topic")).body).toMatchObject([{ number: own.number }]);
    await stage.standIn.forge.untilChecked(REPO, headSha);
    expect(stage.jobs(headSha)).toMatchObject([{ conclusion: "success" }]);
    expect((await stage.git(["ls-remote", "origin"])).stdout).not.toContain(`${headSha}\trefs/heads/`);
    expect((await stage.send("PUT", `/pulls/${number}/merge`)).status).toBe(200);
    expect(stage.standIn.mistakes).toEqual([]);
  });
});

describe("a pull request", () => {
  it.each(["squash", "merge", "rebase"] as const)("goes from its push over true checks to a %s merge", async (method) => {
    const stage = await aStage({ jobs: [CHECK] });
    const pull = await stage.open("topic", { "ok.txt": "no\n" });
    await stage.standIn.forge.untilChecked(REPO, pull.headSha);
    expect(stage.jobs(pull.headSha)).toMatchObject([{ name: "test", conclusion: "failure" }]);
    const early = await stage.send("PUT", `/pulls/${pull.number}/merge`, { merge_method: method });
    expect([early.status, early.body.message]).toEqual([405, expect.stringContaining('"test" is failing')]);

    const old = pull.headSha;
    const sha = await stage.push("topic", { "ok.txt": "yes\n" }, "topic");
    const wrong = await stage.send("PUT", `/pulls/${pull.number}/merge`, { merge_method: method, sha: old });
    expect(wrong.status).toBe(409);
    await stage.standIn.forge.untilChecked(REPO, sha);
    const checks = await stage.get(`/commits/${sha}/check-runs`);
    expect(checks.body.check_runs).toMatchObject([{ name: "test", status: "completed", conclusion: "success", head_sha: sha }]);
    const read = () => stage.get(`/pulls/${pull.number}`);
    expect((await read()).body).toMatchObject({ mergeable: null, mergeable_state: "unknown", commits: 2, head: { sha } });
    expect((await read()).body).toMatchObject({ mergeable: true, mergeable_state: "clean" });

    const merged = await stage.send("PUT", `/pulls/${pull.number}/merge`, { merge_method: method, sha });
    expect(merged).toMatchObject({ status: 200, body: { merged: true } });
    expect((await read()).body).toMatchObject({ merged: true, state: "closed", merge_commit_sha: merged.body.sha });
    await stage.git(["fetch", "-q", "origin"]);
    const log = (await stage.git(["log", "--format=%s", "--first-parent", "origin/main"])).stdout.trim().split("\n");
    expect(log).toEqual(
      {
        squash: ["Add topic (#1)", "First commit"],
        merge: ["Merge pull request #1 from acme/topic", "First commit"],
        rebase: ["Change ok.txt", "Change ok.txt", "First commit"],
      }[method],
    );
    expect((await stage.git(["show", "origin/main:ok.txt"])).stdout).toBe("yes\n");
    expect((await stage.git(["rev-parse", "origin/main"])).stdout.trim()).toBe(merged.body.sha);
  });
});
