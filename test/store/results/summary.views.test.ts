import { describe, expect, test } from "vitest";
import { computeReport } from "../../../src/domain/results/report.ts";
import type { EndKind } from "../../../src/domain/run/event.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { headline } from "../../../src/store/labels/run-label.ts";
import { renderMarkdown, renderSummaryText } from "../../../src/store/results/summary.ts";
import { attempt, mixed } from "../../domain/mixed-run.ts";
import { batchOf, Simulation, ticketOf } from "../../domain/simulate.ts";

const [T1, T2] = ["T-1", "T-2"].map((name) => TicketId.parse(name)) as [TicketId, TicketId];
const EVIL = "</b>\u001b[2J\u202e[x](http://e) `rm` *b* _i_ #1 <script> | ~~s~~ &amp; \\";

/** What was done when, in the run that is told about here. */
const TIME = [
  "T-1             ━━━━━━━░░░░✖   ━━━━━━━░░░░░░░░✔",
  "T-3                                                      ━━━━━━━░░░░✖",
  `     0${"┄".repeat(67)} 0s`,
  "     ━ agent  ░ checks  ╌ waits for a person",
];

function ended(sim: Simulation, kind: EndKind, exitCode: number): Simulation {
  sim.report({
    type: "run-ended",
    kind,
    verdict: kind === "oracle-done" ? "done" : "not-done",
    exitCode,
    reason: "2 of 4 tickets are open",
  });
  return sim;
}

