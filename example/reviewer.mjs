/**
 * The example's reviewer: its own rules instead of a vendor's model, but its input is real. It gets the same request as any
 * reviewer: the question is a file, the answer is one JSON object between two lines with the question's nonce.
 *
 * loopdash starts it in an empty folder, with LOOPDASH_PROMPT and LOOPDASH_QUESTION.
 */
import { readFile } from "node:fs/promises";

/** This reviewer's rules for faulty lines. */
const RULES = [
  {
    pattern: /\bFunction\(|\beval\(/,
    title: "text from outside is evaluated as code",
    scenario: "SHOP__HTTP__PORT='1,process.exit()' runs what it holds: whoever sets a variable runs code in the service",
  },
  {
    pattern: /^\s*return value;$/,
    title: "a coupon may be worth more than the cart, or less than nothing",
    scenario: "a coupon of 50.00 EUR on a cart of 20.00 EUR: the checkout pays out 30.00 EUR",
  },
];

const { LOOPDASH_PROMPT: promptFile, LOOPDASH_QUESTION: question } = process.env;
if (promptFile === undefined || question === undefined) {
  console.error("This reviewer is started by loopdash: it needs LOOPDASH_PROMPT and LOOPDASH_QUESTION.");
  process.exit(2);
}
const prompt = await readFile(promptFile, "utf8");
const [, nonce] = /^LOOPDASH ANSWER BEGIN (\S+)$/m.exec(prompt) ?? [];
const [, tree] = /"tree": "([0-9a-f]{40,64})"/.exec(prompt) ?? [];
const answer = question === "adjudicate" ? rule(prompt) : review(prompt);
console.log(`LOOPDASH ANSWER BEGIN ${nonce}\n${JSON.stringify({ nonce, tree, ...answer })}\nLOOPDASH ANSWER END ${nonce}`);

/** The faults in a diff's added lines. */
function review(text) {
  const findings = added(text).flatMap(({ file, line, code }) =>
    RULES.flatMap(({ pattern, title, scenario }) =>
      pattern.test(code) && !file.endsWith(".test.js") ? [{ file, line, severity: "high", title, scenario }] : [],
    ),
  );
  return { findings, verdict: findings.length === 0 ? "pass" : "fail" };
}

/** Lines that a unified diff adds, with their places. */
function added(text) {
  const lines = [];
  let file = "";
  let line = 0;
  for (const each of text.split("\n")) {
    const [, path] = /^\+\+\+ b\/(.+)$/.exec(each) ?? [];
    const [, start] = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(each) ?? [];
    if (path !== undefined) file = path;
    else if (start !== undefined) line = Number(start);
    else if (each.startsWith("+")) lines.push({ file, line: line++, code: each.slice(1) });
    else if (each.startsWith(" ")) line += 1;
  }
  return lines;
}

/** A blocker is real if the repository's own scripts report it with exit code 77, "not permitted"; a red test never is one. */
function rule(text) {
  const wall = /"exitCode":\s*77\b/.test(text);
  const says = (holds, reason) => ({ holds, reason });
  const mine = "A test that fails is the worker's to mend: change the code until it passes.";
  return {
    tests: {
      external: wall ? says(true, "The other side refuses, and nothing in the repository decides that.") : says(false, mine),
      notFixableByRetry: wall ? says(true, "The answer is a refusal, not a transient.") : says(false, mine),
      evidenced: wall
        ? says(true, "The command ended with 77 again, without the agent.")
        : says(false, "It shows a red test, and no wall."),
      noOtherPath: wall ? says(true, "What can be built without it was built.") : says(false, mine),
    },
    reason: wall ? "Another party has to act first." : "Red tests are no blocker.",
    verdict: wall ? "upheld" : "rejected",
  };
}
