import type { ResultsFormat } from "@loopdash/test-evidence/reports";
import type { Random } from "./random.ts";

/** A change of a report: what it is called, and the report that comes of it. */
export interface Mutation {
  readonly name: string;
  readonly make: (text: string, random: Random) => string;
}

function atLine(make: (lines: string[], at: number, random: Random) => void): Mutation["make"] {
  return (text, random) => {
    const lines = text.split("\n");
    make(lines, random.below(lines.length), random);
    return lines.join("\n");
  };
}

/** Replaces one of the places where `pattern` matches. */
function replaceOne(pattern: RegExp, by: string | ((found: string, random: Random) => string)): Mutation["make"] {
  return (text, random) => {
    const found = [...text.matchAll(pattern)];
    if (found.length === 0) return text;
    const { 0: match, index } = random.pick(found);
    const replaced = typeof by === "string" ? by : by(match, random);
    return text.slice(0, index) + replaced + text.slice(index + match.length);
  };
}

function span(text: string, random: Random, most: number): [number, number] {
  const from = random.below(text.length + 1);
  return [from, Math.min(text.length, from + random.between(1, most))];
}

const ODD = [
  "\0",
  "\u001b[31m",
  "\u2028",
  "\ud800",
  "\ufeff",
  "\r",
  "\t",
  "&amp;",
  "&#0;",
  "&x;",
  "<!--",
  "]]>",
  '"',
  "'",
  "\\",
  "{",
  "]",
  "#",
  "    ",
];

/** Changes of any text. */
const ANY: readonly Mutation[] = [
  { name: "cut", make: (text, random) => text.slice(0, random.below(text.length + 1)) },
  { name: "behead", make: (text, random) => text.slice(random.below(text.length + 1)) },
  { name: "delete-span", make: (text, random) => ((at) => text.slice(0, at[0]) + text.slice(at[1]))(span(text, random, 200)) },
  { name: "repeat-span", make: (text, random) => ((at) => text.slice(0, at[1]) + text.slice(at[0]))(span(text, random, 400)) },
  {
    name: "odd-character",
    make: (text, random) => ((at) => text.slice(0, at) + random.pick(ODD) + text.slice(at))(random.below(text.length + 1)),
  },
  { name: "delete-line", make: atLine((lines, at) => void lines.splice(at, 1)) },
  { name: "repeat-line", make: atLine((lines, at) => void lines.splice(at, 0, lines[at] ?? "")) },
  {
    name: "swap-lines",
    make: atLine((lines, at, random) => {
      const other = random.below(lines.length);
      [lines[at], lines[other]] = [lines[other] ?? "", lines[at] ?? ""];
    }),
  },
  {
    name: "number",
    make: replaceOne(/\d+/g, (_, random) => random.pick(["0", "1", "-1", "999999999999", "1e9", "NaN", "00", "2"])),
  },
  { name: "line-ends", make: (text) => text.replaceAll("\n", "\r\n") },
];

const TAP: readonly Mutation[] = [
  { name: "not-ok", make: replaceOne(/^\s*ok\b/gm, (found) => found.replace("ok", "not ok")) },
  {
    name: "skip",
    make: replaceOne(/^\s*ok\b.*$/gm, (found, random) => `${found} ${random.pick(["# SKIP", "# skip x", "#todo", "# TODO"])}`),
  },
  { name: "hidden-failure", make: replaceOne(/^(\s*)ok\b.*$/gm, (found) => `${found.replace("ok", "not ok")}\n${found}`) },
  {
    name: "block",
    make: replaceOne(/^(\s*)ok\b.*$/gm, (found, random) => `${found}\n${random.pick(["", "  ", "    ", "      "])}---`),
  },
  { name: "block-end", make: atLine((lines, at, random) => void lines.splice(at, 0, `${random.pick(["", "  ", "      "])}...`)) },
  { name: "indent", make: atLine((lines, at) => void lines.splice(at, 1, `    ${lines[at] ?? ""}`)) },
  { name: "outdent", make: replaceOne(/^ {4}/gm, "") },
  {
    name: "bail-out",
    make: atLine((lines, at, random) => void lines.splice(at, 0, random.pick(["Bail out!", "    Bail out! x"]))),
  },
  {
    name: "pragma",
    make: atLine(
      (lines, at, random) => void lines.splice(at, 0, random.pick(["pragma +strict", "pragma -strict", "pragma +bail"])),
    ),
  },
  {
    name: "plan",
    make: replaceOne(/^\s*1\.\.\d+$/gm, (found, random) =>
      random.pick([`${found}\n${found}`, "1..0", "1..0 # skip", "1..99999999", "0..1", ""]),
    ),
  },
  { name: "second-run", make: (text) => `${text}TAP version 13\n${text}` },
  { name: "unnamed", make: replaceOne(/^(\s*ok \d+) - .*$/gm, (found) => found.replace(/ - .*/, "")) },
  {
    name: "brace",
    make: replaceOne(
      /^\s*ok\b.*$/gm,
      (found, random) => `${found} {${random.chance(0.5) ? "\n    not ok 1 - x\n    1..1\n}" : ""}`,
    ),
  },
];

