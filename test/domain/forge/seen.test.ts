import { describe, expect, it } from "vitest";
import type { PullRequestState, RemoteCheck } from "../../../src/domain/forge/pull-request.ts";
import { countChecks, failedNames, seenOfBranch, summarizePullRequest } from "../../../src/domain/forge/seen.ts";

const RULES = { base: "main", checks: undefined, approvals: "gate", appearMs: 60_000, stillMs: 600_000 } as const;

function read(over: Partial<PullRequestState>): PullRequestState {
  return {
    ...{ number: 7, url: "https://forge.example/7", state: "open", head: "a".repeat(40), base: "main", merge: "blocked" },
    ...{ checks: [], requiredChecks: [], review: "none", threads: [], comments: [], usesQueue: false },
    ...over,
  };
}

const check = (name: string, state: RemoteCheck["state"], isRequired = false): RemoteCheck => ({ name, state, isRequired });

describe("seenOfBranch", () => {
  it("keeps the pages of checks, none of which is said to be required, and counts those beyond a hundred", () => {
    const url = "https://forge.example/checks/1";
    expect(seenOfBranch([{ ...check("ci", "failed"), url }], { why: "waits for ci" })).toEqual({
      checks: [{ name: "ci", state: "failed", url }],
      waits: "waits for ci",
    });
    const many = Array.from({ length: 101 }, (_, i) => check(`ci ${i}`, "passed"));
    expect(countChecks(seenOfBranch(many, undefined))).toEqual({ passed: 101, total: 101 });
  });
});

describe("summarizePullRequest", () => {
  it("marks what decides, and names required checks that nobody has registered", () => {
    const checks = [check("ci", "passed", true), check("docs", "failed")];
    const seen = summarizePullRequest(read({ checks, requiredChecks: ["ci", "e2e"], queuePosition: 3 }), RULES, {
      why: "waits for e2e",
      on: "checks",
    });
    expect(seen).toEqual({
      checks: [
        { name: "ci", state: "passed", isRequired: true },
        { name: "docs", state: "failed", isRequired: false },
      ],
      ...{ waits: "waits for e2e", waitsOn: "checks", base: "main", review: "none", queuePosition: 3, missing: ["e2e"] },
    });
    expect(countChecks(seen)).toEqual({ passed: 1, total: 3 });
    expect(failedNames(seen)).toEqual(["docs"]);
  });

  it("requires every check if nothing is required by name, and the batch's own names", () => {
    const checks = [check("ci", "passed"), check("docs", "passed")];
    const required = (rules: object) =>
      summarizePullRequest(read({ checks }), { ...RULES, ...rules }, undefined).checks.map(({ isRequired }) => isRequired);
    expect(required({})).toEqual([true, true]);
    expect(required({ checks: ["docs"] })).toEqual([false, true]);
    expect(required({ checks: [] })).toEqual([false, false]);
  });

  it("keeps a hundred checks, the failed ones first, and counts the others", () => {
    const checks = Array.from({ length: 250 }, (_, i) => check(`c${i}`, i === 249 ? "failed" : "passed"));
    const seen = summarizePullRequest(read({ checks }), RULES, undefined);
    expect([seen.checks.length, seen.checks[0]?.name]).toEqual([100, "c249"]);
    expect(seen.unlisted).toEqual({ total: 150, passed: 150 });
    expect(countChecks(seen)).toEqual({ passed: 249, total: 250 });
  });

  it("makes outside text safe for a terminal", () => {
    const seen = summarizePullRequest(read({ checks: [check("\u001b[31mred", "failed")], base: "\u001b]0;x\u0007main" }), RULES, {
      why: "a\nb",
    });
    expect([seen.checks[0]?.name, seen.base, seen.waits]).toEqual(["red", "main", "a b"]);
  });
});
