import { type EarlierRun, runNumbers } from "../../src/domain/results/trend.ts";
import { renderPage } from "../../src/report/page.ts";
import { batchOf, RunBuilder, START } from "../store/run-builder.ts";
import { claimsEnded, crowd, plumbing, plumbingEnded } from "../store/scenes.ts";

const DAY = 86_400_000;

/** Runs of a batch file before this one, newest first: complete, left early, of another batch file, and one of which nothing is known. */
export function earlierRuns(): readonly EarlierRun[] {
  const numbers = runNumbers(plumbingEnded().state);
  const more = (total: number, costUsd: number) => ({
    ...numbers,
    "interventions.total": total,
    "interventions.work": 1,
    "interventions.harness": total - 1,
    costUsd,
  });
  return [
    { run: "plumbing-20260503-aaaa", startedAt: START - DAY, verdict: "done", numbers: more(3, 4.1), sameBatch: true },
    { run: "plumbing-20260502-bbbb", startedAt: START - 2 * DAY, verdict: "not-done", numbers: more(1, 0.9), sameBatch: true },
    { run: "plumbing-20260501-cccc", startedAt: START - 3 * DAY, verdict: "done", numbers: more(6, 5.25), sameBatch: false },
    { run: "plumbing-20260430-dddd", startedAt: START - 4 * DAY, verdict: "done", sameBatch: false },
  ];
}

/** Texts that try to become markup, script, style or a link, that leave their attribute, or that turn the direction of what follows. */
export const HOSTILE = [
  `<script>document.title='owned'</script>`,
  `</style></title></script><script>alert(1)</script>`,
  `"><img src=x onerror="document.title='owned'">`,
  `' onmouseover='alert(1)' x='`,
  `<svg/onload=alert(1)>`,
  `&lt;b&gt; &amp; \u202Egnp.exe\u202C \u2066isolate\u2069`,
  `javascript:alert(1)//<a href="javascript:alert(1)">click</a>`,
  `<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/"><base href="http://127.0.0.1:9/">`,
  `--><!--<![CDATA[ \u0000 \u001b[31mred\u001b[0m ]]>`,
  `@import url(http://127.0.0.1:9/x.css); *{background:url(http://127.0.0.1:9/y)}`,
  `${"x".repeat(300)}`,
  `署名鍵を毎週ローテーションする作業と監査ログの保存期間の変更 مرحبا بالعالم`,
] as const;

/** A run all of whose outside text is hostile, and whose tries fail, are gated, noted and given up. */
export function hostilePage(): string {
  const tickets = HOSTILE.map((title, i) => ({ id: `H-${i}`, title, dependsOn: i > 4 ? [`H-${i - 4}`] : [] }));
  const run = new RunBuilder(batchOf({ name: HOSTILE[1], tickets, limits: { workers: 3 } }));
  run.fails("H-1", HOSTILE[2]);
  run.working("H-2").wait(60).claims("H-2").step("H-2", 1);
  run.of("H-2", { type: "step-ended", step: 1, ok: false, summary: HOSTILE[3] });
  const detail = HOSTILE.join("\n");
  run.of("H-2", {
    type: "attempt-ended",
    outcome: "failed",
    evidence: { step: "check", name: HOSTILE[4], summary: HOSTILE[0], detail },
  });
  run.gates("H-3", HOSTILE[2]).ships("H-0", 120, "<b>bad1");
  run.play({ type: "intervention", class: "I5", target: HOSTILE[0], note: HOSTILE[1] });
  run.play({ type: "run-ended", kind: "not-done", verdict: "not-done", exitCode: 1, reason: HOSTILE[0] });
  return renderPage(run.state, false, [
    { run: HOSTILE[0], startedAt: START - DAY, verdict: "done", numbers: runNumbers(run.state), sameBatch: true },
  ]);
}

/** Pages by name: those of the scenes that every view is tested with. */
export const PAGES = {
  done: () => renderPage(plumbingEnded().state, false, earlierRuns()),
  "not-done": () => renderPage(plumbingEnded("not-done").state, false, earlierRuns()),
  live: () => renderPage(plumbing({ sandboxed: false }).state, true, []),
  claims: () => renderPage(claimsEnded().state, false, []),
  crowd: () => renderPage(crowd({ tickets: 500, workers: 64 }).state, true, []),
  hostile: hostilePage,
} as const;
