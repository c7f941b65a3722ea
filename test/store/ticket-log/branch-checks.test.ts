import { expect, test } from "vitest";
import { ciResult } from "../../../src/domain/ci/ci-result.ts";
import { pullRequestReports } from "../../../src/domain/results/pull-request-report.ts";
import { whyNoForgeRequest } from "../../../src/domain/run/admit-forge-request.ts";
import { ticketById } from "../../../src/domain/run/state.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { createDashboardStore } from "../../../src/store/dashboard-store.ts";
import { describeEvent } from "../../../src/store/describe-event.ts";
import { pullRequestStatus } from "../../../src/store/labels/pull-request-status.ts";
import { checksLines, triagedAttempt } from "../../../src/store/ticket-log/checks.ts";
import { aCheck, HEAD } from "../pull-request-scenes.ts";
import { batchOf, RunBuilder } from "../run-builder.ts";

const CI = TicketId.parse("CI-1");

/** A run whose branch has a red check, in its first attempt, which has read it. */
function redBranch(): RunBuilder {
  const forge = { kind: "github-branch", repo: "acme/app", appearMinutes: 10, fixMode: "safe" } as never;
  const run = new RunBuilder(batchOf({ tickets: [{ id: "CI-1", title: "get the checks green" }], forge }));
  run.working("CI-1", "working").wait(5).step("CI-1", 2);
  return run.of(
    "CI-1",
    { type: "pull-request-intended", repo: RepoId.parse("app"), branch: "fix/login", head: HEAD },
    { type: "pull-request-read", checks: [aCheck("lint", "failed")] },
    { type: "ci-triaged", head: HEAD, failed: ["lint"], fixable: [] },
  );
}

test("the checks of a branch are shown without a pull request, whose keys say why they cannot be used", () => {
  const { state: run } = redBranch();
  const ticket = ticketById(run, CI);
  const { ui } = createDashboardStore().getState();
  const lines = checksLines({ run, ui, now: run.lastEventAt }, ticket).map(({ text }) => text);
  expect(lines.join("\n")).toMatch(/branch +fix\/login\n[^]*lint +failed/);
  expect(lines.join("\n")).not.toMatch(/pull request|merge queue|approval/);
  expect(whyNoForgeRequest(ticket, "rerun")).toBe("the change of CI-1 lands on its branch, not by a pull request");
});

test("an attempt whose branch stayed red has its triage shown", () => {
  const evidence = { step: "merge", name: "checks", summary: "1 check failed", detail: "" } as const;
  const run = redBranch().of("CI-1", { type: "attempt-ended", outcome: "failed", evidence });
  expect(triagedAttempt(ticketById(run.state, CI), 1)).toMatchObject({ n: 1 });
});

test("a landing on the branch of a loop is told as checks that pass: nothing was merged", () => {
  const landing = { type: "merge-landed", repo: RepoId.parse("app"), from: HEAD, to: HEAD } as const;
  const lineOf = (run: RunBuilder) => {
    const { state, events } = run.of("CI-1", landing);
    const event = events.at(-1);
    return event && describeEvent(event, state)?.text;
  };
  expect(lineOf(redBranch())).toBe(`the checks of main pass at ${HEAD.slice(0, 7)}`);
});

test("a loop that has not ended says 130 and how to see what becomes of it", () => {
  const result = ciResult(redBranch().state, { branch: "fix/login", folder: "/run" });
  expect(result).toMatchObject({ stopReason: "interrupted", exitCode: 130 });
  expect(result.suggestions).toEqual([expect.stringMatching(/^It may still be at work\. .*: loopdash attach \S+$/)]);
});

test("a commit that was found at the branch is not said to have been pushed, one of the loop's own is", () => {
  const { ui } = createDashboardStore().getState();
  const shown = ({ state: run }: RunBuilder) => {
    const ticket = ticketById(run, CI);
    const at = { now: run.lastEventAt, isLive: true };
    const head = checksLines({ run, ui, now: at.now }, ticket).find(({ text }) => text.startsWith("head"))?.text;
    const pushedAt = pullRequestReports(run).map((report) => report.pushedAt);
    return [head, pullRequestStatus(run, ticket, at)?.parts, pushedAt].flat().join(" | ");
  };
  const opened = { type: "pull-request-opened", number: 7, url: "https://example.com/7" } as const;
  const run = redBranch().of("CI-1", opened);
  expect(shown(run)).toMatch(/^head +[0-9a-f]{12} \| #7 \| failed: lint \| 0 of 1 check passed \| $/);
  const own = { repo: RepoId.parse("app"), branch: "fix/login", head: "e".repeat(40), previous: HEAD };
  run.of("CI-1", { type: "pull-request-intended", ...own });
  expect(shown(run)).toMatch(/^head +e{12} · pushed just now .* \| pushed just now \| \d{4}-/);
});
