import { randomUUID } from "node:crypto";
import type { TestRun } from "@loopdash/test-evidence";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import type { StepFact, StepScope } from "../../../src/loop/programs/scope.ts";
import { baseResults, readTestRun, runCheckCommand } from "../../../src/loop/steps/base-results.ts";
import { ticketOf } from "../../domain/simulate.ts";
import { type Files, put, T1 } from "../evidence-stage.ts";
import { Stage } from "../stage.ts";

export type Check = Extract<StepSpec, { step: "check" }>;

/** Node's own runner, with a report. */
export const NODE_CHECK = {
  step: "check",
  name: "tests",
  command: ["node", "--test", "--test-reporter=tap", "--test-reporter-destination={artifacts}/r.tap"],
  report: { format: "tap", path: "{artifacts}/r.tap" },
} as const satisfies Check;

/** A file of tests that note their names in `log`; the body of each by its name. */
export function testFile(log: string, bodies: Readonly<Record<string, string>>): string {
  const tests = Object.entries(bodies).map(
    ([name, body]) => `test("${name}", () => { fs.appendFileSync(${JSON.stringify(log)}, "${name} "); ${body} });\n`,
  );
  return `import * as fs from "node:fs";\nimport test from "node:test";\nimport assert from "node:assert";\n${tests.join("")}`;
}

/** A run with one ticket whose base holds these files, and what steps of its attempts are given. */
export async function selecting(base: Files, step: Check = NODE_CHECK, change: Files = {}) {
  const finish = [step, { step: "merge" }] as const;
  const work = (task: { worktree: string }) => put(task.worktree, { "work.txt": "x", ...change });
  const stage = await Stage.open({
    tickets: [ticketOf("T-1", { finish })],
    limits: { attempts: 1 },
    work: (task) => void work(task),
  });
  put(stage.user, base);
  stage.git("add", "-A");
  stage.git("commit", "-q", "-m", "base");
  const commit = stage.git("rev-parse", "HEAD");
  const { ctx, repo } = stage.engine;
  const told: StepFact[] = [];
  const scope: StepScope = {
    ...{ ticket: ctx.state().plan.tickets[0] ?? ticketOf("T-1"), marker: randomUUID(), signal: new AbortController().signal },
    ...{ ending: () => "stopped", files: await ctx.files.attempt(T1, 9), retried: new Set() },
    announce: (fact) => told.push(fact) > 0,
  };
  return {
    ...{ stage, ctx, repo, scope, step, told, base: commit },
    /** A commit on the base with these files. */
    candidate: (files: Files) => {
      put(stage.user, files);
      stage.git("add", "-A");
      stage.git("commit", "-q", "-m", "candidate");
      const built = { ok: true, commit: stage.git("rev-parse", "HEAD"), base: commit } as const;
      stage.git("reset", "-q", "--hard", commit);
      return built;
    },
    baseRun: async () => {
      const manifest = await baseResults(ctx, scope, repo, { step, commit });
      if (manifest.as !== "tests") throw new Error(manifest.why);
      return manifest.run;
    },
    runOn: async (on: string): Promise<TestRun> => {
      const ran = await runCheckCommand(ctx, scope, repo, {
        ...{ step, commit: on, attributesOf: commit, log: "check" },
        purpose: "check",
      });
      const run = ran.ok ? readTestRun(step, ran.result, ran.reading) : { says: ran.evidence.summary, ids: [] };
      if ("says" in run) throw new Error(run.says);
      return run;
    },
  };
}
