import { describe, expect, it } from "vitest";
import { createGitHubService } from "../../../../src/adapters/tracker/github/github-service.ts";
import { RepoId } from "../../../../src/domain/values/ids.ts";
import type { GitHubStandIn } from "../../../stand-ins/github/server.ts";
import { aService, aStandIn, ticket } from "./stage.ts";

/** Gives acme/app another owner and name, and its old name to a repository with other issues. */
function rename(standIn: GitHubStandIn): void {
  const [repo] = standIn.state.repos;
  if (repo === undefined) throw new Error("there is no repository");
  const issues = structuredClone(repo.issues).map((issue) => ({
    ...issue,
    id: issue.id + 1_000,
    title: "Of another repository",
  }));
  standIn.state.repos.push({ ...structuredClone(repo), id: repo.id + 1_000, issues });
  Object.assign(repo, { fullName: "other/renamed" });
}

/** A service of a resumed run, which knows the repository by its frozen id. */
function resumed(standIn: GitHubStandIn, repoIds: Readonly<Record<string, string>>) {
  return createGitHubService({
    spec: { kind: "github", baseUrl: standIn.enterpriseUrl, repo: "acme/app" },
    listed: [ticket("app-1")],
    repos: [RepoId.parse("app")],
    token: { get: async () => "token", renew: () => Promise.reject(new Error("there is no other token")) },
    repoIds,
  });
}

describe("a repository that got another name, and whose old name is another's by now", () => {
  it("is the same for a run that goes on", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    const service = aService(standIn, { listed: ["app-1"] });
    await service.snapshot("whole");
    rename(standIn);
    standIn.person("jo").retitle("other/renamed", 1, "Another");
    expect((await service.snapshot("whole")).get(ticket("app-1"))?.title).toBe("Another");
    standIn.person("jo").retitle("other/renamed", 1, "And again");
    expect((await service.snapshot("changes")).get(ticket("app-1"))?.title).toBe("And again");
    await service.set({ id: ticket("app-1"), state: { as: "done" }, note: "landed", from: undefined });
    expect(standIn.state.repos.map(({ issues }) => issues[0]?.state)).toEqual(["closed", "open"]);
  });

  it("is the same for a run that is resumed", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    const first = aService(standIn);
    await first.snapshot("whole");
    const repoIds = Object.fromEntries(first.repoIds?.() ?? []);
    expect(Object.keys(repoIds)).toEqual(["app"]);
    rename(standIn);
    const service = resumed(standIn, repoIds);
    expect((await service.snapshot("whole")).get(ticket("app-1"))?.title).toBe("A");
    await service.set({ id: ticket("app-1"), state: { as: "done" }, note: "landed", from: undefined });
    expect(standIn.state.repos.map(({ issues }) => issues[0]?.state)).toEqual(["closed", "open"]);
    // Without the id, it is the other one.
    expect((await resumed(standIn, {}).snapshot("whole")).get(ticket("app-1"))?.title).toBe("Of another repository");
  });

  it("is named if it is gone", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    await expect(resumed(standIn, { app: "R_gone" }).snapshot("whole")).rejects.toThrow(
      "the repository acme/app is gone from GitHub, or the token may not see it any more",
    );
  });
});
