import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { signedNote, withState } from "../../../src/adapters/tracker/ticket-edit.ts";
import { parseTicketFile } from "../../../src/adapters/tracker/ticket-file.ts";
import type { TrackerState } from "../../../src/domain/run/drift-fact.ts";
import { anyTicketText } from "../../helpers/any-ticket-text.ts";

const HAND_WRITTEN = [
  "# our own header",
  "title:   'Fix   it'   # the title",
  'state:  "open"      # set by loopdash',
  "",
  "",
  "  # an odd comment",
  "labels: [ a,b ,  c ]",
  "due:    2026-01-01",
  "long: >-",
  "    folded",
  "    text",
  "dependsOn:",
  "- T-0",
  "",
];
const BODY = ["# Heading  ", "", "\tbody --- with *things*  ", "---", "state: done", "\u00a0 é 日本"];

describe("setting a state edits nothing else", () => {
  test.each([
    ["LF", "\n", ""],
    ["CRLF", "\r\n", ""],
    ["LF and a byte order mark", "\n", "\ufeff"],
    ["CRLF and a byte order mark", "\r\n", "\ufeff"],
  ])("%s: comments, order, quotes, spaces and body stay byte for byte", (_what, eol, bom) => {
    const lines = ["---", ...HAND_WRITTEN, "---", ...BODY];
    const before = bom + lines.join(eol);
    const done = withState(before, { as: "done" }, "merged 0123abc");
    const expected = lines.map((line) => (line.startsWith("state:  ") ? 'state:  "done"      # set by loopdash' : line));
    expected.splice(1 + HAND_WRITTEN.length, 0, `note: "${signedNote("merged 0123abc")}"`);
    expect(done).toBe(bom + expected.join(eol));
  });

  test("a step comes with the gate and goes with it; the comment on its line stays", () => {
    const open = "---\nstate: open\n---\n# T\n";
    const gated = withState(open, { as: "human-gated", step: 'press "x" \\ # now' }, "");
    expect(gated).toBe('---\nstate: human-gated\nhumanStep: "press \\"x\\" \\\\ # now"\n---\n# T\n');
    expect(withState(gated, { as: "open" }, "")).toBe(open);
    const commented = gated.replace('# now"\n', '# now"   # ask Jo\n');
    expect(withState(commented, { as: "done" }, "")).toBe("---\nstate: done\n# ask Jo\n---\n# T\n");
  });

  test("keeps a note that a person wrote, and replaces one of its own", () => {
    const withNote = (note: string) => `---\nnote: ${note}\nstate: open\n---\n# T\n`;
    const done = (text: string) => withState(text, { as: "done" }, "landed as 0123abc by run r-1, attempt 2");
    expect(done(withNote('"ask Jo before you touch the schema"'))).toBe(
      withNote('"ask Jo before you touch the schema"').replace("open", "done"),
    );
    const landed = done(withNote(""));
    expect(landed).toMatch(/note: "landed as 0123abc by run r-1, attempt 2 \(loopdash [0-9a-f]{4}\)"/);
    expect(withState(landed, { as: "open" }, "reopened by run r-1: it fails")).toContain(
      `"${signedNote("reopened by run r-1: it fails")}"`,
    );
    for (const theirs of [
      '"run the migration on staging first"',
      `"${signedNote("landed as 0123abc by run r-1")}. ANN: rolled back, see INC-5"`,
      `"INC-5: rolled back; ${signedNote("landed as 0123abc by run r-1")}"`,
    ])
      expect(done(withNote(theirs))).toBe(withNote(theirs).replace("open", "done"));
  });

  test("a step that a person drafted beside another state stays; a gate's step takes its place", () => {
    const draft = "---\nhumanStep: Ann rotates the key\nstate: open\n---\n# T\n";
    expect(withState(draft, { as: "done" }, "")).toBe(draft.replace("open", "done"));
    const gated = withState(draft, { as: "human-gated", step: "press x" }, "");
    expect(gated).toBe('---\n# humanStep before: "Ann rotates the key"\nhumanStep: "press x"\nstate: human-gated\n---\n# T\n');
    expect(withState(gated, { as: "done" }, "")).toBe('---\n# humanStep before: "Ann rotates the key"\nstate: done\n---\n# T\n');
  });

  test("an empty value is filled in where it is", () => {
    const text = "---\nhumanStep: # which?\nnote:\nstate: open\n---\n# T\n";
    expect(withState(text, { as: "human-gated", step: "press x" }, "n")).toBe(
      `---\nhumanStep: "press x" # which?\nnote: "${signedNote("n")}"\nstate: human-gated\n---\n# T\n`,
    );
    expect(withState(text, { as: "done" }, "")).toBe(text.replace("open", "done"));
  });

  test("a ticket without front matter gets one, in its own line ends", () => {
    expect(withState("\ufeff# T\r\n\r\nbody", { as: "done" }, "n")).toBe(
      `\ufeff---\r\nstate: done\r\nnote: "${signedNote("n")}"\r\n---\r\n# T\r\n\r\nbody`,
    );
  });

  const anyState: fc.Arbitrary<TrackerState> = fc.oneof(
    fc.constant({ as: "open" as const }),
    fc.constant({ as: "done" as const }),
    fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
      .map((text) => text.trim())
      .filter((text) => text !== "" && text.isWellFormed())
      .map((step) => ({ as: "human-gated" as const, step })),
  );

  test("any ticket that reads, set to any state, reads back so, and everything else as before", () => {
    let edited = 0;
    fc.assert(
      fc.property(anyTicketText, anyState, fc.string({ unit: "grapheme", maxLength: 40 }), (text, state, note) => {
        const before = parseTicketFile("T-1.md", text).ticket;
        if (before === undefined) return;
        const after = parseTicketFile("T-1.md", withState(text, state, note));
        expect(after.ticket).toEqual({ ...before, state });
        edited += 1;
      }),
      { numRuns: 3_000 },
    );
    expect(edited).toBeGreaterThan(500);
  });
});
