import { z } from "zod";
import { plainText } from "../values/text.ts";

/** The four tests of a blocker (S5.11), with their names in the reviewer's question and in a ruling. */
export const BLOCKER_TESTS = {
  external: "the wall is outside the code",
  notFixableByRetry: "no retry gets past it",
  evidenced: "the captured commands show it",
  noOtherPath: "there is no other way within the worker's authority",
} as const;

const words = (most: number) => z.string().trim().min(1).max(most);
const Test = z.strictObject({ holds: z.boolean(), reason: words(2_000) });

/** An adjudicator's answer. */
export const Adjudication = z.strictObject({
  nonce: z.string(),
  tree: z.string(),
  tests: z.strictObject({ external: Test, notFixableByRetry: Test, evidenced: Test, noOtherPath: Test }),
  reason: words(2_000),
  verdict: z.enum(["upheld", "rejected"]),
});
export type Adjudication = z.infer<typeof Adjudication>;

/** The ruling on a claimed blocker. All of it is safe for a terminal. */
export interface BlockerRuling {
  readonly upheld: boolean;
  /** The reason: one line for people. */
  readonly reason: string;
  /** One line for each test that does not hold, for the next attempt. */
  readonly failing: readonly string[];
}

/** A blocker is upheld only if all four tests hold and the verdict says so. A ruling that contradicts itself rejects it. */
export function ruleOnBlocker({ tests, reason, verdict }: Pick<Adjudication, "tests" | "reason" | "verdict">): BlockerRuling {
  const names = Object.keys(BLOCKER_TESTS) as (keyof typeof BLOCKER_TESTS)[];
  const failing = names
    .filter((name) => !tests[name].holds)
    .map((name) => `${BLOCKER_TESTS[name]}: no. ${plainText(tests[name].reason, 500)}`);
  const [first] = failing;
  if (first === undefined) return { upheld: verdict === "upheld", reason: plainText(reason, 300), failing };
  const but = verdict === "upheld" ? "its verdict is upheld, but not all of its tests hold: " : "";
  return { upheld: false, reason: plainText(`${but}${first}`, 300), failing };
}

/**
 * The share of a command's earlier output lines that it printed again, numbers aside, as "8 of 10 lines". For the adjudicator
 * alone; nothing is decided by it.
 */
export function likeness(then: string, now: string): string {
  const maskedLines = (text: string) =>
    text
      .split("\n")
      .map((line) => line.replace(/\d+/g, "#").replace(/\s+/g, " ").trim())
      .filter((line) => line !== "");
  const again = new Set(maskedLines(now));
  const lines = maskedLines(then);
  return `${lines.filter((line) => again.has(line)).length} of ${lines.length} lines`;
}
