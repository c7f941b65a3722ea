import { describe, expect, it } from "vitest";
import type { StepSpec } from "../../../src/domain/batch/step-spec.ts";
import { cleanUp } from "../../adapters/vcs/real-repo.ts";
import { judged, opened } from "../evidence-stage.ts";

cleanUp();

const check = { step: "check", name: "tests", command: [process.execPath, "--test"] } as const satisfies StepSpec;

/** A minute of this clock is some milliseconds. */
const FASTER = 2_000;

const BASE = {
  "add.mjs": "export const add = (a, b) => a + b;\n",
  "test/add.test.mjs": `import { test } from "node:test";
import assert from "node:assert";
import { add } from "../add.mjs";

test("adds", () => assert.equal(add(1, 2), 3));
`,
};

describe("a check that is proven alone", () => {
  it("says what it does, and its result tells where the time went", async () => {
    const stage = { proof: "each" as const, prepare: [["sh", "-c", "echo Successfully installed"]] };
    using at = await opened({
      base: BASE,
      change: { "more.mjs": "" },
      check,
      stage,
      ctx: ({ clock }) => ({ clock: fast(clock) }),
    });
    const { landed, summary } = await judged(at);
    expect(landed).toBe(true);
    const parts = at.of("step-part-started").map(({ part }) => part);
    const [first, second, ...proofs] = parts;
    expect([first, second]).toEqual(["preparing", ""]);
    expect(proofs.length).toBeGreaterThan(0);
    expect(proofs).toEqual(proofs.map((_, i) => `proof, run ${Math.floor(i / 2) + 1}: ${i % 2 === 0 ? "preparing" : "running"}`));
    expect(summary).toMatch(
      /^exit code only: passed in \d+\.\d s; proof \d+ s; preparing \d+ s, \d times: .+; proven with 1 planted test$/,
    );
  });
});

function fast<T extends { now(): number }>(clock: T): T {
  const begun = clock.now();
  return { ...clock, now: () => begun + (clock.now() - begun) * FASTER };
}
