import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CannotJudge } from "../../oracle/cannot-judge.ts";
import { judge } from "../../oracle/definition.ts";
import { isTicketName, readTicketText } from "../../oracle/ticket-file.ts";
import { isTicketName as isTicketNameOfTracker, readTicket } from "../../src/adapters/tracker/ticket-file.ts";
import { anyTicketText } from "../helpers/any-ticket-text.ts";

type Reading = { readonly id: string; readonly state: string; readonly step?: string } | "cannot judge" | "no ticket";

/** What the oracle makes of one file, judged as a batch of that one ticket. */
function oracleReading(text: string): Reading {
  try {
    const ticket = readTicketText("T-1.md", text);
    if (ticket === undefined) return "no ticket";
    const verdict = judge([ticket], [ticket.id]);
    return verdict.verdict === "unjudged" ? "cannot judge" : (verdict.evidence[0] ?? "cannot judge");
  } catch (cause) {
    if (cause instanceof CannotJudge) return "cannot judge";
    throw cause;
  }
}

function trackerReading(text: string): Reading | { readonly refused: string } {
  const { ticket, problems } = readTicket("T-1.md", text);
  if (ticket === undefined) {
    return problems.length === 0 ? "no ticket" : { refused: problems.map((p) => p.why).join("; ") };
  }
  const { id, state } = ticket;
  return { id, state: state.as, ...(state.as === "human-gated" && { step: state.step }) };
}

describe("the oracle never reads a ticket otherwise than the tracker", () => {
  test("over generated documents: the same, or it cannot judge", () => {
    const seen = { same: 0, settled: 0, cannot: 0, blank: 0 };
    fc.assert(
      fc.property(anyTicketText, (text) => {
        const oracle = oracleReading(text);
        const tracker = trackerReading(text);
        if (oracle === "cannot judge") {
          seen.cannot += 1;
        } else if (typeof tracker === "object" && "refused" in tracker) {
          // A gate without a step is the one thing that the tracker refuses and the oracle knows: it is open.
          expect(tracker.refused).toMatch(/state human-gated needs humanStep/);
          expect(oracle).toMatchObject({ state: "open" });
          seen.blank += 1;
        } else {
          expect(oracle).toEqual(tracker);
          seen.same += 1;
          if (typeof oracle === "object" && oracle.state !== "open") seen.settled += 1;
        }
      }),
      { numRuns: 20_000 },
    );
    // The property says nothing unless every case is met often.
    expect(seen.same).toBeGreaterThan(2_000);
    expect(seen.settled).toBeGreaterThan(500);
    expect(seen.cannot).toBeGreaterThan(2_000);
    expect(seen.blank).toBeGreaterThan(20);
  });

  test.each([
    ["---\nstate: done\n---\n", { id: "T-1", state: "done" }],
    ["\ufeff---\r\nstate: 'done'   # yes\r\nid: T-9\r\n---\r\n# T\r\n", { id: "T-9", state: "done" }],
    [
      "---\ntitle: It's a \"thing\" [x] {y}\nlabels: [a, 'b c']\ntext: |\n  state: open\n\n  more\nstate: done\n---\n",
      { id: "T-1", state: "done" },
    ],
    ["---\ndependsOn:\n  - T-2\n  - T-3\nmeta:\n  state: done\nlink: https://a.b/c#d\n---\n", { id: "T-1", state: "open" }],
    [
      '---\nstate: human-gated\nhumanStep: "press \\"go\\" # now"\n---\n',
      { id: "T-1", state: "human-gated", step: 'press "go" # now' },
    ],
    ["# Only a heading\n", { id: "T-1", state: "open" }],
    ["only words\n", "no ticket"],
  ])("what people write is understood: %j", (text, expected) => {
    expect(oracleReading(text)).toEqual(expected);
    expect(trackerReading(text)).toEqual(expected);
  });

  test.each([
    ["a text over lines", '---\na: "x\nstate: done\n"\n---\n'],
    ["a second value", "---\nstate: open\nstate: done\n---\n"],
    ["a quoted second key", '---\nstate: done\n"state": open\n---\n'],
    ["an escaped second key", '---\nstate: done\n"st\\u0061te": open\n---\n'],
    ["a continued word", "---\nstate: done\n  not at all\n---\n"],
    ["a text that loses its indent", "---\na: |\n    x\n  y\nstate: done\n---\n"],
    ["keys below a key that lose their indent", "---\na:\n    x: 1\n  y: 2\nstate: done\n---\n"],
    ["an anchor", "---\nstate: &a done\n---\n"],
    ["a list over lines", "---\na: [x,\nstate: done\n]\n---\n"],
    ["another document", "---\nstate: open\n...\nstate: done\n---\n"],
    ["a line end that only some see", "---\nx: y\rstate: done\n---\n"],
    ["no end", "---\nstate: done\n"],
    ["a map on one line", "---\n{state: done}\n---\n"],
    ["an explicit key", "---\n? state\n: done\n---\n"],
  ])("%s: the oracle does not say done", (_what, text) => {
    expect(oracleReading(text)).toBe("cannot judge");
  });

  test("both take the same names for tickets", () => {
    const name = fc.oneof(
      fc.constantFrom("README.md", "readme.md", "ReadMe.MD", "T-1.md", ".T-1.md", "a.MD", "x.md~", ".md"),
      fc.string(),
    );
    fc.assert(fc.property(name, (n) => isTicketName(n) === isTicketNameOfTracker(n)));
  });
});
