import { describe, expect, test } from "vitest";
import { asJson, asLines } from "../../../src/cli/verbs/status.ts";
import { computeReport } from "../../../src/domain/results/report.ts";
import { renderPage } from "../../../src/report/page.ts";
import { renderMarkdown, renderSummaryText, summaryTextLines } from "../../../src/store/results/summary.ts";
import { HEAD, pushed, queued, runOfPullRequests } from "../pull-request-scenes.ts";
import type { RunBuilder } from "../run-builder.ts";

const URL = "https://github.com/acme/app/pull/12";
const LINE = "pull request #12 · failed: lint · 3 of 4 checks passed · merge queue: 2nd";

const found = ({ state }: RunBuilder, live = true) => ({
  row: { run: state.run, name: "plumbing", batchPath: state.batchPath, batchFileSha: "", startedAt: 0 },
  state,
  live,
});

describe("a pull request beside what landed", () => {
  test("is told by the summary, the report and its page, and leads there", () => {
    const { state } = queued();
    expect(renderSummaryText(state)).toContain(`      ${LINE}\n`);
    expect(renderMarkdown(state)).toContain(`  - pull request [\\#12](<${URL}>) · failed: lint · 3 of 4 checks passed`);
    expect(summaryTextLines(state, false, []).flat()).toContainEqual({ text: "#12", url: URL });
    const page = renderPage(state, true);
    expect(page).toContain(LINE);
    expect(page).toContain(`href="${URL}"`);
  });

  test("is in the report as JSON as it was read last; what is unknown is null", () => {
    const [known] = computeReport(queued().state).pullRequests;
    expect(known).toMatchObject({
      ...{ ticket: "T-1", number: 12, url: URL, branch: "loopdash/r/T-1", head: HEAD, base: "main" },
      ...{ queuePosition: 2, review: "approved", waits: "place 2 in the merge queue", missing: [], reviewers: [] },
      pushedAt: "2026-05-04T12:00:32.000Z",
      readAt: "2026-05-04T12:03:02.000Z",
    });
    expect(known?.checks[2]).toMatchObject({ name: "lint", state: "failed", required: false });
    const [unread] = computeReport(pushed(runOfPullRequests(), "T-1").state).pullRequests;
    expect(unread).toMatchObject({ base: null, readAt: null, checks: [], queuePosition: null, review: null, waits: null });
  });

  test("is in what `status` prints, with the age of a reading that nobody repeats", () => {
    const run = queued();
    const line = (live: boolean) => asLines(found(run, live), run.now).find((each) => each.includes("T-1"));
    expect(line(true)).toBe(
      "  ‖ T-1  attempt 1, merge waits: #12 · failed: lint · 3 of 4 checks passed · merge queue: 2nd · pushed 4m ago · passed: build, unit tests, end to end",
    );
    expect(line(false)).toContain("cut off at merge waits: #12 · read 1m ago · failed: lint");
    expect(asJson(found(run)).pullRequests).toMatchObject([{ ticket: "T-1", number: 12, queuePosition: 2 }]);
  });
});
