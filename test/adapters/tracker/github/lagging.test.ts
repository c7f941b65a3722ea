import { expect, onTestFinished, test } from "vitest";
import { createGitHubService } from "../../../../src/adapters/tracker/github/github-service.ts";
import { RepoId, TicketId } from "../../../../src/domain/values/ids.ts";
import { GitHubStandIn } from "../../../stand-ins/github/server.ts";

const ID = TicketId.parse("app-1");
const NOW = Date.UTC(2026, 10, 26, 12);

/** GitHub with one issue, whose clock stands still: all that happens is in one second. */
async function aSecond() {
  const seed = { repos: { "acme/app": { issues: [{ title: "One" }] } } };
  const standIn = await new GitHubStandIn({ seed, limits: { isOff: true }, now: () => NOW }).open();
  onTestFinished(() => standIn[Symbol.asyncDispose]());
  const service = createGitHubService({
    spec: { kind: "github", repo: "acme/app", baseUrl: standIn.enterpriseUrl },
    listed: [ID],
    repos: [RepoId.parse("app")],
    token: { get: async () => "token", renew: () => Promise.reject(new Error("there is no other token")) },
    now: () => NOW,
    wait: async () => undefined,
  });
  await service.set({ id: ID, state: { as: "done" }, note: "landed", from: undefined });
  return { standIn, stateNow: async () => (await service.snapshot("whole")).get(ID)?.state.as };
}

test("a reading that lacks a closing which was seen is not believed, although it is of the same second", async () => {
  const { standIn, stateNow } = await aSecond();
  standIn.staleWrites = 1;
  await expect(stateNow()).rejects.toThrow("an older state of an issue");
  standIn.staleWrites = 0;
  expect(await stateNow()).toBe("done");
});

test("a person who reopens it in the same second is seen at once", async () => {
  const { standIn, stateNow } = await aSecond();
  standIn.person("jo").reopen("acme/app", 1);
  expect(await stateNow()).toBe("open");
});
