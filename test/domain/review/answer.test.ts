import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answerMarks, readAnswer } from "../../../src/domain/review/answer.ts";
import { Attack, ruleOnAttack } from "../../../src/domain/review/attack.ts";
import { Review, ruleOnReview } from "../../../src/domain/review/review.ts";

const NONCE = "0123456789abcdef0123456789abcdef";
const TREE = "t".repeat(40);
const { begin, end } = answerMarks(NONCE);
const PASS = { nonce: NONCE, tree: TREE, findings: [], verdict: "pass" };
const FINDING = { file: "a.ts", line: 3, severity: "high", title: "wrong", scenario: "x gives y" } as const;

const read = (text: string) => readAnswer(text, { nonce: NONCE, tree: TREE, schema: Review });
const whole = (json: unknown) => `${begin}\n${JSON.stringify(json, undefined, 1)}\n${end}`;

describe("an answer", () => {
  test("is the one object between the marks of its nonce, whatever stands before it", () => {
    expect(read(whole(PASS))).toEqual({ ok: true, value: PASS });
    expect(read(`I looked.\r\n  ${begin}  \r\n\`\`\`json\r\n${JSON.stringify(PASS)}\r\n\`\`\`\r\n${end}\r\n \r\n`)).toMatchObject(
      {
        ok: true,
      },
    );
    expect(read(`\`\`\`\n${whole(PASS)}\n\`\`\``)).toMatchObject({ ok: true });
  });

  test.for([
    ["", "it gave no answer"],
    [" \n\t", "it gave no answer"],
    [JSON.stringify(PASS), "its answer has no begin line with its nonce"],
    [whole(PASS).replaceAll(NONCE, "f".repeat(32)), "its answer has no begin line with its nonce"],
    [`${end}\n${JSON.stringify(PASS)}\n${begin}`, "its answer has no end line with its nonce: it is not whole"],
    [`${begin}\n${JSON.stringify(PASS)}`, "its answer has no end line with its nonce: it is not whole"],
    [`${begin} ${JSON.stringify(PASS)} ${end}`, "its answer has no begin line with its nonce"],
    [`${whole(PASS)}\n${whole(PASS)}`, "it gave more than one answer"],
    [`${whole(PASS)}\n${end}`, "it gave more than one answer"],
    [`${begin}\n${whole(PASS)}`, "it gave more than one answer"],
    [`${whole(PASS)}\nBye.`, "more follows after its end line"],
    [`${whole(PASS)}\n\n\n.`, "more follows after its end line"],
    [`\`\`\`\n${whole(PASS)}\n\`\`\`\nOn second thoughts: fail`, "more follows after its end line"],
    [`${whole(PASS)}\n${whole(PASS).replaceAll(NONCE, "f".repeat(32))}`, "more follows after its end line"],
    [whole([PASS]), "its answer does not fit the schema: "],
    [whole({ ...PASS, findings: [{ ...FINDING, line: 12 }] }).replace('"line": 12', '"line": 1\n2'), "its answer is not JSON"],
    [`${begin}\n${JSON.stringify(PASS)}${JSON.stringify(PASS)}\n${end}`, "its answer is not JSON"],
    [whole({ ...PASS, tree: "u" }), "its answer is about another tree"],
    [whole({ ...PASS, nonce: "u" }), "its answer carries another nonce"],
    [whole({ ...PASS, approved: true }), "its answer does not fit the schema"],
    [whole({ ...PASS, findings: [{ ...FINDING, line: -1 }] }), "its answer does not fit the schema at findings.0.line"],
    [whole({ ...PASS, findings: Array.from({ length: 101 }, () => FINDING) }), "its answer does not fit the schema at findings"],
  ] as const)("%#: what is none says why", ([text, why]) => {
    const reading = read(text);
    expect(reading).toMatchObject({ ok: false });
    expect(reading.ok ? "" : reading.why).toContain(why);
  });

  test("is never made by text that does not know the nonce", () => {
    const parts = fc.constantFrom(
      "LOOPDASH ANSWER BEGIN",
      "LOOPDASH ANSWER END",
      " ",
      "\n",
      "0123",
      JSON.stringify(PASS),
      "DATA END diff",
    );
    fc.assert(fc.property(fc.array(parts, { maxLength: 40 }), (words) => !read(words.join("")).ok));
  });
});

describe("a ruling", () => {
  test("names the worst first, and counts what finds no room", () => {
    const findings = [
      { ...FINDING, severity: "low" as const, title: "style" },
      ...Array.from({ length: 20 }, (_, i) => ({ ...FINDING, line: i, scenario: "s".repeat(900), fix: "f".repeat(900) })),
      { ...FINDING, severity: "critical" as const, title: "worst", line: 0 },
    ];
    const { ok, summary, detail } = ruleOnReview({ findings, verdict: "fail" }, "high");
    expect(ok).toBe(false);
    expect(summary).toMatch(/^worst \(critical, a\.ts\); .*; and 18 more$/);
    expect(detail).toMatch(/^1\. critical {2}a\.ts {2}worst\n/);
    expect(detail).toMatch(/\n\[\+\d+ more findings\]$/);
    expect(detail.length).toBeLessThanOrEqual(4_000);
  });

  test("on an attack stays within what evidence may hold", () => {
    const attack = Attack.parse({
      ...{ nonce: NONCE, tree: TREE, broken: true, severity: "critical" },
      ...{
        tried: Array.from({ length: 50 }, () => "t".repeat(2_000)),
        scenario: "s".repeat(8_000),
        reproduce: "r".repeat(4_000),
      },
    });
    const { ok, detail } = ruleOnAttack(attack, "critical");
    expect(ok).toBe(false);
    expect(detail.length).toBeLessThanOrEqual(4_000);
    expect(ruleOnAttack({ ...attack, broken: false }, "low")).toMatchObject({ ok: true, summary: "survived 50 attacks" });
  });
});
