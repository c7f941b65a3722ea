import { ReviewerSpec } from "../../src/domain/batch/party.ts";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { batchOf, RunBuilder } from "./run-builder.ts";

const TITLES = [
  ["T-1", "pin the base image", "app"],
  ["T-2", "object storage behind a signed URL", "infra"],
  ["T-3", "move queue metrics to the exporter", "app"],
  ["T-4", "rotate signing keys", "app"],
  ["T-5", "point the registrar at the new zone", "infra"],
  ["T-6", "bucket lifecycle", "infra"],
  ["T-7", "drop the legacy queue", "app"],
  ["T-8", "retry budget for outgoing hooks", "app"],
  ["T-9", "dashboards for the new exporter", "app"],
  ["T-10", "lock the state bucket", "infra"],
  ["T-11", "remove the old dashboards", "app"],
] as const;

const DEPENDS: Readonly<Record<string, readonly string[]>> = { "T-9": ["T-4", "T-6"], "T-11": ["T-9"] };
const EXCLUSIVE: Readonly<Record<string, readonly string[]>> = { "T-6": ["infra"], "T-10": ["infra"] };

/** The run of the sketch in the design: three at work, one slot free, one step left to a person. */
export function plumbing({
  workers,
  sandboxed,
  repoUrls,
}: {
  readonly sandboxed?: boolean;
  readonly workers?: number;
  readonly repoUrls?: Readonly<Record<string, string>>;
} = {}): RunBuilder {
  const tickets = TITLES.map(([id, title, repo]) => ({
    id,
    title,
    repo,
    dependsOn: DEPENDS[id] ?? [],
    exclusive: EXCLUSIVE[id] ?? [],
  }));
  const limits = { workers: workers ?? 4 };
  const run = new RunBuilder(batchOf({ tickets, repos: ["app", "infra"], limits }), {
    sandboxed: sandboxed ?? true,
    ...(repoUrls !== undefined && { repoUrls }),
  });
  run
    .wait(2)
    .working("T-1", "pinning")
    .working("T-2", "signing")
    .ships("T-1", 700, "91fe001")
    .fails("T-2", "1 of 214: object storage answered 404");
  run
    .wait(8)
    .ships("T-2", 310, "77ab3c9")
    .working("T-3", "exporter")
    .gates("T-5", "approve the DNS change at the registrar: zone example.org, ticket 4711");
  run
    .ships("T-3", 900)
    .wait(20)
    .working("T-7", "Edit src/queue/worker.ts")
    .wait(300)
    .fails("T-6", "2 of 88: policy of src/iam.ts");
  run.working("T-6", "reviewer reads 4 files").wait(200).working("T-4", "looking at the keys").wait(120);
  run.claims("T-4").step("T-4", 1).of("T-4", { type: "activity", text: "running 214 tests…", lines: 1 });
  run.play({ type: "intervention", class: "I5", target: "T-7", note: "kill" });
  run.wait(30).of("T-7", { type: "activity", text: "Edit src/queue/worker.ts", lines: 1 });
  run.wait(34).judged("not-done", { done: 3, gated: 1, open: 7 }).wait(14);
  return run;
}

/** The same run, with agents whose programs print what they do: one does well, one chases a symptom and asks for files of its own invention. */
export function watchedPlumbing(of?: Parameters<typeof plumbing>[0]): RunBuilder {
  const pass = { level: "pass" } as const;
  const calm = { exist: pass, relevance: pass, rootCause: pass, recall: { level: "skip" }, momentum: pass } as const;
  const exist = { level: "warn", why: "asked for 3 files or texts that are not there" } as const;
  const rootCause = { level: "fail", why: "edited src/iam.ts again after 5 failed commands" } as const;
  return plumbing(of)
    .of("T-7", { type: "signals-changed", signals: calm })
    .of("T-6", { type: "signals-changed", signals: { ...calm, exist }, risen: ["exist"] })
    .of("T-6", { type: "signals-changed", signals: { ...calm, exist, rootCause }, risen: ["rootCause"] });
}

