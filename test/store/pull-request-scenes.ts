import type { SeenCheck, SeenPullRequest } from "../../src/domain/forge/pull-request-fact.ts";
import { RepoId } from "../../src/domain/values/ids.ts";
import { batchOf, RunBuilder } from "./run-builder.ts";

export const HEAD = "1a2b3c4d5e6f".padEnd(40, "0");
const PAGE = "https://github.com/acme/app";

/** A check of a pull request, with the page of its job. */
export function aCheck(name: string, state: SeenCheck["state"], isRequired = true): SeenCheck {
  return { name, state, isRequired, url: `${PAGE}/actions/runs/7/job/${name.length}` };
}

/** Three of four checks have passed, and one that is not required has failed. */
export const SEEN: SeenPullRequest = {
  checks: [
    aCheck("build", "passed"),
    aCheck("unit tests", "passed"),
    aCheck("lint", "failed", false),
    aCheck("end to end", "passed"),
  ],
  base: "main",
  review: "approved",
};

/** A run whose changes land by pull requests. */
export function runOfPullRequests(): RunBuilder {
  const tickets = [
    { id: "T-1", title: "rotate signing keys" },
    { id: "T-2", title: "drop the legacy queue" },
  ];
  return new RunBuilder(batchOf({ tickets, forge: { kind: "github", repo: "acme/app", approvals: "gate" } as never }));
}

/** The ticket's change is pushed as pull request #12, or with that number. */
export function pushed(run: RunBuilder, id: string, number = 12): RunBuilder {
  run.working(id, "working").wait(30).claims(id).step(id, 2);
  return run.of(
    id,
    { type: "pull-request-intended", repo: RepoId.parse("app"), branch: `loopdash/r/${id}`, head: HEAD },
    { type: "pull-request-opened", number, url: `${PAGE}/pull/${number}` },
  );
}

/** A reading of it, with this difference. */
export function reads(run: RunBuilder, id: string, over: Partial<SeenPullRequest> = {}): RunBuilder {
  return run.of(id, { type: "pull-request-read", ...SEEN, ...over });
}

/** T-1 waits in the merge queue, four minutes after its push; one check has failed. */
export function queued(): RunBuilder {
  const run = reads(pushed(runOfPullRequests(), "T-1").wait(60), "T-1", {
    checks: SEEN.checks.slice(0, 2),
    waits: "waits for lint",
  });
  return reads(run.wait(90), "T-1", { queuePosition: 2, waits: "place 2 in the merge queue" }).wait(100);
}

/** T-1's first attempt has failed at its pull request, and its second is at work. */
export function failedThere(): RunBuilder {
  const run = reads(pushed(runOfPullRequests(), "T-1").wait(60), "T-1", {
    checks: [aCheck("lint", "failed"), aCheck("build", "passed")],
    missing: ["end to end"],
    review: "none",
  });
  const summary = "failed on #12: lint";
  return sentBack(run, { summary, detail: "# What failed in `lint`" }).wait(400);
}

/** T-1's first attempt was sent back by a person's words alone, and its second is at work. */
export function askedThere(): RunBuilder {
  const run = reads(pushed(runOfPullRequests(), "T-1").wait(60), "T-1", { checks: [aCheck("lint", "passed")] });
  return sentBack(run, { summary: "ann asked for changes on #12", detail: "ann:\n> Say when it throws." });
}

function sentBack(run: RunBuilder, { summary, detail }: { readonly summary: string; readonly detail: string }): RunBuilder {
  const evidence = { step: "merge", name: "pull request", summary, detail } as const;
  run.of("T-1", { type: "step-ended", step: 2, ok: false, summary }, { type: "attempt-ended", outcome: "failed", evidence });
  return run.working("T-1", "I read what failed");
}
