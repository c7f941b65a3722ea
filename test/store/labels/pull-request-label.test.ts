import { expect, test } from "vitest";
import type { SeenPullRequest } from "../../../src/domain/forge/pull-request-fact.ts";
import { Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { checksLine, pullRequestLabel } from "../../../src/store/labels/pull-request-label.ts";

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

test("a re-run says why the jobs are started again, if that is known", () => {
  const names = ["tests", "lint"];
  const line = (category?: "flaky" | "infrastructure") =>
    pullRequestLabel({
      type: "pull-request-rerun",
      ticket: TicketId.parse("T-1"),
      fence: Fence.parse(1),
      names,
      ...(category && { category }),
    })?.[1];
  expect(line("flaky")).toBe("re-run once: tests, lint; flaky, on the base, too");
  expect(line("infrastructure")).toBe("re-run once: tests, lint; infrastructure: a machine or a registry failed");
  expect(line()).toBe("re-run once: tests, lint");
});
