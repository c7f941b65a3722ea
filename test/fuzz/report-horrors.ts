import type { ResultsFormat } from "@loopdash/test-evidence/reports";
import type { Random } from "./random.ts";

interface Horror {
  readonly name: string;
  readonly make: (size: number, random: Random) => string | Buffer;
}

const ONE_TEST = '{"ancestorTitles":[],"title":"a","status":"passed"}';
const json = (tests: string, more = "") =>
  `{"numTotalTests":1,"numFailedTests":0,"numFailedTestSuites":0,"success":true,"startTime":1,${more}"testResults":[{"name":"a","status":"passed","assertionResults":[${tests}]}]}`;
const suite = (inner: string) => `<testsuite name="a">${inner}</testsuite>`;

/** Reports that are made to be expensive or to break whoever reads them. `size` is about how many bytes they have. */
const HORRORS: readonly Horror[] = [
  { name: "noise", make: (size, random) => random.bytes(Math.min(size, 100_000)) },
  { name: "zeros", make: (size) => Buffer.alloc(size) },
  { name: "utf-16", make: (size) => Buffer.from(`\ufeffTAP version 13\nok 1 - ${"a".repeat(size / 2)}\n1..1\n`, "utf16le") },
  { name: "one-line", make: (size) => `ok 1 - ${"a".repeat(size)}\n1..1\n` },
  { name: "white-space", make: (size) => `TAP version 13\n${" ".repeat(size)}ok 1\n1..1\n` },
  { name: "tap-points", make: (size) => `${"ok\n".repeat(size / 3)}1..${Math.floor(size / 3)}\n` },
  {
    name: "tap-deep",
    make: (size) => Array.from({ length: Math.sqrt(size / 2) }, (_, i) => `${"    ".repeat(i)}# Subtest: x`).join("\n"),
  },
  {
    name: "tap-stairs",
    make: (size) => Array.from({ length: size / 130 }, (_, i) => `${"    ".repeat(i % 58)}ok 1 - x`).join("\n"),
  },
  { name: "tap-block", make: (size) => `ok 1 - a\n  ---\n${"  x: &a [*a, *a]\n".repeat(size / 17)}1..1\n` },
  { name: "tap-hashes", make: (size) => `ok 1 - ${"# ".repeat(size / 4)}${"\\#".repeat(size / 4)}\n1..1\n` },
  { name: "tap-plans", make: (size) => `${"1..1\n".repeat(size / 5)}ok 1\n` },
  { name: "tap-braces", make: (size) => `${"ok 1 - a {\n".repeat(size / 11)}1..1\n` },
  { name: "tap-huge-plan", make: () => "ok 1 - a\n1..99999999999999999999\n" },
  { name: "xml-deep", make: (size) => `${"<testsuite>".repeat(size / 11)}` },
  { name: "xml-balanced", make: (size) => `${"<testsuite>".repeat(size / 23)}${"</testsuite>".repeat(size / 23)}` },
  {
    name: "xml-bomb",
    make: () =>
      `<!DOCTYPE a [<!ENTITY a "${"a".repeat(100)}">${Array.from({ length: 20 }, (_, i) => `<!ENTITY a${i} "${`&a${i - 1};`.repeat(10)}">`).join("")}]><testsuite name="&a19;"/>`,
  },
  {
    name: "xml-outside",
    make: () => '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&a;"/></testsuite>',
  },
  {
    name: "xml-attributes",
    make: (size) => `<testsuite ${Array.from({ length: size / 12 }, (_, i) => `a${i}="1"`).join(" ")}/>`,
  },
  { name: "xml-references", make: (size) => suite(`<testcase name="${"&#65;&amp;&lt;".repeat(size / 14)}"/>`) },
  { name: "xml-unclosed", make: (size) => suite(`<testcase name="a"><failure>${"<![CDATA[".repeat(size / 9)}`) },
  { name: "xml-comments", make: (size) => `${"<!--".repeat(size / 4)}` },
  { name: "xml-dashes", make: (size) => `<!--${"-".repeat(size)}` },
  { name: "xml-quotes", make: (size) => `<testsuite a='${'"'.repeat(size)}` },
  { name: "xml-cases", make: (size) => suite('<testcase name="a"/>'.repeat(size / 20)) },
  {
    name: "xml-prototype",
    make: () =>
      '<testsuites><__proto__><testcase name="a"/></__proto__><constructor/><testsuite name="a" __proto__="b"><testcase name="a"/></testsuite></testsuites>',
  },
  { name: "json-deep", make: (size) => "[".repeat(size) },
  { name: "json-deep-member", make: (size) => json(ONE_TEST, `"coverageMap":${"[".repeat(size / 2)}${"]".repeat(size / 2)},`) },
  { name: "json-objects", make: (size) => '{"a":'.repeat(size / 5) },
  { name: "json-tests", make: (size) => json(Array.from({ length: Math.max(1, size / 52) }, () => ONE_TEST).join(",")) },
  { name: "json-ancestors", make: (size) => json(ONE_TEST.replace("[]", `[${'"a",'.repeat(size / 4)}"a"]`)) },
  { name: "json-title", make: (size) => json(ONE_TEST.replace('"a"', `"${"\\u0000\\ud800".repeat(size / 12)}"`)) },
  { name: "json-numbers", make: (size) => json(ONE_TEST).replace('"startTime":1', `"startTime":${"9".repeat(size)}`) },
  { name: "json-keys", make: (size) => json(ONE_TEST, Array.from({ length: size / 10 }, (_, i) => `"k${i}":0,`).join("")) },
  {
    name: "json-not-an-object",
    make: (_, random) => random.pick(["null", "1", '"a"', "[]", "true", "{}", "", " ", "\ufeff", "NaN"]),
  },
];

/** One of them, small most of the time. A name of the other formats is as good as one of its own. */
export function aHorror(format: ResultsFormat, random: Random): { readonly bytes: Uint8Array; readonly name: string } {
  const own = { tap: "tap-", junit: "xml-", vitest: "json-", jest: "json-" }[format];
  const fitting = HORRORS.filter(({ name }) => name.startsWith(own));
  const { name, make } = random.pick(random.chance(0.7) ? fitting : HORRORS);
  const size = 100 + random.size(random.chance(0.05) ? 4_000_000 : 200_000);
  const made = make(size, random);
  return { bytes: typeof made === "string" ? new TextEncoder().encode(made) : made, name: `${name} of ${made.length}` };
}
