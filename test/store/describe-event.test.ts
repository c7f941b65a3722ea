import { describe, expect, test } from "vitest";
import { ReviewerSpec } from "../../src/domain/batch/party.ts";
import type { Batch } from "../../src/domain/batch/schema.ts";
import type { RunFact } from "../../src/domain/run/event.ts";
import { Fence, TicketId } from "../../src/domain/values/ids.ts";
import { vecAt, vecWith } from "../../src/domain/values/vec.ts";
import { describeEvent } from "../../src/store/describe-event.ts";
import { claims, plumbing } from "./scenes.ts";

const run = plumbing();
const T7 = TicketId.parse("T-7");
const tell = (fact: RunFact) => describeEvent({ ...fact, seq: 1, at: 0 }, run.state);
const of = { ticket: T7, fence: Fence.parse(9) };

describe("claims and facts never look alike", () => {
  test("an agent that stops claims; that is dim and said as a claim", () => {
    expect(tell({ type: "agent-ended", ending: "exited", exitCode: 0, signal: null, costUsd: 0, ...of })).toMatchObject({
      tone: "claim",
      text: "agent stopped by itself: its claim is read",
    });
  });

  test("an agent that gives up is a fact", () => {
    expect(tell({ type: "agent-ended", ending: "exited", exitCode: 7, signal: null, costUsd: 0, ...of })).toMatchObject({
      tone: "bad",
      text: "agent gave up: exit 7",
    });
  });

  test("the oracle's voice is its own", () => {
    const judgement = { verdict: "not-done" as const, counts: { done: 1, gated: 0, open: 10 }, open: [T7], durationMs: 1 };
    expect(tell({ type: "oracle-judged", final: false, judgement })).toMatchObject({
      glyph: "◆",
      tone: "oracle",
      text: "oracle: not done, 10 of 11 open: T-7 …",
    });
    expect(
      tell({
        type: "oracle-judged",
        final: false,
        judgement: { ...judgement, verdict: "unjudged", problem: "tracker unreachable" },
      }),
    ).toMatchObject({
      tone: "bad",
      text: "oracle cannot judge: tracker unreachable",
    });
  });
});

test("the tripwire tells how it ended, and why it fired; not that it began", () => {
  const ended = { type: "tripwire-ended", ms: 900 } as const;
  expect(tell({ type: "tripwire-started" })).toBeUndefined();
  expect(tell({ ...ended, ok: true, canaries: 38 })).toMatchObject({
    glyph: "◆",
    tone: "oracle",
    text: "tripwire: 38 canaries judged right",
  });
  expect(tell({ ...ended, ok: true, canaries: 1 })).toMatchObject({ text: "tripwire: 1 canary judged right" });
  expect(tell({ ...ended, ok: false, canaries: 2, problem: "a canary was judged wrong: one\u001b[2J open" })).toMatchObject({
    tone: "bad",
    text: expect.stringMatching(/^tripwire fired: a canary was judged wrong: one[^\u001b]* open$/),
  });
  expect(tell({ ...ended, ok: false, canaries: 0 })).toMatchObject({ text: "tripwire fired: no reason given" });
});

test("what the rows show anyway makes no line, but the reason why a train failed does", () => {
  expect(tell({ type: "activity", text: "x", lines: 1, ...of })).toBeUndefined();
  expect(tell({ type: "agent-launching", ...of })).toBeUndefined();
  expect(tell({ type: "step-started", step: 0, kind: "gates", name: "gates", ...of })).toBeUndefined();
  expect(tell({ type: "step-part-started", part: "waits", ...of })).toBeUndefined();
  expect(tell({ type: "step-part-started", part: "waits", trainFailed: "1 fails", ...of })?.text).toBe("waits: 1 fails");
});

test("what a step has told is not told again by the end of its try", () => {
  const evidence = { step: "check" as const, name: "tests", summary: "2 fail", detail: "" };
  expect(tell({ type: "attempt-ended", outcome: "failed", evidence, ...of })?.text).toBe("attempt failed");
  const prepare = { ...evidence, step: "prepare" as const };
  expect(tell({ type: "attempt-ended", outcome: "failed", evidence: prepare, ...of })?.text).toBe("attempt failed: 2 fail");
});

