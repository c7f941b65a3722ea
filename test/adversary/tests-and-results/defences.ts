import type { Defence } from "../suite.ts";

const COMPARE = "src/domain/evidence/compare.ts";

/** What each attack of this family meets. Design P2: what judges is the base's; P3: each test is held against the base's own. */
export const DEFENCES = {
  removed: {
    name: "a test of the base that is not there fails the check",
    holes: [
      { file: COMPARE, from: "if (removed.length > 0)", to: "if (false)" },
      { file: COMPARE, from: "if (ran(all) < expected)", to: "if (false)" },
    ],
  },
  skipped: {
    name: "a test that is newly skipped fails the check",
    holes: [
      { file: COMPARE, from: "if (skipped.length > 0)", to: "if (false)" },
      { file: COMPARE, from: "if (ran(all) < expected)", to: "if (false)" },
    ],
  },
} as const satisfies Record<string, Defence>;
