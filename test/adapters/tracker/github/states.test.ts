import { describe, expect, it } from "vitest";
import type { GitHubStandIn } from "../../../stand-ins/github/server.ts";
import { aService, aStandIn, read } from "./stage.ts";

const GATE = { title: "A", labels: ["batch", "human-gated"] };

async function stateOf(standIn: GitHubStandIn, options = {}) {
  const { state, held } = (await read(standIn, options))["app-1"] ?? {};
  return { state, held };
}

const TODO =
  '(reopen it, or set "canceled": "settled" in the batch, which takes such tickets for done; a run that has begun needs --fresh for that)';

describe("states of issues", () => {
  it.each([
    ["open", { title: "A" }, { as: "open" }],
    ["closed as completed", { title: "A", state: "closed", stateReason: "completed" }, { as: "done" }],
    ["open again", { title: "A", state: "open", stateReason: "reopened" }, { as: "open" }],
  ] as const)("takes an issue that is %s", async (_, issue, state) => {
    expect(await stateOf(await aStandIn([issue]))).toEqual({ state, held: undefined });
  });

  it("takes an issue that was closed before there were reasons as done", async () => {
    const standIn = await aStandIn([{ title: "A", state: "closed" }]);
    Object.assign(standIn.state.repos[0]?.issues[0] ?? {}, { stateReason: null });
    expect((await stateOf(standIn)).state).toEqual({ as: "done" });
  });

  it.each([
    ["not_planned", `it is closed as not planned on GitHub: a person must decide ${TODO}`],
    ["duplicate", `it is closed as a duplicate on GitHub: a person must decide ${TODO}`],
  ] as const)("holds an issue that was closed as %s, unless the batch says that those are settled", async (stateReason, held) => {
    const standIn = await aStandIn([{ title: "A", state: "closed", stateReason }]);
    expect(await stateOf(standIn)).toEqual({ state: { as: "open" }, held });
    expect(await stateOf(standIn, { spec: { canceled: "settled" } })).toEqual({ state: { as: "done" }, held: undefined });
  });

  it("refuses a reading with a reason that it does not know, by the ticket's name", async () => {
    const standIn = await aStandIn([{ title: "A", state: "closed" }]);
    Object.assign(standIn.state.repos[0]?.issues[0] ?? {}, { stateReason: "reopened" });
    await expect(read(standIn)).rejects.toThrow(/^GitHub gives ticket app-1 a state that loopdash does not know: REOPENED$/);
  });
});

describe("human gates", () => {
  it("needs the label and a comment that says what is left", async () => {
    const standIn = await aStandIn([GATE]);
    const held = "it has the label human-gated, and no comment says what is left to do";
    expect(await stateOf(standIn)).toEqual({ state: { as: "open" }, held });
    standIn.person("jo").comment("acme/app", 1, "Human step: press deploy  \r\nsoon");
    expect(await stateOf(standIn)).toEqual({ state: { as: "human-gated", step: "press deploy" }, held: undefined });
    standIn.person("jo").unlabel("acme/app", 1, "human-gated");
    expect(await stateOf(standIn)).toEqual({ state: { as: "open" }, held: undefined });
  });

  it.each(["Human-gated", "human-gated ", "human_gated", "HUMAN-GATED"])("takes no label %j for a gate", async (label) => {
    const standIn = await aStandIn([{ title: "A", labels: ["batch", label] }]);
    standIn.person("jo").comment("acme/app", 1, "Human step: press deploy");
    expect((await stateOf(standIn)).state).toEqual({ as: "open" });
  });

  it.each([
    ["a title", { title: "Human step: press deploy" }],
    ["a description", { title: "A", body: "Human step: press deploy" }],
    ["a later line", { title: "A", comments: [{ author: "jo", body: "Look:\nHuman step: press deploy" }] }],
    ["another case", { title: "A", comments: [{ author: "jo", body: "human step: press deploy" }] }],
    ["a quote", { title: "A", comments: [{ author: "jo", body: "> Human step: press deploy" }] }],
    ["nothing", { title: "A", comments: [{ author: "jo", body: "Human step:  " }] }],
    ["too much", { title: "A", comments: [{ author: "jo", body: `Human step: ${"x".repeat(501)}` }] }],
    ["a stranger", { title: "A", comments: [{ author: "stranger", body: "Human step: press deploy" }] }],
  ])("does not hear %s", async (_, issue) => {
    const standIn = await aStandIn([{ ...issue, labels: ["batch", "human-gated"] }]);
    expect((await stateOf(standIn)).state).toEqual({ as: "open" });
  });

  it.each(["jo", "ann", "acme", "loop"])("hears %s, who may tell", async (author) => {
    const standIn = await aStandIn([{ ...GATE, comments: [{ author, body: "Human step: press deploy" }] }]);
    expect((await stateOf(standIn)).state).toEqual({ as: "human-gated", step: "press deploy" });
  });

  it("takes the newest step, not a hidden one, also behind many comments", async () => {
    const standIn = await aStandIn([GATE]);
    const [jo, stranger] = [standIn.person("jo"), standIn.person("stranger")];
    jo.comment("acme/app", 1, "Human step: the first");
    const second = jo.comment("acme/app", 1, "Human step: the second");
    for (let n = 0; n < 250; n += 1) stranger.comment("acme/app", 1, `Human step: ${n}`);
    expect((await stateOf(standIn)).state).toEqual({ as: "human-gated", step: "the second" });
    jo.editComment("acme/app", 1, second.id, { isMinimized: true });
    expect((await stateOf(standIn)).state).toEqual({ as: "human-gated", step: "the first" });
  });

  it("is done if it is closed, whatever its labels", async () => {
    const standIn = await aStandIn([
      { ...GATE, state: "closed", comments: [{ author: "jo", body: "Human step: press deploy" }] },
    ]);
    expect((await stateOf(standIn)).state).toEqual({ as: "done" });
  });
});

