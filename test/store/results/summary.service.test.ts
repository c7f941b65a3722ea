import { describe, expect, test } from "vitest";
import { computeReport } from "../../../src/domain/results/report.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { renderMarkdown, renderSummaryText, summaryTextLines } from "../../../src/store/results/summary.ts";
import { mixed } from "../../domain/mixed-run.ts";

const T1 = TicketId.parse("T-1");

describe("tickets of a service", () => {
  const read = () => {
    const sim = mixed();
    const words = { revision: "r", titleSha: "t", bodySha: "b" };
    sim.report({
      type: "tracker-read",
      tickets: [{ id: T1, ...words, url: "https://linear.app/acme/issue/ENG-31/a_(b)<c>", serviceId: "ENG-31" }],
    });
    sim.report({ type: "run-ended", kind: "not-done", verdict: "not-done", exitCode: 1, reason: "two are open" });
    return sim.state;
  };

  test("have their page in Markdown, and what people call them there everywhere", () => {
    const markdown = renderMarkdown(read());
    expect(markdown).toContain("- **[T-1](<https://linear.app/acme/issue/ENG-31/a_(b)%3Cc%3E>)** Add the parser (ENG-31)");
    expect(markdown).toContain("**T-2**");
    expect(renderSummaryText(read())).toContain("T-1  Add the parser (ENG-31)");
    const [one, two] = computeReport(read()).tickets;
    expect(one).toMatchObject({ serviceId: "ENG-31", url: expect.stringContaining("/ENG-31/") });
    expect(two).toMatchObject({ serviceId: null, url: null });
  });

  test("lead to their page by both names", () => {
    const pieces = summaryTextLines(read(), false, []).flat();
    const links = pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.text]));
    expect(links).toEqual(expect.arrayContaining(["T-1", "ENG-31"]));
  });
});