const JUNIT: readonly Mutation[] = [
  {
    name: "child",
    make: replaceOne(/<testcase\b([^>]*?)\/>/g, (found, random) => {
      const tag = random.pick(["failure", "error", "skipped", "flakyFailure", "rerunFailure", "system-out"]);
      const child = random.pick([
        `<${tag}/>`,
        `<${tag} message="x">text</${tag}>`,
        `<skipped/><${tag}/>`,
        `<skipped type="todo"/><${tag}/>`,
      ]);
      return `${found.slice(0, -2)}>${child}</testcase>`;
    }),
  },
  { name: "comment", make: replaceOne(/<testcase\b[^>]*?\/>/g, (found) => `<!-- ${found} -->`) },
  { name: "cdata", make: replaceOne(/<testcase\b[^>]*?\/>/g, (found) => `<![CDATA[${found}]]>`) },
  {
    name: "moved",
    make: replaceOne(/<testcase\b[^>]*?\/>/g, (found, random) =>
      random.pick(["properties", "system-out", "x"]).replace(/.*/s, (tag) => `<${tag}>${found}</${tag}>`),
    ),
  },
  {
    name: "counts",
    make: replaceOne(/(?:failures|errors)="\d+"/g, (found, random) =>
      found.replace(/\d+/, random.pick(["1", "7", "+1", " 2 ", "1e3"])),
    ),
  },
  { name: "doctype", make: (text) => text.replace(/\?>/, '?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>') },
  { name: "attribute-twice", make: replaceOne(/ name="[^"]*"/g, (found) => `${found} name="other"`) },
  { name: "case", make: replaceOne(/testcase|testsuite/g, (found) => found.toUpperCase()) },
  { name: "second-root", make: (text) => `${text}${text.replace(/<\?.*?\?>/, "")}` },
];

const JSON_REPORT: readonly Mutation[] = [
  {
    name: "status",
    make: replaceOne(
      /"status":"\w+"/g,
      (_, random) =>
        `"status":${random.pick(['"failed"', '"skipped"', '"todo"', '"PASSED"', "null", "true", '"pending"', '"__proto__"'])}`,
    ),
  },
  {
    name: "status-twice",
    make: replaceOne(/"status":"passed"/g, (found, random) =>
      random.pick([`${found},"status":"failed"`, `"status":"failed",${found}`]),
    ),
  },
  { name: "no-test", make: replaceOne(/\{"ancestorTitles":.*?\},(?=\{"ancestorTitles)/g, "") },
  {
    name: "title",
    make: replaceOne(/"title":"[^"]*"/g, (_, random) =>
      random.pick(['"title":""', '"title":"x"', '"title":["a"]', '"Title":"a"']),
    ),
  },
  {
    name: "counts",
    make: replaceOne(/"num\w+":\d+/g, (found, random) =>
      found.replace(/\d+/, random.pick(["0", "1", "99", "-1", "1.5", "1e999"])),
    ),
  },
  { name: "prototype", make: replaceOne(/\{/g, '{"__proto__":{"status":"passed"},') },
  { name: "empty-list", make: replaceOne(/"assertionResults":\[/g, '"assertionResults":[],"more":[') },
  {
    name: "key",
    make: replaceOne(/"\w+":/g, (found, random) => random.pick([found.toUpperCase(), `"x":`, `"\\u0073${found.slice(2)}`])),
  },
];

const BY_FORMAT: Readonly<Record<ResultsFormat, readonly Mutation[]>> = {
  tap: TAP,
  junit: JUNIT,
  vitest: JSON_REPORT,
  jest: JSON_REPORT,
};

/** A report changed in a few places, and the names of the changes. */
export function mutate(
  format: ResultsFormat,
  text: string,
  random: Random,
): { readonly text: string; readonly names: readonly string[] } {
  const names: string[] = [];
  let changed = text;
  for (let left = random.between(1, 3); left > 0; left--) {
    const { name, make } = random.pick(random.chance(0.4) ? ANY : BY_FORMAT[format]);
    names.push(name);
    changed = make(changed, random);
  }
  return { text: changed, names };
}
