import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isTicketFileName } from "../../oracle/ticket-file.ts";
import { isTicketName } from "../../src/adapters/tracker/ticket-file.ts";
import { oracleReading, trackerReading } from "./readings.ts";

describe("the oracle never reads a ticket otherwise than the tracker", () => {
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
    fc.assert(fc.property(name, (n) => isTicketFileName(n) === isTicketName(n)));
  });
});
