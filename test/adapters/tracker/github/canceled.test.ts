import { expect, onTestFinished, test } from "vitest";
import { createGitHubService } from "../../../../src/adapters/tracker/github/github-service.ts";
import { RepoId, TicketId } from "../../../../src/domain/values/ids.ts";
import { GitHubStandIn } from "../../../stand-ins/github/server.ts";

test("a write from open leaves an issue that a person has closed as not planned, and a write from anywhere does not", async () => {
  const issues = [{ number: 1, title: "Do 1", labels: ["batch"] }];
  const standIn = await new GitHubStandIn({ seed: { repos: { "acme/app": { issues } } }, limits: { isOff: true } }).open();
  onTestFinished(() => standIn[Symbol.asyncDispose]());
  const service = createGitHubService({
    spec: { kind: "github", repo: "acme/app", labels: ["batch"], baseUrl: standIn.enterpriseUrl },
    listed: [],
    repos: [RepoId.parse("app")],
    token: { get: async () => "token", renew: () => Promise.reject(new Error("there is no other token")) },
  });
  await service.snapshot("whole");
  standIn.person("jo").close("acme/app", 1, { reason: "not_planned" });
  const done = { id: TicketId.parse("app-1"), state: { as: "done" }, note: "landed" } as const;
  expect(await service.set({ ...done, from: [{ as: "open" }] })).toMatchObject({
    conflict: { state: { as: "open" }, held: expect.stringContaining("not planned") },
  });
  const shown = () =>
    standIn.state.repos[0]?.issues.map(({ state, stateReason, comments }) => [state, stateReason, comments.length]);
  expect(shown()).toEqual([["closed", "not_planned", 0]]);
  await service.set({ ...done, from: undefined });
  expect(shown()).toEqual([["closed", "completed", 1]]);
});
