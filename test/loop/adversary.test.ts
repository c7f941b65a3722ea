import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StepSpec } from "../../src/domain/batch/step-spec.ts";
import { cleanUp } from "../adapters/vcs/real-repo.ts";
import { ended, opened, questions, reviewed, says } from "./review-stage.ts";

cleanUp();

const ATTACK = { step: "adversary", name: "adversary" } as const satisfies StepSpec;
const SURVIVED = says({ tried: ["an empty list"], broken: false });
const broken = (over: object = {}) =>
  says({
    ...{ tried: ["an empty list", "a huge one"], broken: true },
    ...{ severity: "high", scenario: "max([]) is undefined", reproduce: "node -e 'max([])'" },
    ...over,
  });
const attacked = (reviewer: string, step: StepSpec = ATTACK) => reviewed({ reviewer, step });

describe("an attack", () => {
  test("that breaks nothing lets the change land", async () => {
    using stage = await opened({ reviewer: SURVIVED, step: ATTACK });
    const { landed, summary, answers } = await ended(stage);
    expect(landed).toBe(true);
    expect(summary).toBe("survived 1 attack");
    expect(answers).toMatchObject([{ question: "adversary", valid: true }]);
    expect(questions(stage)).toEqual(["adversary"]);
    const folder = join(stage.root, "run/tickets/T-1/attempt-1");
    expect(readFileSync(join(folder, "adversary-adversary.md"), "utf8")).toContain("# Break this change");
    expect(JSON.parse(readFileSync(join(folder, "adversary-adversary.json"), "utf8"))).toMatchObject({ survived: true });
  });

  test("that breaks it stops it, and the next attempt is told how to see it", async () => {
    const { landed, evidence } = await attacked(broken());
    expect(landed).toBe(false);
    expect(evidence).toMatchObject({ step: "adversary", summary: "broken (high): max([]) is undefined" });
    expect(evidence?.detail).toContain("reproduce: node -e 'max([])'");
    expect(evidence?.detail).toContain("- tried: a huge one");
  });

  test("that breaks something small is named, and stops nothing", async () => {
    const { landed, summary } = await attacked(broken({ severity: "low" }));
    expect(landed).toBe(true);
    expect(summary).toBe("survived 2 attacks but one below high: broken (low): max([]) is undefined");
  });

  test.for([
    ["no verdict", "", "it gave no answer"],
    ["a verdict without an attack", says({ tried: [], broken: false }), "its answer does not fit the schema at tried"],
    ["a break that nobody can see", broken({ reproduce: " " }), "its answer does not fit the schema at reproduce"],
    ["a break without a severity", says({ tried: ["x"], broken: true, scenario: "y", reproduce: "z" }), "at severity"],
    ["an optimist's word", says({ tried: ["x"], broken: "no" }), "its answer does not fit the schema at broken"],
    ["a review in its place", says({ findings: [], verdict: "pass" }), "its answer does not fit the schema"],
    ["an edit", `fs.writeFileSync(checkout + "/x", ""); ${SURVIVED}`, "it changed the checkout"],
  ] as const)("with %s is not survived", async ([, body, why]) => {
    const { landed, evidence, state } = await attacked(body);
    expect(landed).toBe(false);
    // It is the reviewer's failure, and not the work's.
    expect(evidence?.summary).toMatch(/^postponed, because the reviewer is unavailable: /);
    expect(evidence?.summary).toContain(why);
    expect(state.end).toMatchObject({ kind: "unjudged", exitCode: 3 });
  });
});

describe("the smoke test", () => {
  const smoke = (script: string) => ({ ...ATTACK, smoke: ["sh", "-c", script] as [string, ...string[]] });

  test("that passes on the candidate is a part of having survived", async () => {
    const { landed, summary } = await attacked(SURVIVED, smoke("grep -q add work.js"));
    expect(landed).toBe(true);
    expect(summary).toBe("survived 1 attack; normal work still works");
  });

  test("that fails stops the change, and nobody is asked any more", async () => {
    using stage = await opened({ reviewer: SURVIVED, step: smoke("echo nothing works; exit 7") });
    const { landed, evidence, asked } = await ended(stage);
    expect(landed).toBe(false);
    expect(evidence).toMatchObject({ step: "adversary", name: "adversary", detail: "nothing works" });
    expect(evidence?.summary).toMatch(/^normal work no longer works: sh -c .* exited with code 7$/);
    expect(asked).toEqual([]);
  });
});