test("an attempt that nobody stopped, and that waits for the reviewer, says so", () => {
  const evidence = { step: "review" as const, name: "review", summary: "postponed, because there is no key", detail: "" };
  expect(tell({ type: "attempt-ended", outcome: "stopped", evidence, ...of })?.text).toBe(
    "attempt ended: postponed, because there is no key",
  );
  expect(tell({ type: "attempt-ended", outcome: "stopped", ...of })?.text).toBe("attempt postponed");
});

describe("an attempt that ends early", () => {
  const ended = { type: "attempt-ended", outcome: "stopped", ...of, seq: 1, at: 0 } as const;
  const index = run.state.plan.index[T7] as number;
  const pendingWork = { tip: "t", baseSha: "b", claimed: true };
  const built = { ...run.state, tickets: vecWith(run.state.tickets, index, { ...vecAt(run.state.tickets, index), pendingWork }) };

  test("names the stop, and says that a finished change goes on without an agent", () => {
    expect(describeEvent(ended, { ...run.state, stage: "stopping" })?.text).toBe("attempt ended by the stop");
    expect(describeEvent(ended, { ...built, stage: "stopping" })?.text).toBe(
      "attempt ended by the stop; its finished change goes on later, without an agent",
    );
  });

  test("names the broken base that it waits for", () => {
    const repo = run.state.plan.tickets[index]?.repo as string;
    const base = {
      since: 0,
      cause: "verify",
      sha: "bad5eed",
      ticket: TicketId.parse("T-1"),
      step: "live",
      summary: "down",
    } as const;
    expect(describeEvent(ended, { ...built, brokenBases: { [repo]: base } })?.text).toBe(
      `attempt postponed: the base of ${repo} is broken (suspected: bad5eed of T-1). live: down; its finished change goes on later, without an agent`,
    );
  });

  test("is taken up without an agent, which its begin says", () => {
    const begun = { type: "attempt-claimed", ...of, attempt: 2, slot: 0, reservedUsd: 0, seq: 1, at: 0 } as const;
    expect(describeEvent(begun, built)?.text).toBe(
      "attempt 2 begins in slot 1: it takes up the finished change, without an agent",
    );
    expect(describeEvent(begun, run.state)?.text).toBe("attempt 2 begins in slot 1");
  });
});

test("that nobody knows what others have spent is told", () => {
  expect(tell({ type: "day-spend-unknown", why: "a.jsonl: line 1 is not JSON" })).toMatchObject({
    tone: "bad",
    text: "what other sessions have cost today is not known: a.jsonl: line 1 is not JSON",
  });
});

test("a refusal names the command, its ticket and the reason", () => {
  expect(tell({ type: "command-refused", command: { type: "kill", ticket: T7 }, reason: "nobody works on it" })?.text).toBe(
    "refused: kill T-7: nobody works on it",
  );
});

test.each<[string, RunFact]>([
  ["↻ plain: retried by a person: its attempts are counted again from zero", { type: "ticket-retried", ticket: T7 }],
  ["● running: 1 worker from now on", { type: "workers-set", workers: 1 }],
  ["● running: 5 workers from now on", { type: "workers-set", workers: 5 }],
  ["✚ person: heal requested: nothing new starts, it begins once the attempts under way are over", { type: "heal-asked" }],
  ["· waiting: the requested heal was dropped: nothing to mend", { type: "heal-dropped", why: "nothing to mend" }],
  [
    "@ plain: intervention noted (work; wrote code or merged by hand): wrote the migration",
    { type: "intervention", class: "I4", target: "run", note: "wrote the migration", noted: true },
  ],
])("a person's command is told: %s", (told, fact) => {
  const line = tell(fact);
  expect(`${line?.glyph} ${line?.tone}: ${line?.text}`).toBe(told);
});