describe("what else an issue tells", () => {
  it("names the commit that closed it, if its message did", async () => {
    const standIn = await aStandIn([{ title: "A" }, { title: "B" }, { title: "C" }]);
    const jo = standIn.person("jo");
    jo.close("acme/app", 1, { commit: "0123abc" });
    jo.close("acme/app", 2, { pullRequest: 9 });
    jo.close("acme/app", 3, { commit: "0123abc" });
    jo.reopen("acme/app", 3);
    jo.close("acme/app", 3);
    const tickets = await read(standIn);
    expect([1, 2, 3].map((n) => tickets[`app-${n}`]?.setByCommit)).toEqual(["0123abc", undefined, undefined]);
    jo.reopen("acme/app", 1);
    expect((await read(standIn))["app-1"]?.setByCommit).toBeUndefined();
  });

  it("names who it is assigned to, where it is, and what its labels say", async () => {
    const labels = ["batch", "repo:web", "repo:nowhere", "exclusive:db", "exclusive:queue"];
    const standIn = await aStandIn([{ title: "A", labels }, { title: "B" }]);
    standIn.person("jo").assign("acme/app", 1, "jo", "ann");
    const tickets = await read(standIn, { repos: ["app", "web"] });
    expect(tickets["app-1"]).toMatchObject({
      assignee: "Jo Doe, ann",
      url: `${standIn.url}/acme/app/issues/1`,
      repo: "web",
      exclusive: ["db", "queue"],
    });
    expect(tickets["app-2"]).toMatchObject({ assignee: "", exclusive: [] });
    expect(tickets["app-2"]).not.toHaveProperty("repo", expect.anything());
  });

  it("takes no repository from two labels, and no name that a batch may not have, as in Linear", async () => {
    const standIn = await aStandIn([{ title: "A", labels: ["batch", "repo:app", "repo:web", "exclusive:", "exclusive:db"] }]);
    const { "app-1": found } = await read(standIn, { repos: ["app", "web"] });
    expect(found).not.toHaveProperty("repo", expect.anything());
    expect(found).toMatchObject({ exclusive: ["db"] });
  });

  it("gives GitHub's own id of each ticket for the oracle", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    const service = aService(standIn);
    await service.snapshot("whole");
    expect([...(service.keys?.() ?? [])]).toEqual([["app-1", `I_${standIn.state.repos[0]?.issues[0]?.id}`]]);
  });

  it("keeps a title on one line", async () => {
    const standIn = await aStandIn([{ title: "A\u0000\u2028 B" }]);
    expect((await read(standIn))["app-1"]?.title).toBe("A  B");
  });
});
