import { describe, expect, it } from "vitest";
import { referencesIn } from "../../../../src/adapters/tracker/github/read/text-blockers.ts";
import { aService, aStandIn, read, requests, ticket } from "./stage.ts";

const app = (number: number) => ({ repo: "acme/app", number });

describe("dependencies", () => {
  it("are the issues that block one, and its sub-issues, of the batch, open or done", async () => {
    const standIn = await aStandIn([{ title: "A" }, { title: "B" }, { title: "C" }, { title: "D", state: "closed" }]);
    standIn.person("jo").block("acme/app", 1, app(2), app(4));
    standIn.person("jo").subIssues("acme/app", 1, app(3), app(2));
    const tickets = await read(standIn);
    expect(tickets["app-1"]).toMatchObject({ dependsOn: ["app-2", "app-3", "app-4"] });
    expect(tickets["app-1"]).not.toHaveProperty("held", expect.anything());
    expect(tickets["app-2"]).toMatchObject({ dependsOn: [] });
  });

  it("outside of the batch hold a ticket until they are completed", async () => {
    const seed = { repos: { "acme/lib": { issues: [{ title: "Lib" }] } } };
    const standIn = await aStandIn([{ title: "A" }, { title: "Outside", labels: [] }], { seed });
    const jo = standIn.person("jo");
    const heldBy = async (spec = {}) => (await read(standIn, { spec }))["app-1"]?.held;
    jo.block("acme/app", 1, app(2));
    expect(await heldBy()).toBe("it waits for app-2, which is not in the batch");
    jo.close("acme/app", 2, { reason: "not_planned" });
    expect(await heldBy()).toBe("it waits for app-2, which is not in the batch");
    expect(await heldBy({ canceled: "settled" })).toBeUndefined();
    jo.reopen("acme/app", 2);
    jo.close("acme/app", 2);
    expect(await heldBy()).toBeUndefined();
    jo.block("acme/app", 1, { repo: "acme/lib", number: 1 });
    expect(await heldBy()).toBe("it waits for acme/lib#1, which is not in the batch");
    jo.reopen("acme/app", 2);
    jo.subIssues("acme/app", 1, app(2));
    expect(await heldBy()).toBe("it waits for acme/lib#1 and 1 more, which are not in the batch");
  });

  it("that the token may not see hold a ticket", async () => {
    const seed = { repos: { "acme/secret": { issues: [{ title: "S", state: "closed" as const }], hiddenFrom: ["loop"] } } };
    const standIn = await aStandIn([{ title: "A" }], { seed });
    standIn.person("jo").block("acme/app", 1, { repo: "acme/secret", number: 1 });
    expect((await read(standIn))["app-1"]?.held).toBe(
      "it waits for an issue that the token may not see, which is not in the batch",
    );
  });
});