test("an intervention is told, and so is one that belongs to a decision counted before", () => {
  const fact = { type: "intervention", class: "I2", target: "workers", note: "2 before, 3 from now on" } as const;
  const first = { ...fact, seq: 1, at: 5 };
  const counted = { ...run.state, interventions: [first] };
  expect(describeEvent(first, counted)).toMatchObject({
    glyph: "@",
    tone: "plain",
    text: "intervention on workers (harness; steered): 2 before, 3 from now on",
  });
  expect(describeEvent({ ...first, at: 6 }, counted)?.text).toBe(
    "intervention on workers (harness; steered): 2 before, 3 from now on (counted before, as one decision)",
  );
});

test("a blocked connection is told with its reason and the line that would allow it", () => {
  const line = tell({
    type: "connection-blocked",
    ...{ ticket: T7, fence: Fence.parse(3) },
    step: "prepare",
    ...{ host: "npm.corp.example", port: 443, address: "10.2.0.7", reason: "10.2.0.7 is a private address", allow: "ALLOW" },
  });
  const text = "prepare: the sandbox blocked npm.corp.example:443 (10.2.0.7 is a private address). Allow it with ALLOW";
  expect(line).toMatchObject({ text, tone: "bad" });
});

test("outside text in any line is safe to draw", () => {
  const line = tell({ type: "ticket-stalled", ticket: T7, reason: "\u001b[2Jlast\nline" });
  expect(line).toMatchObject({ text: "stalled: last line", ticket: "T-7" });
});

test("every kind of event of a whole run is told or passed over without failing", () => {
  for (const { events, state } of [run, claims()])
    for (const event of events) {
      const line = describeEvent(event, state);
      if (line !== undefined) expect(line.text).not.toBe("");
    }
});

const HEAL = { n: 1 } as const;
const HEALED = { ...HEAL, type: "heal-ended", why: "no", changed: [], costUsd: 0 } as const;