/** The same run at its end. */
export function plumbingEnded(how: "done" | "not-done" | "stopped" = "done", of?: Parameters<typeof plumbing>[0]): RunBuilder {
  const run = plumbing(of);
  if (how === "stopped") {
    run.play({ type: "stop-requested", by: "person" });
    for (const id of ["T-4", "T-6", "T-7"]) {
      run.of(id, { type: "kill-requested", ending: "stopped" });
      if (id !== "T-4") run.of(id, { type: "agent-ended", ending: "stopped", exitCode: null, signal: "SIGTERM", costUsd: 0.2 });
      run.of(id, { type: "attempt-ended", outcome: "stopped" });
    }
    run.play({ type: "run-ended", kind: "interrupted", verdict: "unjudged", exitCode: 130, reason: "a person stopped the run" });
    return run;
  }
  run
    .of("T-4", { type: "step-ended", step: 1, ok: true, summary: "214 passed" })
    .step("T-4", 2)
    .lands("T-4", "cafe123")
    .ships("T-6", 400, "0a1b2c3")
    .ships("T-7", 900, "d00dfee")
    .ships("T-8", 300)
    .ships("T-9", 1200, "beef001");
  if (how === "done")
    run
      .gates("T-10", "unlock the state bucket in the console, as the owner of the account: Storage, state, Unlock")
      .ships("T-11", 200);
  else {
    for (let i = 0; i < 3; i++) run.fails("T-10", `apply failed: bucket is locked (${i})`);
    run.play({
      type: "ticket-stalled",
      ticket: TicketId.parse("T-10"),
      reason: "3 of 3 attempts failed; last: apply failed: bucket is locked (2)",
    });
    run.ships("T-11", 200);
  }
  const open = how === "done" ? 0 : 1;
  run.play({ type: "reverify-started" });
  run.play({ type: "reverify-ended", reopened: 0 });
  run.judged(how, { done: how === "done" ? 9 : 9, gated: 2 - open, open });
  const [kind, exitCode, reason] =
    how === "done"
      ? (["oracle-done", 0, "the oracle finds every ticket done or human-gated"] as const)
      : (["not-done", 1, "1 of 11 tickets is open: T-10 stalled (3 of 3 attempts failed)"] as const);
  run.play({ type: "run-ended", kind, verdict: how, exitCode, reason });
  return run;
}

/** Many slots or many tickets; every other slot is busy where `busy` is not given. */
export function crowd(options: { readonly tickets: number; readonly workers: number; readonly busy?: number }): RunBuilder {
  const tickets = Array.from({ length: options.tickets }, (_, i) => ({
    id: `CORE-${i + 1}`,
    title: `change number ${i + 1} of the long list`,
    dependsOn: i % 3 === 2 && i > 10 ? [`CORE-${i - 4}`, `CORE-${i - 7}`] : [],
  }));
  const run = new RunBuilder(batchOf({ tickets, name: "core", limits: { workers: options.workers } }));
  for (let i = 0; i < (options.busy ?? Math.ceil(options.workers / 2)); i++) {
    const id = run.state.plan.tickets[run.state.ready[0] ?? 0]?.id ?? "CORE-1";
    run.wait(3).working(id, `step ${i} of the work`);
  }
  return run.wait(30);
}

/** Texts that try to take over the terminal, and texts of unusual width. */
export function hostile(): RunBuilder {
  const run = new RunBuilder(
    batchOf({
      name: "hostile",
      tickets: [
        { id: "H-1", title: "\u001b[2J\u001b[31mred alert\u001b[0m \u001b]0;owned\u0007 done" },
        { id: "H-2", title: "署名鍵を毎週ローテーションする作業と監査ログの保存期間の変更" },
        { id: "H-3", title: "e\u0301a\u0300 combining \u202Eesrever\u202C and a joiner 👩\u200D👩\u200D👧 here" },
        { id: "H-4", title: "x".repeat(200) },
      ],
      limits: { workers: 2 },
    }),
  );
  run
    .working("H-1", "\u001b[10A\u001b[2K\rgot you\nsecond line\ttab")
    .working("H-2", "鍵を生成しています… 完了しました \u001b]8;;http://evil\u0007link\u001b]8;;\u0007");
  run.gates("H-3", "say \u001b[5mplease\u001b[0m").wait(4);
  return run;
}

