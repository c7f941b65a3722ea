import type { Random } from "./random.ts";

const PIECES = [
  "text",
  "\0",
  "\u001b]0;title\u0007",
  "\ud800",
  "\u202e",
  "\u2028",
  "\r\n",
  "é",
  "👩‍👩‍👧",
  "<b>",
  "$(x)",
  "`",
  "%s",
  "../",
  "a".repeat(500),
];

/** A text that may hold whatever a string can. */
export function anyText(random: Random): string {
  const length = random.chance(0.05) ? random.size(100_000) : random.below(6);
  return random
    .list(length, () => random.pick(PIECES))
    .join("")
    .slice(0, 400_000);
}

/** Texts that are no JSON, or JSON that readers differ about. */
const HORRORS: readonly ((text: string, random: Random) => string | Buffer)[] = [
  (text, random) => text.slice(0, random.below(text.length)),
  (text) => `\ufeff${text}`,
  (text) => Buffer.from(text, "utf16le"),
  (text) => `${text}${text}`,
  (text) => `${text}\0`,
  (text) => text.replace("{", '{"title":1,'),
  (text) => text.replace("{", '{"__proto__":{"title":"x"},'),
  (text) => text.replace("{", '{"constructor":{"prototype":{"a":1}},"toString":1,'),
  (text) => text.replace("{", '{"\\u0074itle":"twice",'),
  (text, random) => text.replace(/"[^"]*"(?=[,}])/, () => '{"a":'.repeat(random.between(1, 20_000))),
  (_, random) => "[".repeat(random.between(1, 100_000)),
  (text, random) => text.replace(/"[^"]*"(?=[,}])/, () => `"${"\\ud83d".repeat(random.between(1, 20_000))}"`),
  (text) => text.replace(/"[^"]*"(?=[,}])/, "1e99999"),
  (text) => text.replace(/"[^"]*"(?=[,}])/, () => "9".repeat(50_000)),
  (text) => `// comment\n${text}`,
  (text) => text.replace("}", ",}"),
  (text) => text.replaceAll('"', "'"),
  (_, random) => random.bytes(random.between(0, 2_000)),
  (_, random) => random.pick(["", " ", "null", "true", "[]", '""', "NaN", "{}", "0", "-"]),
  (text) => `${" ".repeat(120_000)}${text}`,
  (text) => text.replace("{", `{${'"k":0,'.repeat(10_000)}`),
  (_, random) => `{${random.list(3_000, (n) => `"k${n}":0`).join(",")}}`,
];

/** A text that is to be the JSON of `valid`, and is not quite that. */
export function badJson(valid: Readonly<Record<string, unknown>>, random: Random): string | Buffer {
  return random.pick(HORRORS)(JSON.stringify(valid), random);
}
