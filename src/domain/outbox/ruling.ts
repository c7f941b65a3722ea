import { z } from "zod";
import { plainText } from "../values/text.ts";

/** The four tests of a blocker (S5.11), as the second model is asked and a ruling names them. */
export const BLOCKER_TESTS = {
  external: "the wall is outside the code",
  notFixableByRetry: "no retry gets past it",
  evidenced: "the captured commands show it",
  noOtherPath: "there is no other way within the worker's authority",
} as const;

const words = (most: number) => z.string().trim().min(1).max(most);
const Test = z.strictObject({ holds: z.boolean(), reason: words(2_000) });

/** What an adjudicator answers. */
export const Adjudication = z.strictObject({
  nonce: z.string(),
  tree: z.string(),
  tests: z.strictObject({ external: Test, notFixableByRetry: Test, evidenced: Test, noOtherPath: Test }),
  reason: words(2_000),
  verdict: z.enum(["upheld", "rejected"]),
});
export type Adjudication = z.infer<typeof Adjudication>;

/** What becomes of a claimed blocker. All of it is safe for a terminal. */
export interface BlockerRuling {
  readonly upheld: boolean;
  /** One line for people: why. */
  readonly reason: string;
  /** A line for each test that does not hold, for the next attempt. */
  readonly failing: readonly string[];
}

/** A wall stands only where all four tests hold and the verdict says so; a ruling that contradicts itself is none. */
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
 * How much of what a command printed then it printed again: the share of the lines, numbers aside, as "8 of 10 lines". For the
 * adjudicator alone; nothing is decided by it.
 */
export function likeness(then: string, now: string): string {
  const linesOf = (text: string) =>
    text
      .split("\n")
      .map((line) => line.replace(/\d+/g, "#").replace(/\s+/g, " ").trim())
      .filter((line) => line !== "");
  const again = new Set(linesOf(now));
  const lines = linesOf(then);
  return `${lines.filter((line) => again.has(line)).length} of ${lines.length} lines`;
}