/** More on the finish line than there are slots: one ticket has the row of its slot still, four stand in the queue. */
export function finishLine(): RunBuilder {
  const tickets = TITLES.map(([id, title, repo]) => ({ id, title, repo }));
  const run = new RunBuilder(batchOf({ tickets, repos: ["app", "infra"] }));
  run.ships("T-1", 120).fails("T-2").gates("T-5", "approve the DNS change at the registrar: zone example.org, ticket 4711");
  for (const id of ["T-2", "T-3", "T-4", "T-6"]) run.wait(20).working(id, "working");
  run.wait(300).claims("T-3").claims("T-2").claims("T-4").claims("T-6");
  run.wait(20).step("T-2", 1).of("T-2", { type: "activity", text: "running 214 tests…", lines: 1 });
  run.step("T-3", 2).of("T-3", { type: "merge-waiting", reason: "the checkout of app has uncommitted changes" });
  run.step("T-4", 0).of("T-4", { type: "step-ended", step: 0, ok: true, summary: "4 files, +61 −12" });
  run.step("T-6", 0).of("T-6", { type: "step-ended", step: 0, ok: true, summary: "4 files, +61 −12" });
  for (const id of ["T-7", "T-8", "T-9", "T-10"]) run.wait(3).working(id, `reads the code of ${id}`);
  run.wait(60).claims("T-9").step("T-9", 1);
  return run.judged("not-done", { done: 1, gated: 1, open: 9 }).wait(15);
}

/** All of it with 64 slots: 20 agents at work, 26 finishing in the rows of their slots and 20 beside them. */
export function finishCrowd(): RunBuilder {
  const run = crowd({ tickets: 500, workers: 64, busy: 46 });
  const agents = () => run.state.slots.flatMap((index) => (index === null ? [] : [run.state.plan.tickets[index]?.id ?? ""]));
  for (const id of agents()) run.wait(2).claims(id).step(id, 1);
  for (let i = 0; i < 20; i++) run.wait(3).working(run.state.plan.tickets[run.state.ready[0] ?? 0]?.id ?? "", `begins ${i}`);
  return run.gates("CORE-1", "look at the bill").wait(60);
}

const REVIEWED: readonly StepSpec[] = [
  { step: "gates" },
  { step: "check", name: "tests", command: ["true"] },
  { step: "review", name: "review" },
  { step: "merge" },
  { step: "verify", name: "live", command: ["true"], environment: "dev" },
  { step: "assert" },
];

/**
 * Everything beside work: a reviewer that is asked, a transient, a blocker whose built part has landed, tickets that workers
 * found, and a model's API that wants to be left alone.
 */