describe("what is claimed beside a change", () => {
  const reviewed = claims();
  const line = (fact: RunFact, state = reviewed.state) => {
    const told = describeEvent({ ...fact, seq: 1, at: 1_000 }, state);
    return told && `${told.ticket ?? ""} ${told.glyph} ${told.tone}: ${told.text}`;
  };
  const on = { ticket: TicketId.parse("T-3"), fence: Fence.parse(3) };
  const answered = {
    type: "reviewer-answered",
    question: "review",
    costUsd: 0.124,
    valid: true,
    says: "no findings",
    ...on,
  } as const;

  test.each<[string, RunFact]>([
    [
      "T-3 ↻ waiting: check tests: transient 'registry 5xx', retry in 5 s",
      { type: "step-retried", step: 1, name: "tests", transient: "registry 5xx", waitMs: 5_000, ...on },
    ],
    [
      "T-3 ↻ waiting: prepare: transient 'dns', retry in 0.2 s",
      { type: "step-retried", step: -1, name: "prepare", transient: "dns", waitMs: 200, ...on },
    ],
    ["T-3 » running: review: asking codex gpt-5-codex", { type: "reviewer-asked", question: "review", reservedUsd: 5, ...on }],
    [
      "T-3 » running: blocker: asking codex gpt-5-codex",
      { type: "reviewer-asked", question: "adjudicate", reservedUsd: 5, ...on },
    ],
    ["T-3 ◇ plain: review: codex gpt-5-codex says: no findings ($0.12)", answered],
    ["T-3 ◇ plain: adversary: codex gpt-5-codex says: no findings", { ...answered, question: "adversary", costUsd: 0 }],
    [
      "T-3 ✖ bad: review: codex gpt-5-codex gave no answer that counts: no end mark ($0.12)",
      { ...answered, valid: false, says: "no end mark" },
    ],
    ["T-3 ◇ good: review: codex gpt-5-codex saw the planted defect ($0.12)", { ...answered, canary: "seen" }],
    ["T-3 ◇ bad: review: codex gpt-5-codex missed the planted defect ($0.12)", { ...answered, canary: "missed" }],
    [
      "T-3 ✖ bad: outbox: blocker.json was not taken: wall is missing",
      { type: "outbox-refused", file: "blocker.json", why: "wall is missing", ...on },
    ],
    ["T-3 · claim: agent claims a blocker: no DNS", { type: "blocker-claimed", claim: "no\nDNS", humanStep: "s", ...on }],
    [
      "T-3 ! person: blocker upheld: it is outside; then yours: press",
      { type: "blocker-ruled", upheld: true, reason: "it is outside", step: "press", ...on },
    ],
    [
      "T-3 ✖ bad: blocker rejected, it is none: tests fail",
      { type: "blocker-ruled", upheld: false, reason: "tests fail", step: "press", ...on },
    ],
    ['T-3 ✖ bad: discovery refused: "more": at most 5', { type: "discovery-refused", title: "more", why: "at most 5", ...on }],
    [
      "T-2 + plain: filed in the tracker: the batch has one ticket more",
      { type: "discovery-filed", ticket: TicketId.parse("T-2") },
    ],
    [
      " ✚ running: heal 1 begins: A stalled",
      { ...HEAL, type: "heal-started", token: on.fence, reason: "A\nstalled", reservedUsd: 1 },
    ],
    [" ✚ good: heal 1 accepted: it changed hints.md", { ...HEALED, outcome: "accepted", why: "it changed hints.md" }],
    [" ✖ bad: heal 1 rejected: no", { ...HEALED, outcome: "rejected" }],
    [" ✖ bad: heal 1 failed: no", { ...HEALED, outcome: "failed" }],
    [" ✖ bad: heal 1 lost with its engine: no", { ...HEALED, outcome: "lost" }],
    [" · waiting: heal 1 came to nothing: no", { ...HEALED, outcome: "nothing" }],
    [" ‖ waiting: no agent starts for 04:12: 529", { type: "backoff-started", until: 253_000, reason: "529" }],
    [
      " ‖ waiting: the tracker is away: ENOENT; next try in 00:04, gives up in 15:00",
      { type: "outage-started", what: "tracker", why: "ENOENT", nextAt: 5_000, until: 901_000 },
    ],
    [
      " ‖ waiting: still: the reviewer fails: it exited with code 7; next try in 00:30, gives up in 14:00",
      { type: "outage-continues", what: "reviewer", why: "it exited with code 7", nextAt: 31_000, until: 841_000 },
    ],
    [" ● running: git failed; it recovered after 01:02", { type: "outage-ended", what: "git", ms: 62_000 }],
    [
      " · waiting: the tracker was away; the wait for it was cut off after 00:12",
      { type: "outage-ended", what: "tracker", ms: 12_000, cutOff: true },
    ],
    [
      " ✖ bad: the oracle could not judge: no; given up after 15:00, the run ends",
      { type: "outage-ended", what: "oracle", ms: 900_000, givenUp: "no" },
    ],
  ])("%s", (text, fact) => {
    expect(line(fact)).toBe(text);
  });

  test("a ticket that is found is told by its finder, with its title and why", () => {
    const found = reviewed.events.find((event) => event.type === "ticket-discovered");
    expect(found && describeEvent(found, reviewed.state)).toMatchObject({
      ticket: "T-2",
      text: 'found T-2-d1 "rotate the credentials of the bucket": it fails without',
    });
  });

  test("a command that answers, and a model without a name, are named by what they are", () => {
    const asked: RunFact = { type: "reviewer-asked", question: "review", reservedUsd: 0, ...on };
    const by = (reviewer: Batch["reviewer"]) => line(asked, { ...reviewed.state, batch: { ...reviewed.state.batch, reviewer } });
    expect(by(ReviewerSpec.parse({ kind: "command", command: ["node", "r.mjs"] }))).toContain("asking the reviewer");
    expect(by(ReviewerSpec.parse({ kind: "codex", apiKeyEnv: "K" }))).toMatch(/asking codex$/);
    expect(by(ReviewerSpec.parse({ kind: "claude", apiKeyEnv: "K", model: "claude-x\u001b[2J" }))).toMatch(/asking claude-x$/);
  });
});