describe("the report", () => {
  test("has exactly the fields of the contract, and a few more", () => {
    const report = computeReport(ended(mixed(), "not-done", 1).state);
    expect(report).toEqual({
      run: "test-run",
      batch: "test",
      preparations: { made: 0, reused: 0 },
      guard: { blocked: 0, byRule: {}, dead: 0, stopsTold: 0 },
      verdict: "not-done",
      reason: "2 of 4 tickets are open",
      exitCode: 1,
      startedAt: "1970-01-01T00:00:01.000Z",
      endedAt: expect.stringMatching(/^1970-01-01T00:00:01\.\d{3}Z$/),
      sandboxed: false,
      tickets: [
        {
          id: "T-1",
          title: "Add the parser",
          state: "done",
          attempts: 2,
          costUsd: 0.5,
          mergedSha: "sha-2",
          landed: null,
          landedInRun: "test-run",
          closedByPerson: false,
          humanStep: null,
          built: null,
          whyOpen: null,
          serviceId: null,
          url: null,
          stalledReason: null,
          foundBy: null,
          ...{ complexity: null, plan: null },
          fixes: [],
          failingOnBase: [],
          keptWork: [],
          lostWork: [],
          contract: null,
        },
        {
          id: "T-2",
          title: "Point the domain",
          state: "human-gated",
          attempts: 0,
          costUsd: 0,
          mergedSha: null,
          landed: null,
          landedInRun: null,
          closedByPerson: false,
          humanStep: "set the DNS record",
          built: null,
          whyOpen: null,
          serviceId: null,
          url: null,
          stalledReason: null,
          foundBy: null,
          ...{ complexity: null, plan: null },
          fixes: [],
          failingOnBase: [],
          keptWork: [],
          lostWork: [],
          contract: null,
        },
        {
          id: "T-3",
          title: "Hard one",
          state: "open",
          attempts: 1,
          costUsd: 0.25,
          mergedSha: null,
          landed: null,
          landedInRun: null,
          closedByPerson: false,
          humanStep: null,
          built: null,
          whyOpen: "broken · 1 attempt failed",
          serviceId: null,
          url: null,
          stalledReason: "broken · 1 attempt failed",
          foundBy: null,
          ...{ complexity: null, plan: null },
          fixes: [],
          failingOnBase: [],
          keptWork: [],
          lostWork: [],
          contract: null,
        },
        {
          id: "T-4",
          title: "After it",
          state: "open",
          attempts: 0,
          costUsd: 0,
          mergedSha: null,
          landed: null,
          landedInRun: null,
          closedByPerson: false,
          humanStep: null,
          built: null,
          whyOpen: expect.stringContaining("T-3"),
          serviceId: null,
          url: null,
          stalledReason: null,
          foundBy: null,
          ...{ complexity: null, plan: null },
          fixes: [],
          failingOnBase: [],
          keptWork: [],
          lostWork: [],
          contract: null,
        },
      ],
      interventions: { total: 1, work: 1, harness: 0, byClass: { I7: 1 }, becameTickets: 0 },
      interventionList: [
        {
          at: expect.stringMatching(/^1970-01-01T00:00:01/),
          class: "I7",
          kind: "work",
          target: "T-2",
          note: "gated",
          noted: false,
          observed: false,
          tickets: [],
        },
      ],
      fixAndProceed: 1,
      fixAndProceedByCause: { transient: 0, reviewFinding: 0, failedCheck: 1, liveFix: 0, sentBack: 0, conflict: 0 },
      remediations: { made: 0, helped: 0, byAction: {} },
      heals: 0,
      healsAccepted: 0,
      healResults: [],
      incidents: 0,
      incidentsByKind: { liveChecks: 0, brokenBases: 0, reopened: 0 },
      incidentList: [],
      suspensions: [],
      pullRequests: [],
      ci: null,
      costUsd: 0.75,
      claims: { made: 3, upheld: 1, gap: 2 },
      checks: { compared: 0, uncompared: 0, exitCodeOnly: 0 },
      suites: { run: 0, perLanded: null, checkMs: 0, proofMs: 0, waitingMs: 0 },
      reviewer: {
        questions: 0,
        valid: 0,
        usd: 0,
        findings: { critical: 0, high: 0, medium: 0, low: 0 },
        canaries: { seen: 0, missed: 0 },
      },
      secondReviewer: null,
      blockers: { claimed: 0, upheld: 0, fake: 0 },
      discoveries: { filed: 0, refused: 0 },
      complexity: null,
      transients: { retried: 0, passed: 0 },
      attempts: 3,
      judgements: [],
      trend: [
        {
          run: "test-run",
          startedAt: "1970-01-01T00:00:01.000Z",
          verdict: "not-done",
          complete: false,
          sameBatch: true,
          interventions: 1,
          costUsd: 0.75,
          shipped: 1,
          tickets: 4,
        },
      ],
    });
  });

  test("of a run that goes on nobody has said anything", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.decide();
    expect(computeReport(sim.state)).toMatchObject({
      verdict: "unjudged",
      exitCode: null,
      endedAt: null,
      tickets: [{ state: "open", attempts: 1 }],
    });
  });

  test("a stalled ticket that was once gated is open, and no step is shown as if it were recorded", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.report({ type: "ticket-gated", ticket: T1, step: "press" });
    sim.report({ type: "ticket-stalled", ticket: T1, reason: "x" });
    expect(computeReport(sim.state).tickets[0]).toMatchObject({
      state: "open",
      humanStep: null,
      serviceId: null,
      url: null,
      stalledReason: "x",
    });
  });
});