export function claims(): RunBuilder {
  const tickets = TITLES.slice(0, 8).map(([id, title, repo]) => ({ id, title, repo }));
  const reviewer = ReviewerSpec.parse({ kind: "codex", model: "gpt-5-codex", apiKeyEnv: "KEY" });
  const run = new RunBuilder(batchOf({ tickets, repos: ["app", "infra"], finish: REVIEWED, reviewer }));
  for (const id of ["T-1", "T-2", "T-3", "T-4"]) run.wait(2).working(id, "working");
  run.wait(200).claims("T-1").step("T-1", 2).asks("T-1", "review").wait(50);
  run.answers("T-1", "review", { says: "no findings" }).lands("T-1", "91fe001", 3);
  run.finds("T-2", { id: "T-2-d1", title: "rotate the credentials of the bucket" });
  run.wall("T-5", "the registrar wants a person", "approve the DNS change at the registrar: zone example.org, ticket 4711");
  run.claims("T-5").step("T-5", 3).wait(30);
  run.lands("T-5", "0dd5ea1", 3, "gated").play({ type: "gate-writing", ticket: TicketId.parse("T-5") });
  const gated = "approve the DNS change at the registrar: zone example.org, ticket 4711";
  run.play({ type: "ticket-gated", ticket: TicketId.parse("T-5"), step: gated });
  run.wait(100).claims("T-2").step("T-2", 2).asks("T-2", "review");
  run.claims("T-3").step("T-3", 1).wait(20);
  run.of("T-3", { type: "step-retried", step: 1, name: "tests", transient: "registry 5xx", waitMs: 30_000 });
  run.finds("T-3", { id: "T-3-d1", title: "the exporter drops its labels" }, false);
  run.of("T-4", turnedAway).of("T-4", { type: "attempt-ended", outcome: "failed" });
  run.play({
    type: "backoff-started",
    until: run.now + 280_000,
    reason: "the model's API rejected an agent's request (rate-limited): 429",
  });
  return run.judged("not-done", { done: 1, gated: 1, open: 8 }).wait(18);
}

/** The same, stopped at the first wall: what was found, built up to the wall and asked stands in the summary. */
export function claimsEnded(): RunBuilder {
  const run = claims();
  run.answers("T-2", "review", { says: "no end mark", valid: false }).of("T-2", { type: "attempt-ended", outcome: "failed" });
  run.of("T-3", { type: "step-ended", step: 1, ok: true, summary: "214 passed" }).step("T-3", 2).lands("T-3", "c0ffee1", 3);
  run.working("T-2-d1").wait(90).claims("T-2-d1").step("T-2-d1", 2).asks("T-2-d1", "review").wait(20);
  run.answers("T-2-d1", "review", { says: "saw it", canary: "seen" }).lands("T-2-d1", "f00d123", 3);
  run.judged("not-done", { done: 3, gated: 1, open: 6 });
  const reason = "6 of 10 tickets are open";
  run.play({ type: "run-ended", kind: "not-done", verdict: "not-done", exitCode: 1, reason });
  return run;
}

const turnedAway = {
  type: "agent-ended",
  ending: "exited",
  exitCode: 1,
  signal: null,
  costUsd: 0.1,
  stop: { kind: "rate-limited", says: "429 too many requests", retryAfterMs: 280_000 },
} as const;

/** A run in which nothing is missing but a person's approval of the change of A. */
export function awaitsApproval(): RunBuilder {
  const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }, { id: "B" }, { id: "C", dependsOn: ["A"] }] })).ships("B");
  const change = { commit: "c".repeat(40), base: "a".repeat(40), change: "d", zones: ["pay/"], files: 1 };
  run.working("A").wait(200).claims("A").step("A", 1).wait(60);
  return run.of("A", { type: "approval-awaited", ...change }, { type: "attempt-ended", outcome: "stopped" });
}

/** A trivial ticket whose second review was passed over. `until`: the index of the step that it is at; default: it is done. */
export function reviewNotNeeded(until?: number): RunBuilder {
  const finish: readonly StepSpec[] = [
    { step: "gates" },
    { step: "review", name: "review" },
    { step: "review", name: "second-review", by: "second", classes: ["complex"] },
    { step: "merge" },
    { step: "assert" },
  ];
  const run = new RunBuilder(batchOf({ tickets: [{ id: "A", title: "Fix a typo" }], finish })).working("A").wait(40).claims("A");
  const summary = "not needed: the ticket is trivial";
  run.step("A", 2).of("A", { type: "step-ended", step: 2, ok: true, summary, notNeeded: true });
  run.step("A", until ?? 3);
  return until === undefined ? run.lands("A", "5c1e0aa", 3) : run;
}
