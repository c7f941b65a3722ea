import { CommandClassifier } from "@loopdash/guard";
import { tokenize } from "@loopdash/test-evidence";
import { parseFailedJob } from "@loopdash/triage";
import { readJson } from "@loopdash/values";
import { describe, expect, it, test } from "vitest";
import { ActivityLines } from "../../src/adapters/agent/activity-lines.ts";
import { AuditWatch } from "../../src/domain/audit/audit-watch.ts";
import { actionEffect } from "../../src/domain/behaviour/action-effect.ts";
import { parseBound } from "../../src/domain/bound/parse-bound.ts";
import { zoneMatcher } from "../../src/domain/bound/zone-match.ts";
import { parseDiscovery } from "../../src/domain/outbox/parse.ts";
import { readPatch } from "../../src/domain/review/diff.ts";
import { plainText } from "../../src/domain/values/text.ts";

/** The same part of a text whose reader looks at so many characters at most. */
const part = (text: string, most: number): string => text.slice(0, Math.floor((most * text.length) / 310_000));

/** What reads text of agents, of clones and of the code under judgement on the event loop. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  "the rules of BOUND.md": (text) =>
    parseBound(`# BOUND\n\n## DANGER ZONES\n${part(text, 30_000)}\n## IRON LAWS\n- ${part(text, 30_000)}`),
  "one line of BOUND.md": (text) => parseBound(`## ${part(text, 60_000).replaceAll("\n", " ")}x`),
  "a log of a check": (text) => parseFailedJob({ job: "check", log: text }),
  "a report of tests": (text) => parseFailedJob({ job: "check", reports: [text, `<testsuite>${text}`] }),
  "a discovery": (text) => parseDiscovery(text),
  "a diff": (text) => readPatch(text),
  "a test's code": (text) => tokenize(part(text, 100_000), "js"),
  "a value of JSON": (text) => readJson(`[${JSON.stringify(text)}]`),
  "text for the terminal": (text) => plainText(text),
  "a command": (text) => actionEffect({ does: "run", command: part(text, 20_000) }),
  "a command for the audit": (text) => new CommandClassifier().classify(`cat ${part(text, 3_900)}`),
  "a path and a zone": (text) => zoneMatcher(text.slice(0, 1_000))(text.slice(0, 4_000)),
};

const UNITS = [
  ..."a ' \" \\ < ( [ { ` # - * / | ; & = ~ 0 é \u001b[ \u202e".split(" "),
  ...[
    " ",
    "\t ",
    "\n",
    "\r",
    "a\n",
    "a: b\n",
    "## ",
    "- `a` ",
    "- a\n  b\n",
    "a/",
    "**/",
    "**/a*/",
    "/*",
    "/*/",
    "`${",
    "$(",
    "a|",
    "a;",
    "cd a;",
  ],
  ...[
    "<a>",
    "<!--",
    '<testcase name="a"/>',
    "ok 1 - a\n",
    "not ok 1 - a\n",
    "  ---\n",
    "error: a\n",
    "::error::a\n",
    "    at a (b:1:1)\n",
  ],
  ...['{"a":1}\n', "@@ -1,9 +1,9 @@\n", "diff --git a/b b/b\n", "cat <<E\nx\nE\n", "<<E ", "FAIL a\n", "● a › b\n", "E   a\n"],
];
const [SHORT, LONG] = [75_000, 300_000];

/** The least time of three, in milliseconds. */
function timeOf(work: () => unknown): number {
  const once = (): number => {
    const from = performance.now();
    work();
    return performance.now() - from;
  };
  return Math.min(once(), once(), once());
}

/**
 * Four times the text may take some twelve times as long, and sixteen if time is quadratic: caches and the collector of memory cost more with it. Where both are short, compared
 * is with work of which the time is known to be linear.
 */
const MOST = 12;
const known = timeOf(() => JSON.stringify(Array.from({ length: LONG }, (_, i) => `${i}`.padStart(8))).length);

describe.each(Object.entries(READERS))("reading %s takes linear time", (_, read) => {
  test.for(UNITS.map((unit) => [JSON.stringify(unit), unit] as const))("for %s again and again", ([, unit]) => {
    const reading = (chars: number) => {
      const text = unit.repeat(Math.ceil(chars / unit.length));
      return () => {
        try {
          read(text);
        } catch (error) {
          // What is no value of the format is refused.
          if (!(error instanceof Error)) throw error;
        }
      };
    };
    const from = performance.now();
    reading(LONG)();
    if (performance.now() - from <= 5 * known) return;
    const long = timeOf(reading(LONG));
    expect(long / timeOf(reading(SHORT))).toBeLessThan(MOST);
  });
});

describe("an agent's stream", () => {
  it("of messages without end costs nothing once the message is as long as any", () => {
    const lines = new ActivityLines();
    const piece = "x".repeat(100_000);
    for (let n = 0; n < 40; n++) lines.event({ what: "text", text: piece, piece: true });
    expect(lines.message.length).toBeLessThanOrEqual(1_100_000);
  });

  const run = (command: string) =>
    ({ what: "tool", text: "", call: command.slice(0, 9), action: { does: "run", command } }) as const;
  const rowsOf = (commands: readonly string[]) => {
    const watch = new AuditWatch();
    return [...commands.flatMap((command) => watch.take(run(command))), ...watch.end()];
  };

  test.for([
    ["too long", [`cat ${"a ".repeat(3_000)}`], 1],
    ["longer than words are looked for", [`cat ${"a ".repeat(15_000)}`], 1],
    ["beyond what one attempt may have parsed", Array.from({ length: 300 }, (_, n) => `cat ${n} ${"a ".repeat(1_990)}`), 50],
    ["short", ["cat a", "ls b"], 0],
  ] as const)("has rows for commands that only read if they are %s", ([, commands, rows]) => {
    const found = rowsOf(commands);
    expect(found.length).toBe(rows);
    expect(found.every(({ kind, unread }) => kind === "run" && unread === true)).toBe(true);
  });

  it("has a plain row for what its words call a change, however long", () =>
    expect(rowsOf([`npm run ${"a ".repeat(5_000)}`])).toEqual([expect.not.objectContaining({ unread: true })]));
});