describe("the summary", () => {
  test.for([
    ["oracle-done", "! TO START: a person has approved a change since the oracle said done"],
    ["not-done", "✖ NOT DONE, says the oracle"],
    ["interrupted", "■ STOPPED before the final verdict"],
    ["unjudged", "? UNJUDGED: there is no final verdict"],
    ["engine-failure", "✖ FAILED: the engine had to stop"],
  ] as const)("%s: %s", ([kind, line]) => {
    expect(headline(ended(mixed(), kind, 1).state)).toBe(line);
    const shipped = new Simulation(batchOf([ticketOf("T-1")]));
    attempt(shipped, T1, "done");
    expect(headline(ended(shipped, "oracle-done", 0).state)).toBe("✔ DONE, says the oracle");
  });

  test("as text", () => {
    expect([headline(mixed().state), headline(mixed().state, false)]).toEqual(["! NEEDS YOU", "‖ UNFINISHED"]);
    expect(renderSummaryText(ended(mixed(), "not-done", 1).state)).toBe(
      [
        "✖ NOT DONE, says the oracle   test   0s   4 tickets: 1 shipped, 1 left to a person, 2 open",
        "  2 of 4 tickets are open",
        "  unsandboxed: agents and checks ran with your rights",
        "  ✔ T-1  Add the parser  sha-2  2 attempts",
        "  ! T-2  Point the domain  yours:",
        "      set the DNS record",
        "      nothing built",
        "  ✖ T-3  Hard one  broken · 1 attempt failed",
        "  · T-4  After it  waits for T-3, which is stalled",
        "  ✔ 1 landed: T-1",
        "  ↻ 2 retries: T-1 broken · T-3 silent for too long",
        "  @ 1 decision: T-2 gated",
        "  · cost: $0.75 for 3 attempts",
        "  attempts 3 · claims of done 3: 1 upheld, 2 refuted",
        "  fixed without you 1: 1 failed check · incidents 0 · $ 0.75",
        "  interventions 1 (1 work, 0 harness)",
        ...TIME.map((line) => `  ${line}`),
        "  fix:   what keeps the tickets named above open",
        `  next:  loopdash ${mixed().state.batchPath}`,
        "  keeps: a new run takes over the 2 settled tickets, and the work that agents left on open tickets",
        "  landed:    git -C /repo log --oneline a..sha-2",
        "  take back: git -C /repo switch main && git -C /repo revert --no-edit sha-2",
        "  loopdash report test-run",
        "",
      ].join("\n"),
    );
  });

  test("as Markdown", () => {
    expect(renderMarkdown(ended(mixed(), "not-done", 1).state)).toBe(`# ✖ NOT DONE, says the oracle: test

Run \`test-run\`, 0s, 4 tickets. 2 of 4 tickets are open

Unsandboxed: agents and checks ran with the user's rights.

## Yours
- **T-2** Point the domain: set the DNS record
  - nothing built

## Open
- **T-3** Hard one: broken · 1 attempt failed
- **T-4** After it: waits for T-3, which is stalled

## Shipped
- **T-1** Add the parser \`sha-2\` (2 attempts)

## What happened
- ✔ 1 landed: T-1
- ↻ 2 retries: T-1 broken · T-3 silent for too long
- @ 1 decision: T-2 gated
- · cost: $0.75 for 3 attempts

## Landed
\`\`\`text
landed:    git -C /repo log --oneline a..sha-2
take back: git -C /repo switch main && git -C /repo revert --no-edit sha-2
\`\`\`

## Numbers
- attempts 3
- claims of done 3: 1 upheld, 2 refuted
- fixed without you 1: 1 failed check
- incidents 0
- $ 0.75
- interventions 1 (1 work, 0 harness)

## Interventions
- 1970-01-01 00:00:01 UTC, I7 work: T-2: gated

## Timeline
\`\`\`text
${TIME.join("\n")}
\`\`\`
`);
  });

  test("hostile titles and steps are shown and not obeyed, each ticket on one line", () => {
    const sim = mixed({ title: EVIL });
    sim.report({ type: "ticket-gated", ticket: T2, step: `${EVIL}\n# DONE` });
    const text = renderSummaryText(ended(sim, "not-done", 1).state);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(text.split("\n")).toHaveLength(23 + TIME.length);
    const line = renderMarkdown(sim.state)
      .split("\n")
      .find((l) => l.startsWith("- **T-2**"));
    const escaped = "</b>[x](http://e) `rm` *b* _i_ #1 <script> | ~~s~~ &amp; \\".replace(/[\\`*_[\]<>#|~&]/g, "\\$&");
    expect(line).toBe(`- **T-2** ${escaped}: ${escaped} \\# DONE`);
  });
});
