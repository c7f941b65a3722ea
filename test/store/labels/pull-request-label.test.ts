import { expect, test } from "vitest";
import type { SeenPullRequest, WaitsOn } from "../../../src/domain/forge/pull-request-fact.ts";
import { Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { checksLine, pullRequestLabel } from "../../../src/store/labels/pull-request-label.ts";

type Checks = readonly (readonly [name: string, state: SeenPullRequest["checks"][number]["state"]])[];

function textOf(checks: Checks, waits?: string, { on, optional }: { on?: WaitsOn; optional?: string } = {}): string {
  const seen = checks.map(([name, state]) => ({ name, state, isRequired: name !== optional }));
  const told = { ...(waits !== undefined && { waits }), ...(on !== undefined && { waitsOn: on }) };
  return checksLine({ checks: seen, base: "main", review: "none", ...told });
}

test("a reading names its checks by state, and what is waited for beyond those that are open", () => {
  expect(textOf([])).toBe("no checks yet");
  const open: Checks = [
    ["lint", "running"],
    ["test", "waiting"],
  ];
  expect(textOf(open, "waits for both", { on: "checks" })).toBe("running: lint; waiting: test");
  expect(textOf(open, "waits for test", { on: "checks", optional: "lint" })).toBe("running: lint; waiting: test; waits for test");
  expect(textOf(open, "waits for both", { on: "rule" })).toBe("running: lint; waiting: test; waits for both");
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
