import fc from "fast-check";

const word = fc.constantFrom(
  "done",
  "open",
  "human-gated",
  "Done",
  "done ",
  "dоne",
  "closed",
  "~",
  "null",
  "1",
  "yes",
  "a b",
  "T-1",
  "x#y",
  "a: b",
  "a:",
  "-",
  "- a",
  "é",
  "",
);
const scalar = fc.oneof(
  { weight: 6, arbitrary: word },
  { weight: 4, arbitrary: word.map((w) => `"${w}"`) },
  { weight: 3, arbitrary: word.map((w) => `'${w}'`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '"do\\u006ee"',
      '"a\\"b"',
      '"a\\\\"',
      "'it''s'",
      '"open',
      "'open",
      '"a" b',
      '"done"#c',
      "done#c",
      '"',
      "'",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "|",
      ">",
      "|-",
      ">+",
      "|2",
      "[a, b]",
      "[]",
      "[a, 'b c', \"d\"]",
      "[a",
      "a]",
      "[a,,b]",
      "[a b , c]",
      "{a: b}",
      "[",
      "{",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "&a done",
      "*a",
      "!t done",
      "!!str done",
      "%x",
      "@x",
      "`x",
      "? x",
      ": x",
      "---",
      "...",
      "--- a",
      "<<",
      "=",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom(..."\"'\\#:-,[]{}|>&*!%@` \ta\u2028\ufeff\u00a0\u0085\r\u0000"), maxLength: 8 }),
  },
);
const comment = fc.constantFrom("", "", "", " ", " # c", "  # c: d", "#c", " #", "\t# c");
const key = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("state", "state", "humanStep", "id") },
  { weight: 4, arbitrary: fc.constantFrom("title", "note", "labels", "x", "y") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '"state"',
      "'id'",
      "State",
      "state ",
      " state",
      "? state",
      "&a state",
      "!!str state",
      "<<",
      "a b",
      "ключ",
      "1",
      "-",
      "sta\\te",
      '"st\\u0061te"',
    ),
  },
);
const colon = fc.constantFrom(": ", ": ", ": ", ":  ", ":", " : ", ":\t", "");
const line = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(key, colon, scalar, comment).map((parts) => parts.join("")) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom("", " ", "  ", "    ", "\t"),
        fc.constantFrom("- ", "-", "state: ", "a: ", "b: ", ""),
        scalar,
        comment,
      )
      .map((parts) => parts.join("")),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("", "", " ", "   ", "# c", "  # c", "\t", "...", "--- x", "%YAML 1.2", "]", "}", '"', "'"),
  },
);
const quiet = fc.oneof(
  fc.constantFrom(
    "state: done",
    "state: open",
    "state: 'done'",
    'state: "done" # c',
    "state: human-gated",
    "humanStep: press x",
    'humanStep: "a # b"',
    "humanStep:",
  ),
  fc.constantFrom(
    "id: T-1",
    "title: 'a'",
    "labels: [a, b]",
    "text: |",
    "  some text",
    "    more",
    "tags:",
    "- a",
    "  - b",
    "meta:",
    "  a: b",
    "  state: open",
    "# c",
    "",
  ),
);
const eol = fc.constantFrom("\n", "\n", "\n", "\r\n", "\r");

/** Lines that people, editors and adversaries may write between two fences; most of it is nearly right. */
export const anyFrontMatter = fc
  .oneof(
    { weight: 2, arbitrary: fc.array(quiet, { maxLength: 7 }) },
    {
      weight: 2,
      arbitrary: fc.array(fc.oneof({ weight: 3, arbitrary: quiet }, { weight: 1, arbitrary: line }), { maxLength: 7 }),
    },
    { weight: 1, arbitrary: fc.array(line, { maxLength: 6 }) },
  )
  .chain((lines) =>
    fc
      .oneof(
        { weight: 4, arbitrary: fc.constant(lines.map(() => "\n")) },
        { weight: 1, arbitrary: fc.array(eol, { minLength: lines.length, maxLength: lines.length }) },
      )
      .map((ends) => lines.map((l, at) => l + ends[at]).join("")),
  );

const fence = fc.constantFrom("---", "---", "---", "---", "---", "---", "--- ", "---\t", " ---", "----", "");
const head = fc.constantFrom("", "", "", "", "\ufeff", "\n", "\ufeff\ufeff");
const body = fc.constantFrom(
  "",
  "# Title\n",
  "# Title",
  "text\n# Title\n",
  "no heading\n",
  "#no\n",
  "# \n",
  "---\nstate: done\n---\n",
  "x\u2028# y\n",
);

/** Whole texts of Markdown tickets. */
export const anyTicketText = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(anyFrontMatter, body).map(([front, rest]) => `---\n${front}---\n${rest}`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(head, fence, eol, anyFrontMatter, fence, eol, body)
      .map(([start, open, e1, front, close, e2, rest]) => start + open + e1 + front + close + e2 + rest),
  },
  { weight: 1, arbitrary: fc.tuple(head, body).map((parts) => parts.join("")) },
);
