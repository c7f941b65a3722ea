import { describe, expect, it } from "vitest";
import { currentChecks, type GitHubCheck } from "../../../../src/adapters/forge/github/checks.ts";

type Run = Extract<GitHubCheck, { __typename: "CheckRun" }>;
type Status = Extract<GitHubCheck, { __typename: "StatusContext" }>;

function aRun(part: Partial<Run> & { readonly app?: string; readonly workflow?: string; readonly event?: string } = {}): Run {
  const { app = "github-actions", workflow = "W_1", event = "pull_request", ...rest } = part;
  return {
    __typename: "CheckRun",
    databaseId: 1,
    name: "test",
    status: "COMPLETED",
    conclusion: "SUCCESS",
    detailsUrl: null,
    isRequired: false,
    checkSuite: { id: "CS_1", status: "COMPLETED", app: { slug: app }, workflowRun: { event, workflow: { id: workflow } } },
    ...rest,
  };
}

function aStatus(part: Partial<Status> = {}): Status {
  return {
    __typename: "StatusContext",
    context: "deploy",
    state: "SUCCESS",
    targetUrl: null,
    createdAt: "2026-01-01T00:00:00Z",
    isRequired: false,
    ...part,
  };
}

function statesOf(checks: readonly GitHubCheck[]): readonly string[] {
  return currentChecks(checks, new Set()).map(({ state }) => state);
}

describe("currentChecks", () => {
  it.each([
    ...(["SUCCESS", "NEUTRAL", "SKIPPED"] as const).map((conclusion) => [conclusion, "passed"] as const),
    ...(["FAILURE", "TIMED_OUT", "CANCELLED", "ACTION_REQUIRED", "STARTUP_FAILURE", "STALE"] as const).map(
      (conclusion) => [conclusion, "failed"] as const,
    ),
    [null, "waiting"] as const,
  ])("takes a run that ended with %s as %s", (conclusion, state) => {
    expect(statesOf([aRun({ conclusion })])).toEqual([state]);
  });

  it("lets no job hide another one of its name in the same run of a workflow, and an attempt the earlier one", () => {
    const [first, second, third] = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z"];
    const red = aRun({ databaseId: 1, conclusion: "FAILURE", startedAt: first, completedAt: third });
    const matrix = aRun({ databaseId: 2, startedAt: second, completedAt: third });
    expect(statesOf([red, matrix]).toSorted()).toEqual(["failed", "passed"]);
    expect(statesOf([{ ...red, completedAt: second }, matrix])).toEqual(["passed"]);
    // A newer run of the workflow replaces the older one, which may have been cancelled for it.
    const newer = { ...matrix, checkSuite: { ...matrix.checkSuite, id: "CS_2" } };
    expect(statesOf([red, newer])).toEqual(["passed"]);
  });

  it.each([
    ...(["QUEUED", "WAITING", "PENDING", "REQUESTED"] as const).map((status) => [status, "waiting"] as const),
    ["IN_PROGRESS", "running"] as const,
  ])("takes a run that is %s as %s, whatever it concluded before", (status, state) => {
    expect(statesOf([aRun({ status, conclusion: "SUCCESS" })])).toEqual([state]);
  });

  it.each([
    ["SUCCESS", "passed"],
    ["PENDING", "waiting"],
    ["EXPECTED", "waiting"],
    ["FAILURE", "failed"],
    ["ERROR", "failed"],
  ] as const)("takes the status %s as %s", (state, expected) => {
    expect(statesOf([aStatus({ state })])).toEqual([expected]);
  });

  it("counts the newest run of a name and app, in any order, and each app's own", () => {
    const old = aRun({ databaseId: 1, conclusion: "SUCCESS" });
    const fresh = aRun({ databaseId: 2, conclusion: "FAILURE" });
    const other = aRun({ databaseId: 3, conclusion: "SUCCESS", app: "other-ci" });
    expect(statesOf([old, fresh, other])).toEqual(["failed", "passed"]);
    expect(statesOf([other, fresh, old])).toEqual(["passed", "failed"]);
    expect(statesOf([fresh, aStatus({ context: "test" })])).toEqual(["failed", "passed"]);
  });

  it("counts a run of the same name in another workflow, or for another event, beside it", () => {
    const failed = aRun({ conclusion: "FAILURE" });
    expect(statesOf([failed, aRun({ databaseId: 2, workflow: "W_2" })])).toEqual(["failed", "passed"]);
    expect(statesOf([failed, aRun({ databaseId: 2, event: "push" })])).toEqual(["failed", "passed"]);
  });

  it("counts the newest status of a context", () => {
    const late = aStatus({ state: "FAILURE", createdAt: "2026-01-02T00:00:00Z" });
    expect(statesOf([late, aStatus()])).toEqual(["failed"]);
  });

  it("says what is required, by GitHub's word or the rules', and makes names and addresses safe", () => {
    const checks = currentChecks(
      [aRun({ isRequired: true }), aStatus({ context: "de\u001b[31mploy\u202e\n", targetUrl: "https://ci.test/\u00071" })],
      new Set(["deploy "]),
    );
    expect(checks).toEqual([
      { name: "test", state: "passed", isRequired: true },
      { name: "deploy ", state: "passed", isRequired: true, url: "https://ci.test/1" },
    ]);
  });
});
