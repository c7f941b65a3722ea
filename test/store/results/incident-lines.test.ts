import { expect, test } from "vitest";
import type { Incident } from "../../../src/domain/results/incident.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { incidentLines } from "../../../src/store/results/incident-lines.ts";

const at = Date.UTC(2026, 0, 31, 14, 3, 22);
const broken: Incident = { kind: "broken-base", at, repo: RepoId.parse("app"), summary: "abc of T-1: live \u001b[2Jfails" };

test("an incident is told with its beginning, its duration and its subject, and nothing reaches the terminal raw", () => {
  const over = { ...broken, endedAt: at + 130_000 };
  const reopened: Incident = { kind: "reopened", at, ticket: TicketId.parse("T-2"), summary: "gone" };
  expect(incidentLines({ incidents: [over, reopened] })).toEqual([
    "2026-01-31 14:03:22 UTC, for 2:10: broken base of app: abc of T-1: live fails",
    "2026-01-31 14:03:22 UTC, not over yet: done, then found not done: T-2: gone",
  ]);
});

test("one that was not over when the run ended says so, and the hundred-and-first is counted", () => {
  const end = { at: at + 61_000 } as NonNullable<Parameters<typeof incidentLines>[0]["end"]>;
  const lines = incidentLines({ incidents: Array.from({ length: 101 }, () => broken), end });
  expect(lines[0]).toContain("for 1:01, and not over when the run ended: broken base");
  expect(lines.slice(99)).toEqual([lines[0], "and 1 more"]);
});