describe("a server that knows no dependencies", () => {
  const body = "Blocked by #2\n\n- [ ] #3 first\n- [x] acme/lib#1\n- [ ] talk to #4\n\nSee #4.";
  const issues = [{ title: "A", body }, { title: "B" }, { title: "C" }, { title: "D" }];
  const seed = { repos: { "acme/lib": { issues: [{ title: "Lib" }] } } };

  it("is asked without them once, and the texts count, which a note says", async () => {
    const standIn = await aStandIn(issues, { seed, age: "old" });
    const service = aService(standIn);
    expect(service.notes?.()).toEqual([]);
    const first = await service.snapshot("whole");
    expect(requests(standIn)).toHaveLength(3);
    expect(first.get(ticket("app-1"))).toMatchObject({
      dependsOn: ["app-2", "app-3"],
      held: "it waits for acme/lib#1, which is not in the batch",
    });
    expect(service.notes?.()).toEqual([
      'This GitHub server knows no dependencies and no sub-issues of issues: lines such as "blocked by #12" and task lists in their texts count instead.',
    ]);
    standIn.person("jo").close("acme/lib", 1, { reason: "duplicate" });
    expect((await service.snapshot("whole")).get(ticket("app-1"))?.held).toBeDefined();
    standIn.person("jo").reopen("acme/lib", 1);
    standIn.person("jo").close("acme/lib", 1);
    expect((await service.snapshot("whole")).get(ticket("app-1"))?.held).toBeUndefined();
    expect(requests(standIn)).toHaveLength(4);
  });

  it("still tells sub-issues if it knows those", async () => {
    const standIn = await aStandIn(issues, { seed, age: "without dependencies" });
    standIn.person("jo").subIssues("acme/app", 1, app(4));
    const service = aService(standIn);
    expect((await service.snapshot("whole")).get(ticket("app-1"))?.dependsOn).toEqual(["app-2", "app-4"]);
    expect(service.notes?.()).toEqual([
      'This GitHub server knows no dependencies of issues: lines such as "blocked by #12" in their texts count instead.',
    ]);
  });

  it("closes issues as duplicates, which count as canceled", async () => {
    const standIn = await aStandIn([{ title: "A", state: "closed", stateReason: "duplicate" }], { age: "old" });
    expect((await read(standIn))["app-1"]).toMatchObject({ state: { as: "open" }, held: expect.stringContaining("not planned") });
  });

  it("does not count what a text names and is not there; a repository that cannot be seen holds", async () => {
    const hidden = { repos: { "acme/secret": { hiddenFrom: ["loop"] } } };
    const text = "Blocked by #99, #2 and #1\nDepends on acme/secret#1";
    const standIn = await aStandIn(
      [
        { title: "A", body: text },
        { title: "Pull", isPullRequest: true },
      ],
      { seed: hidden, age: "old" },
    );
    expect((await read(standIn))["app-1"]).toMatchObject({
      dependsOn: [],
      held: "it waits for an issue that the token may not see, which is not in the batch",
    });
  });

  it("is believed as before if it knows all: texts do not count then", async () => {
    const standIn = await aStandIn(issues, { seed });
    expect((await read(standIn))["app-1"]).toMatchObject({ dependsOn: [] });
  });
});

describe("what a text names", () => {
  const named = (text: string) =>
    referencesIn(text, { tasks: true, lines: true }).map(({ repository, number }) => `${repository ?? ""}#${number}`);

  it.each([
    ["- [ ] #12", ["#12"]],
    ["* [x] owner/name#12 and #13", ["owner/name#12"]],
    ["1. [X] https://github.com/owner/name/issues/12", ["owner/name#12"]],
    ["- [ ] do it as in #12", []],
    ["- #12", []],
    ["BLOCKED BY #12", ["#12"]],
    ["This is blocked by: #1, owner/name#2 and #3.", ["#1", "owner/name#2", "#3"]],
    ["Depends on https://ghe.example/owner/name/issues/12", ["owner/name#12"]],
    ["not blocked", []],
    ["> Blocked by #12", []],
    ["```\nBlocked by #12\n- [ ] #13\n```\nBlocked by #14", ["#14"]],
    ["~~~~\n```\nBlocked by #12\n~~~~\nBlocked by #14", ["#14"]],
    ["```\nBlocked by #12", []],
    ["<!-- Blocked by #12 -->", []],
    ["<!-- \nBlocked by #12", []],
    ["Blocked by x#12 or path/to/#13", []],
    // A pattern that fails at such a character tries again from every blank before it: 60,000 blanks took 10 s.
    ["Blocked by x\u2028 #12", ["#12"]],
  ])("%j: %j", (text, expected) => {
    expect(named(text)).toEqual(expected);
  });

  it("is found in a long text too", () => {
    expect(named(`${"```\n".repeat(20_000)}${"<!--".repeat(20_000)}`)).toEqual([]);
    expect(named(`Blocked by ${"a-".repeat(50_000)} #12`)).toEqual(["#12"]);
    expect(named(`Blocked by ${"a/".repeat(50_000)} #12`)).toEqual(["#12"]);
  });
});
