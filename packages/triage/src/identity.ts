import { createHash } from "node:crypto";
import type { Finding } from "./finding.ts";

/**
 * The parts of a message that differ between runs of the same failure, with the sign that replaces them. All repeats are bounded.
 * Plain numbers stay: "expected 3" and "expected 4" are two failures (S4.37).
 */
const VOLATILE: readonly (readonly [pattern: RegExp, sign: string])[] = [
  // Dates and clocks: 2026-11-26T16:39:52.910Z, 2026-11-26 16:39, 16:39:52, Thu Nov 26 16:39:52 2026.
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?/g, "<time>"],
  [
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\d{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{1,4}\b/g,
    "<time>",
  ],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\b/g, "<time>"],
  // Times since the epoch, in seconds to nanoseconds, from 2001 to 2065.
  [/\b[12]\d{9}(?:\d{3}|\d{6}|\d{9})?\b/g, "<time>"],
  // UUIDs, addresses in memory, object names and digests.
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b0x[0-9a-f]{1,16}\b\??/gi, "<address>"],
  [/\b(?=[0-9a-f]{0,64}\d)(?=[0-9a-f]{0,64}[a-f])[0-9a-f]{7,64}\b/gi, "<id>"],
  // Addresses of hosts with the port that the system chose, and ports that are named so.
  [/\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d{1,5})?\b/g, "<host>"],
  [/\b(localhost|\[::1?\]):\d{1,5}\b/g, "<host>"],
  [/\b(port|pid|process|thread|goroutine|worker)([ =:#]{1,2})\d{1,10}\b/gi, "$1$2<n>"],
  [/\((\d{2,10})\) panicked at\b/g, "(<n>) panicked at"],
  // Durations and sizes of memory: 12.5ms, 1m30s, 3 seconds.
  [/\b\d{1,9}(?:\.\d{1,9})? ?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?|h|hours?)\b/g, "<duration>"],
  [/\b\d{1,4}m\d{1,2}(?:\.\d{1,9})?s\b/g, "<duration>"],
  // Positions: a file's name stays, its line moves with every edit above it.
  [/(\.[A-Za-z]{1,8})(?::\d{1,7}){1,2}\b/g, "$1:<line>"],
  [/(\.[A-Za-z]{1,8})\(\d{1,7},\d{1,7}\)/g, "$1:<line>"],
  [/\b(line|column|col)( |: ?)\d{1,7}\b/gi, "$1$2<n>"],
];

/** The folders of an absolute path, or of one on Windows. The repeats exclude what ends them, so a search is linear. */
const ABSOLUTE = /(^|[\s"'`(=[<,:])(?:file:\/\/)?(?:[A-Za-z]:[\\/]|\/)(?:[^\s\\/:"'`()[\]<>,]{1,100}[\\/]){1,40}/g;

/** A message without what differs between runs of the same failure: times, durations, addresses, ids, folders, positions. */
export function normalisedMessage(message: string): string {
  // Some reporters write the plainest name of an error before its words, others do not.
  const lines = message
    .replace(/^Error: /, "")
    .split("\n")
    .map((line) => {
      const named = line.replace(ABSOLUTE, "$1");
      return VOLATILE.reduce((rest, [pattern, sign]) => rest.replace(pattern, sign), named)
        .replace(/\s+/g, " ")
        .trim();
    });
  return lines.filter((line) => line !== "").join("\n");
}

/**
 * The identity of a failure (S4.37): its test, or else its file or tool, and the SHA-256 of its normalised message. The line is no
 * part of it. The message is not cut before, so that two that differ late stay two.
 */
export function findingIdentity({ test, file, tool, message }: Pick<Finding, "test" | "file" | "tool" | "message">): string {
  const hash = createHash("sha256").update(normalisedMessage(message)).digest("hex");
  return `${test ?? (file === undefined ? tool : normalisedMessage(file) || file)}#${hash.slice(0, 32)}`;
}

/**
 * The signature of a set of failures, for breakers: the SHA-256 of its sorted identities, each once. Two attempts failed alike if
 * their signatures are equal; a breaker counts equal ones in a row (S4.38). Undefined if there is no finding: nothing equals it.
 */
export function failureSignature(findings: readonly Pick<Finding, "identity">[]): string | undefined {
  if (findings.length === 0) return undefined;
  const identities = [...new Set(findings.map(({ identity }) => identity))].toSorted();
  return createHash("sha256").update(JSON.stringify(identities)).digest("hex");
}

/** The number of equal signatures at the end of a list, the last one included; 0 if the last one is undefined (S4.38). */
export function equalInARow(signatures: readonly (string | undefined)[]): number {
  const last = signatures.at(-1);
  if (last === undefined) return 0;
  const other = signatures.findLastIndex((signature) => signature !== last);
  return signatures.length - 1 - other;
}
