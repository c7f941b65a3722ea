import { expect, test } from "vitest";
import type { SeenPullRequest } from "../../../src/domain/forge/pull-request-fact.ts";
import { checksLine } from "../../../src/store/labels/pull-request-label.ts";

type Checks = readonly (readonly [name: string, state: SeenPullRequest["checks"][number]["state"]])[];

function textOf(checks: Checks, waits?: string): string {
  const seen = checks.map(([name, state]) => ({ name, state, isRequired: true }));
  return checksLine({ checks: seen, base: "main", review: "none", ...(waits !== undefined && { waits }) });
}

test("a reading names its checks by state, and what is waited for beyond those that are open", () => {
  expect(textOf([])).toBe("no checks yet");
  const open: Checks = [
    ["lint", "running"],
    ["test", "waiting"],
  ];
  expect(textOf(open, "waits for lint, test")).toBe("running: lint; waiting: test");
  expect(textOf(open, "waits for test")).toBe("running: lint; waiting: test; waits for test");
  expect(textOf([["lint", "passed"]], "waits for an approval")).toBe("passed: lint; waits for an approval");
});
