import type { Rule } from "./rule.ts";

/** Rules about branches whose checks decide. */
export const BRANCHES: readonly Rule[] = [
  {
    rule: "a branch whose checks turn red before the end is not done",
    holes: [
      {
        in: "reverify",
        from: "for (const [id, evidence] of await notGreen(ctx, own, signal)) broken.set(id, evidence);",
        to: "void notGreen;",
      },
    ],
    test: "is not done if it turns red before the oracle is asked",
  },
  {
    rule: "the checks of another commit of a branch count for nothing",
    holes: [{ in: "nextBranchMove", from: 'if (tip !== own.head) return { do: "rebuild" };', to: "" }],
    test: "takes no check of another commit",
  },
  {
    rule: "a branch without any check is not green",
    holes: [{ in: "nextBranchMove", from: "if (checks.length === 0) {", to: "if (checks.length < 0) {" }],
    test: "infrastructure if no check appears",
  },
];
