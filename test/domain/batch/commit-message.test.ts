import { describe, expect, test } from "vitest";
import { type CommitMessageOptions, commitMessage, teamKeys } from "../../../src/domain/batch/commit-message.ts";
import { CommitSpec } from "../../../src/domain/batch/commit-spec.ts";
import { AgentSpec } from "../../../src/domain/batch/party.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";

const OWN = "Loopdash-Ticket: T-1\nLoopdash-Run: run-1\nLoopdash-Attempt: 2\nLoopdash-Agent: command my-agent.mjs\n";
const agent = AgentSpec.parse({ kind: "command", command: ["/usr/bin/node", "/batch/my agent.mjs"] });

function message(ticket: { title?: string; body?: string }, commit?: unknown, over: Partial<CommitMessageOptions> = {}): string {
  return commitMessage({
    commit: commit === undefined ? undefined : CommitSpec.parse(commit),
    ticket: { id: TicketId.parse("T-1"), title: ticket.title ?? "Stop it", body: ticket.body ?? "" },
    ...{ run: "run-1", attempt: 2, agent },
    ...over,
  });
}

const CONVENTIONAL = { template: "{type}({scope}): {title}\n\n{body}\n\nTicket: {ticket}" };

describe("commitMessage", () => {
  test("is the title with the ticket, and loopdash's trailers, without settings", () => {
    expect(message({ body: "not told" })).toBe(`Stop it (T-1)\n\n${OWN}`);
  });

  test.each([
    ["fix(api): stop it", "fix(api): stop it"],
    ["Perf: stop it", "perf: stop it"],
    ["stop it", "feat: stop it"],
    ["Note: stop it", "feat: Note: stop it"],
  ])("takes type and scope from a title: %s", (title, subject) => {
    expect(message({ title, body: "Because." }, CONVENTIONAL)).toBe(`${subject}\n\nBecause.\n\nTicket: T-1\n${OWN}`);
  });

  test("takes type and scope from the settings else, and leaves out an empty body", () => {
    expect(message({}, { ...CONVENTIONAL, type: "chore", scope: "core" })).toBe(`chore(core): Stop it\n\nTicket: T-1\n${OWN}`);
  });

  test("has the trailers and the co-author that the batch names, in the paragraph that git reads", () => {
    const trailers = { "Signed-off-by": "A. Person <a@example.com>", Refs: "JIRA-{ticket}" };
    expect(message({}, { trailers, coAuthor: "agent" })).toBe(
      `Stop it (T-1)\n\nSigned-off-by: A. Person <a@example.com>\nRefs: JIRA-T-1\nCo-authored-by: my-agent.mjs <my-agent.mjs@localhost>\n${OWN}`,
    );
    const claude = AgentSpec.parse({ kind: "claude", apiKeyEnv: "KEY" });
    expect(message({}, { coAuthor: "agent" }, { agent: claude })).toContain("\nCo-authored-by: Claude <noreply@anthropic.com>\n");
    expect(message({}, { coAuthor: "B <b@example.com>" })).toContain("\nCo-authored-by: B <b@example.com>\n");
  });

  test.each([
    [{ kind: "claude" }, "claude"],
    [{ kind: "claude", model: "claude-opus-4-1" }, "claude claude-opus-4-1"],
    // Nobody knows which of its accounts the agent used.
    [{ kind: "codex", model: "one", fallback: [{ model: "two" }] }, "codex"],
  ])("names the agent: %j", (spec, named) => {
    expect(message({}, undefined, { agent: AgentSpec.parse(spec) })).toMatch(new RegExp(`\nLoopdash-Agent: ${named}\n$`));
  });

  test.each([
    ["Fixes #12: stop it", "Fixes see #12: stop it"],
    ["stop it, closes: owner/name#12", "stop it, closes: see owner/name#12"],
    ["Resolving issue GH-3", "Resolving issue see GH-3"],
    ["Resolved https://example.com/issues/1", "Resolved see https://example.com/issues/1"],
    ["stop it [skip ci] [ CI skip ]", "stop it (skip ci) (CI skip)"],
    ["Signed-off-by: E <e@example.com>", "Signed-off-by - E <e@example.com>"],
    ["one\u001b[2J\u202e two", "one two"],
    ["fix the prefix#1 of suffixes", "fix the prefix#1 of suffixes"],
  ])("lets a title do nothing: %j", (title, told) => {
    expect(message({ title })).toBe(`${told} (T-1)\n\n${OWN}`);
  });

  test("lets a body bring no trailer, close no issue, and go beyond no bound", () => {
    const body = ["Why.", "", "Co-authored-by: E <e@example.com>", "Fixes: #3", "Loopdash-Ticket: T-2", "fixes #4", "\u0007bell"];
    const text = message({ body: [...body, "x".repeat(9_000)].join("\n") }, CONVENTIONAL);
    expect(text).toContain("Why.\n\n> Co-authored-by");
    expect(text).not.toMatch(/^(?:Co-authored-by|Fixes|Loopdash-Ticket: T-2)/m);
    expect(text).not.toMatch(/fixes #4|\u0007/);
    expect(text.length).toBeLessThan(6_000);
    expect(text.endsWith(`Ticket: T-1\n${OWN}`)).toBe(true);
  });

  test.each([
    ["Fixes ENG-2", "Fixes see ENG-2"],
    ["Completes eng-2, closing: [ENG-3](x)", "Completes see eng-2, closing: see [ENG-3](x)"],
    ["Fix UTF-8 in ENG-2", "Fix UTF-8 in ENG-2"],
  ])("lets a title close nothing in Linear: %j", (title, told) => {
    const tickets = ["ENG-1", "ENG-1-d1"].map((id) => ({ id: TicketId.parse(id) }));
    const teams = teamKeys({ tracker: { kind: "linear", team: "ENG" } }, tickets);
    expect(message({ title }, undefined, { teams })).toBe(`${told} (T-1)\n\n${OWN}`);
    expect(teamKeys({ tracker: { kind: "local" } }, tickets)).toEqual([]);
  });

  test("lets a body close nothing whose number stands in the next line", () => {
    expect(message({ body: "It fixes\n#2 and closes\n\nENG-2" }, CONVENTIONAL, { teams: ["ENG"] })).toContain(
      "It fixes\nsee #2 and closes\n\nsee ENG-2",
    );
  });

  test("fills no placeholder that a ticket's text contains", () => {
    expect(message({ title: "{run} {body}", body: "b" })).toBe(`{run} {body} (T-1)\n\n${OWN}`);
  });
});

describe("CommitSpec", () => {
  test.each([
    [{ author: "nobody" }],
    [{ author: "A <a@b>\nB <c@d>" }],
    [{ coAuthor: true }],
    [{ trailers: { "Loopdash-Run": "x" } }],
    [{ trailers: { "a b": "x" } }],
    [{ trailers: { Refs: "two\nlines" } }],
    [{ trailers: { Refs: "{nope}" } }],
    [{ template: "{title} {nope}" }],
    [{ template: "no ticket" }],
    [{ sign: "yes" }],
  ])("refuses %j", (spec) => {
    expect(CommitSpec.safeParse(spec).success).toBe(false);
  });
});

describe("commitMessage of a revert", () => {
  const reverts = { sha: "abc123", why: "whose live checks kept failing" };
  const TRAILERS = "Loopdash-Ticket: T-1\nLoopdash-Run: run-1\nLoopdash-Reverts: abc123\n";
  const REASON = "This reverts commit abc123, whose live checks kept failing.";

  test("quotes the title and gives the reason, without settings", () => {
    expect(message({ body: "not told" }, undefined, { reverts })).toBe(`Revert "Stop it" (T-1)\n\n${REASON}\n\n${TRAILERS}`);
  });

  test("has the type of a revert where the template has a type, and the reason where it has a body", () => {
    expect(message({ title: "fix(api): stop it", body: "Because." }, CONVENTIONAL, { reverts })).toBe(
      `revert(api): stop it\n\n${REASON}\n\nTicket: T-1\n${TRAILERS}`,
    );
  });

  test("has the reason before the trailers of a template without a body", () => {
    expect(message({}, { template: "{title}\n\nTicket: {ticket}" }, { reverts })).toBe(
      `Revert "Stop it"\n\n${REASON}\n\nTicket: T-1\n${TRAILERS}`,
    );
  });

  test("has the batch's trailers and a person as co-author, and no agent: none wrote it", () => {
    const trailers = { Refs: "JIRA-{ticket}" };
    const withPerson = message({}, { trailers, coAuthor: "B <b@example.com>" }, { reverts });
    expect(withPerson).toBe(
      `Revert "Stop it" (T-1)\n\n${REASON}\n\nRefs: JIRA-T-1\nCo-authored-by: B <b@example.com>\n${TRAILERS}`,
    );
    expect(message({}, { coAuthor: "agent" }, { reverts })).not.toContain("Co-authored-by");
  });
});
