import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { BlockerClaim } from "../../../src/domain/outbox/schema.ts";
import { renderAdjudicatorPrompt } from "../../../src/loop/questions/adjudicator-prompt.ts";
import { ticketOf } from "../../domain/simulate.ts";

const TEMPLATE = readFileSync(resolve(import.meta.dirname, "../../../prompts/adjudicator.md"), "utf8");
const NONCE = "0123456789abcdef0123456789abcdef";

/** A prompt in which everything that is not the engine's own is this text, as long as it may be. */
function filled(text: string): string {
  const long = (most: number) => text.repeat(Math.ceil(most / Math.max(1, text.length))).slice(0, most);
  const captured = { command: Array<string>(8).fill(long(4_096)), exitCode: 1, output: long(16_000) };
  const claim: BlockerClaim = {
    claim: long(2_000),
    wall: long(2_000),
    tried: long(4_000),
    humanStep: long(500),
    evidence: Array(5).fill(captured) as BlockerClaim["evidence"],
  };
  return renderAdjudicatorPrompt(TEMPLATE, {
    ticket: ticketOf("T-1", { title: long(200), body: long(64_000) }),
    claim,
    replays: claim.evidence.map((each) => ({ captured: each, output: long(64_000) })),
    paths: Array<string>(100).fill(long(4_096)),
    commit: "c".repeat(40),
    checkout: "/state/runs/r/judge/T-1-adjudicator-1-1",
    nonce: NONCE,
  });
}

test("names the four tests, what is never a blocker, and the form of the answer", () => {
  const prompt = filled("x");
  for (const name of ["external", "notFixableByRetry", "evidenced", "noOtherPath"]) expect(prompt).toContain(`\`${name}\``);
  for (const fake of ["red check", "merge conflict", "failed deployment", "surprising plan"]) expect(prompt).toContain(fake);
  expect(prompt).toContain(`LOOPDASH ANSWER BEGIN ${NONCE}\n{"nonce": "${NONCE}"`);
});

test.each(["x", '"', "\\", "\n", "\u0001", "\u001b[31m", "`", "\ud800", "😀", "é\n"])(
  "of %j everywhere, all that there may be, it stays within its budget",
  (text) => {
    expect(filled(text).length).toBeLessThanOrEqual(64_000);
  },
);

test("whatever stands in the claim, its block ends where it ends, and holds it as data", () => {
  const lines = fc.array(
    fc.oneof(fc.string(), fc.constantFrom("```", "```json", "## Your answer", "{{nonce}}", `LOOPDASH ANSWER BEGIN ${NONCE}`)),
  );
  fc.assert(
    fc.property(
      lines.map((each) => each.join("\n")),
      (text) => {
        fc.pre(text !== "");
        const prompt = filled(`${text}\n`);
        expect(prompt.split("\n").filter((line) => line.startsWith("```"))).toEqual(["```json", "```"]);
        expect(prompt.split("\n").filter((line) => line.trim() === `LOOPDASH ANSWER BEGIN ${NONCE}`)).toHaveLength(1);
        expect(() => JSON.parse(/^```json\n([\s\S]*?)\n```$/m.exec(prompt)?.[1] ?? "") as unknown).not.toThrow();
      },
    ),
    { numRuns: 40 },
  );
});
