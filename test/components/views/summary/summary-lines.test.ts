import { expect, test } from "vitest";
import { summaryRows } from "../../../../components/views/summary/summary-lines.ts";
import { TicketId } from "../../../../src/domain/values/ids.ts";
import { landNotLive, look } from "../../../domain/play-live.ts";
import { batchOf, Simulation, ticketOf } from "../../../domain/simulate.ts";
import { pushed, runOfPullRequests } from "../../../store/pull-request-scenes.ts";

/** The summary of a run that has ended with T-1 landed and not live, as text. */
function aSummary(width: number): readonly string[] {
  const T1 = TicketId.parse("T-1");
  const sim = new Simulation({ ...batchOf([ticketOf("T-1")]), live: { repeats: 0, everySeconds: 1 } });
  sim.decide();
  landNotLive(sim, T1);
  sim.report({ type: "live-check-started", ticket: T1, why: "end" });
  look(sim, 0, "failed");
  sim.report({ type: "run-ended", kind: "not-done", verdict: "not-done", exitCode: 1, reason: "1 open" });
  return summaryRows(sim.state, width).map(({ line }) =>
    "title" in line ? `${line.title} ${line.count}` : line.map(({ text }) => text).join(""),
  );
}

test("a landed ticket that is not live stands with its own sign and the command that repeats the check; NEXT names it too", () => {
  const lines = aSummary(160);
  expect(lines).toContainEqual(expect.stringMatching(/^ ≈ T-1 +T-1: /));
  expect(lines).toContainEqual(expect.stringMatching(/^ +landed as landed-, not live$/));
  expect(lines).toContainEqual(expect.stringMatching(/^ +repeat with: loopdash verify test-run T-1$/));
  expect(lines).toContain(" check: loopdash verify test-run (1 landed ticket is not live; starts no agent)");
});

test("the numbers of pull requests stand in a column of their own, which a narrow screen leaves out", () => {
  const run = pushed(runOfPullRequests(), "T-1", 7).lands("T-1");
  pushed(run, "T-2", 128).lands("T-2", "0ddba11");
  const shipped = (width: number) =>
    summaryRows(run.state, width).flatMap(({ line }) => {
      const text = "title" in line ? "" : line.map((span) => span.text).join("");
      return /^ \S T-[12] /.test(text) ? [text.slice(text.search(/ (?:#|5c1e0aa|0ddba11)/) + 1)] : [];
    });
  const [first = "", second = ""] = shipped(120);
  expect([first.slice(0, 13), second.slice(0, 13)]).toEqual(["#7    5c1e0aa", "#128  0ddba11"]);
  expect(shipped(71).join()).not.toContain("#");
});

test("no line is wider than the screen", () => {
  for (const line of aSummary(80)) expect(line.length).toBeLessThanOrEqual(80);
});
