import { beforeAll, describe, expect, it } from "vitest";
import { ticketById } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { isAtPullRequest, ordinal, pullRequestStatus, pullRequestText } from "../../../src/store/labels/pull-request-status.ts";
import { failedThere, pushed, queued, reads, runOfPullRequests } from "../pull-request-scenes.ts";
import type { RunBuilder } from "../run-builder.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const T1 = TicketId.parse("T-1");

function statusOf(run: RunBuilder, isLive = true) {
  return pullRequestStatus(run.state, ticketById(run.state, T1), { now: run.now, isLive });
}

describe("pullRequestStatus", () => {
  it("names failed checks first, then the numbers, the queue and the time since the push, and the checks that have passed", () => {
    expect(statusOf(queued())).toEqual({
      parts: [
        "#12",
        "failed: lint",
        "3 of 4 checks passed",
        "merge queue: 2nd",
        "pushed 4m ago",
        "passed: build, unit tests, end to end",
      ],
      tone: "bad",
    });
  });

  it("does not know of checks before the first reading", () => {
    expect(statusOf(pushed(runOfPullRequests(), "T-1"))?.parts).toEqual(["#12", "checks not read yet", "pushed just now"]);
    const none = reads(pushed(runOfPullRequests(), "T-1"), "T-1", { checks: [], waits: "waits for any check to appear" });
    expect(statusOf(none)?.parts).toEqual(["#12", "no checks yet", "waits for any check to appear", "pushed just now"]);
  });

  it("forgets the checks of an earlier commit", () => {
    const run = queued();
    run.of("T-1", { type: "pull-request-intended", repo: "app" as never, branch: "loopdash/r/T-1", head: "f".repeat(40) });
    expect(statusOf(run)?.parts).toEqual(["#12", "checks not read yet", "pushed just now"]);
  });

  it("says that a reading may be old: the forge is away, no engine is there, or nobody reads it now", () => {
    const run = queued();
    const times = { nextAt: run.now + 1000, until: run.now + 60_000 };
    run.play({ type: "outage-started", what: "forge", why: "cannot be reached", ...times });
    expect(statusOf(run)?.parts[1]).toMatch(/^forge away since 12:\d\d$/);
    expect(statusOf(queued(), false)?.parts[1]).toBe("read 1m ago");
    expect(statusOf(failedThere())?.parts).toEqual([
      "#12",
      "read 6m ago",
      "failed: lint",
      "1 of 3 checks passed",
      "pushed 7m ago",
      "passed: build",
    ]);
  });

  it("reads journals of older versions", () => {
    const run = pushed(runOfPullRequests(), "T-1");
    run.of("T-1", { type: "pull-request-read", checks: [{ name: "ci", state: "running" }], waits: "waits for ci" });
    expect(statusOf(run)?.parts).toEqual(["#12", "0 of 1 check passed", "waits for ci", "pushed just now"]);
  });

  it("has no clock without a time, and no more than the number of checks once it has landed", () => {
    const run = queued();
    expect(pullRequestText(run.state, ticketById(run.state, T1))).toBe(
      "pull request #12 · failed: lint · 3 of 4 checks passed · merge queue: 2nd",
    );
    run.lands("T-1");
    expect(statusOf(run)?.parts).toEqual(["#12", "3 of 4 checks passed"]);
  });
});

describe("isAtPullRequest", () => {
  it("is true at the merge alone, unless something else holds it up", () => {
    const run = queued();
    expect(isAtPullRequest(ticketById(run.state, T1))).toBe(true);
    run.of("T-1", { type: "merge-waiting", reason: "the checkout has uncommitted changes" });
    expect(isAtPullRequest(ticketById(run.state, T1))).toBe(false);
    expect(isAtPullRequest(ticketById(failedThere().state, T1))).toBe(false);
  });
});

describe("ordinal", () => {
  it.each([
    [1, "1st"],
    [2, "2nd"],
    [3, "3rd"],
    [4, "4th"],
    [11, "11th"],
    [12, "12th"],
    [21, "21st"],
    [113, "113th"],
  ])("%i: %s", (n, text) => expect(ordinal(n)).toBe(text));
});
