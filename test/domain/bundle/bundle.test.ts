import { describe, expect, test } from "vitest";
import { attemptBundle, attemptCommits } from "../../../src/domain/bundle/attempt-bundle.ts";
import { attemptPage } from "../../../src/domain/bundle/attempt-page.ts";
import { BundledRun, isRelativePath, ListedAttempt } from "../../../src/domain/bundle/bundle.ts";
import { describeFile } from "../../../src/domain/bundle/describe-file.ts";
import { diffStat } from "../../../src/domain/bundle/diff-stat.ts";
import { compareFile, type Findings, findingLines } from "../../../src/domain/bundle/findings.ts";
import { batchText, runBundle } from "../../../src/domain/bundle/run-bundle.ts";
import { runPage } from "../../../src/domain/bundle/run-page.ts";
import type { RunEvent, RunFact } from "../../../src/domain/run/event.ts";
import type { PastAttempt } from "../../../src/domain/run/ticket-state.ts";
import { Fence, RepoId, RunId, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const of = { ticket: T1, fence: Fence.parse(1) };
const SUM = "a".repeat(64);
const file = { path: "agent.log", bytes: 3, sha256: SUM, description: "log of the agent" };
const past: PastAttempt = {
  ...{ n: 2, slot: 0, startedAt: 0, slotLeftAt: 0, endedAt: 80_000, outcome: "failed", summary: "2 tests fail" },
  ...{ claimed: true, costUsd: 0.75 },
};

function aBundle(facts: readonly RunFact[], ticket = ticketOf("T-1", { title: "Say **hello**", body: "```\n</x>" })) {
  const events = facts.map((fact, i) => ({ ...fact, seq: i + 1, at: i * 1_000 }) as RunEvent);
  const ended = { run: RunId.parse("run-1"), batch: "plumbing", ticket, past, events };
  return { ticket, events, bundle: attemptBundle(ended, { files: [file], leftOut: [] }) };
}

const FACTS: readonly RunFact[] = [
  { type: "attempt-claimed", ...of, attempt: 2, slot: 0, reservedUsd: 5 },
  { type: "worktree-ready", ...of, path: "/somewhere", branch: "b", baseSha: "base" },
  { type: "agent-ended", ...of, ending: "exited", exitCode: 0, signal: null, costUsd: 0.5 },
  { type: "change-captured", ...of, tip: "tip", files: 1, additions: 2, deletions: 1 },
  { type: "step-started", ...of, step: 0, kind: "check", name: "tests" },
  { type: "step-ended", ...of, step: 0, ok: true, summary: "12 passed", judged: "c1" },
  { type: "reviewer-answered", ...of, question: "review", costUsd: 0.25, valid: true, says: "| fine |" },
  { type: "merge-landed", ...of, repo: RepoId.parse("app"), from: "base", to: "landed" },
  { type: "step-started", ...of, step: 0, kind: "check", name: "tests" },
  { type: "step-ended", ...of, step: 0, ok: false, summary: "2 tests fail" },
  { type: "step-started", ...of, step: 1, kind: "review", name: "review" },
  { type: "attempt-ended", ...of, outcome: "failed" },
];

describe("the bundle of an attempt", () => {
  test("tells what happened, each verdict with its reason, and what it cost; and is a list that a reader takes", () => {
    const { bundle } = aBundle(FACTS);
    expect(bundle).toMatchObject({
      ...{ ticket: "T-1", attempt: 2, outcome: "failed", why: "2 tests fail", endedAt: "1970-01-01T00:01:20.000Z" },
      agent: { ending: "exited", exitCode: 0, claimedDone: true },
      change: { base: "base", tip: "tip", files: 1, additions: 2, deletions: 1 },
      landed: [{ repo: "app", from: "base", to: "landed" }],
      steps: [
        { step: "tests", kind: "check", verdict: "passed", why: "12 passed", seconds: 1, judged: "c1" },
        { step: "tests", kind: "check", verdict: "failed", why: "2 tests fail", seconds: 1 },
        { step: "review", kind: "review", verdict: "cut off", why: "", seconds: null },
      ],
      costUsd: { agent: 0.5, reviewer: 0.25, total: 0.75 },
    });
    expect(ListedAttempt.parse(JSON.parse(JSON.stringify(bundle))).files).toEqual([file]);
    expect(JSON.stringify(bundle)).not.toContain("/somewhere");
  });

  test("does not call a step passed that the ticket's class did not need", () => {
    const review = { ...of, step: 0, kind: "review", name: "second-review" } as const;
    const why = "not needed: the ticket is trivial";
    const { bundle, ticket } = aBundle([
      { type: "step-started", ...review },
      { type: "step-ended", ...of, step: 0, ok: true, summary: why, notNeeded: true },
    ]);
    expect(bundle.steps).toMatchObject([{ step: "second-review", verdict: "not needed", why }]);
    expect(attemptPage(bundle, ticket)).toContain(`| review second-review | not needed | ${why} | 1.0 s |\n`);
  });

  test("without an agent and without a change says so", () => {
    const { bundle, events } = aBundle(FACTS.slice(0, 1));
    expect(bundle).toMatchObject({ agent: null, change: null, landed: [], steps: [], costUsd: { agent: 0 } });
    expect(attemptCommits(events)).toBeUndefined();
  });

  test("finds the change also of work that was kept, and of a blocker", () => {
    const begun = FACTS.slice(0, 2);
    const kept = { type: "work-kept", ...of, branch: "k", sha: "kept", files: 1 } as const;
    expect(attemptCommits(aBundle([...begun, kept]).events)).toEqual({ from: "base", tip: "kept" });
    const change = { tip: "blocked", files: 1, additions: 1, deletions: 0 };
    const ruled = { type: "blocker-ruled", ...of, upheld: true, reason: "r", step: "s", change } as const;
    expect(attemptCommits(aBundle([...begun, ruled]).events)).toEqual({ from: "base", tip: "blocked" });
  });

  test("is a page in which outside text is no markup", () => {
    const { bundle, ticket } = aBundle(FACTS);
    const page = attemptPage(bundle, ticket);
    expect(page).toContain("# T-1, attempt 2: failed\n");
    expect(page).toContain("**Say \\*\\*hello\\*\\***\n\n````text\n```\n</x>\n````\n");
    expect(page).toContain("- The reviewer (review): \\| fine \\|\n");
    expect(page).toContain("| check tests | failed | 2 tests fail | 1.0 s |\n");
    expect(page).toContain(`| agent.log | log of the agent | 3 | \`${SUM}\` |\n`);
  });
});

test("files are named by what they are", () => {
  expect(["prompt.md", "check-tests.log", "review-review.json", "outbox/notes.md", "constructor"].map(describeFile)).toEqual([
    "prompt of the agent",
    "log of a check",
    "answer of the reviewer",
    "left by the agent in its outbox: claims",
    "other file of the attempt",
  ]);
});

test("changed lines are counted by file, also of one that is gone or binary", () => {
  const patch = [
    "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n-x\n+y\n++++ z\n",
    "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
    "diff --git a/p.png b/p.png\nnew file mode 100644\nGIT binary patch\nliteral 1\nx\n",
  ].join("");
  expect(diffStat(patch)).toBe("a.txt | +2 -1\ngone.txt | +0 -1\na/p.png b/p.png | binary\n3 files, +2 -2\n");
  expect(diffStat(`${patch}# cut here: the whole patch is longer than 9 bytes\n`)).toContain("the patch was cut");
});

test("a path stays below its folder", () => {
  const good = ["a", "a/b.c", "..a/b..", "outbox/discovered/x.json"];
  const bad = ["", "/a", "a/", "a//b", "..", "a/../b", "./a", "a\\b", "a\0b"];
  expect(good.filter((path) => !isRelativePath(path))).toEqual([]);
  expect(bad.filter(isRelativePath)).toEqual([]);
});

describe("the bundle of a run", () => {
  const simulated = () => {
    const run = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2")]));
    run.decide();
    run.endAttempt(T1, "failed");
    return run;
  };

  test("lists each attempt with the sum of its list, or the reason that there is none", () => {
    const run = simulated();
    const entries = () => runBundle(run.state, SUM, []).attempts;
    expect(entries()).toMatchObject([
      { ticket: "T-1", attempt: 1, outcome: "failed", bundle: null, why: "no bundle of it is on record" },
      { ticket: "T-2", attempt: 1, outcome: "under way", bundle: null },
    ]);
    run.report({ type: "attempt-not-bundled", ticket: T1, attempt: 1, why: "the disk is full" });
    expect(entries()[0]).toMatchObject({ bundle: null, why: "the disk is full" });
    run.report({ type: "attempt-bundled", ticket: T1, attempt: 1, sha256: SUM, files: 3 });
    expect(entries()[0]).toEqual({
      ...{ ticket: "T-1", attempt: 1, outcome: "failed" },
      bundle: { path: "tickets/T-1/attempt-1/bundle.json", sha256: SUM },
    });
  });

  test("is a list that a reader takes, and a page that says that it is not final", () => {
    const run = simulated();
    const bundle = runBundle(run.state, SUM, [file]);
    expect(BundledRun.parse(bundle)).toMatchObject({ ended: false, journal: { rows: run.state.seq, head: SUM } });
    expect(runPage(bundle)).toContain("nothing here is final");
    expect(JSON.parse(batchText(run.events) ?? "")).toMatchObject({ name: "test" });
  });
});

describe("findings", () => {
  const found = { ok: true, sha256: SUM } as const;
  const findings: Findings = {
    audited: 0,
    ...{ run: "run-1", source: "records", ended: true, rows: 7, head: SUM, bundles: 1, files: 4 },
    problems: [],
    notes: [],
  };

  test("a file is whole, changed, missing, or cannot be read", () => {
    expect(compareFile("a", SUM, found, "then")).toBeUndefined();
    expect(compareFile("a", "b".repeat(64), found, "then")).toEqual({
      ...{ kind: "changed", path: "a", why: "its content is not what it was then" },
    });
    expect(compareFile("a", SUM, undefined, "then")).toMatchObject({ kind: "missing" });
    expect(compareFile("a", SUM, { ok: false, why: "it is a link" }, "then")).toMatchObject({ kind: "not readable" });
  });

  test("are told in plain lines, the result first", () => {
    expect(findingLines(findings)).toEqual([
      "run-1: all of it holds",
      `  holds: 7 rows of the journal, the last is ${SUM}`,
      "  holds: 1 bundle of attempts, 4 files",
    ]);
    const problems = [{ kind: "missing", path: "a.log", why: "it is listed, and is not there" }] as const;
    expect(findingLines({ ...findings, source: "archive", ended: false, problems, notes: ["so"] })).toEqual([
      "run-1, an archive: 1 thing does not hold",
      expect.any(String),
      expect.any(String),
      "  missing: a.log: it is listed, and is not there",
      "  note: so",
    ]);
    expect(findingLines({ ...findings, ended: false }).at(-1)).toContain("has not ended");
  });
});
