import { z } from "zod";

/** The conclusions of checks and jobs in the spelling of GitHub's REST API, and what each says of the commit. */
const CONCLUSIONS = {
  success: "passed",
  // GitHub takes these two for passed, though nothing was judged.
  neutral: "inconclusive",
  skipped: "inconclusive",
  failure: "failed",
  timed_out: "failed",
  cancelled: "failed",
  action_required: "failed",
  startup_failure: "failed",
  stale: "failed",
} as const;
const MEANINGS: ReadonlyMap<string, "passed" | "inconclusive" | "failed"> = new Map(Object.entries(CONCLUSIONS));

type Capitals = Uppercase<keyof typeof CONCLUSIONS>;

/** A conclusion in the spelling of GitHub's GraphQL API. */
export const Conclusion = z.enum(Object.keys(CONCLUSIONS).map((each) => each.toUpperCase() as Capitals));

/** True if GitHub takes this conclusion, in either spelling, for passed. One that is not known has failed. */
export function isPassed(conclusion: string): boolean {
  return conclusionMeaning(conclusion) !== "failed";
}

/** True if GitHub takes this conclusion, in either spelling, for passed, and nothing was judged. */
export function isInconclusive(conclusion: string): boolean {
  return conclusionMeaning(conclusion) === "inconclusive";
}

function conclusionMeaning(conclusion: string): "passed" | "inconclusive" | "failed" {
  return MEANINGS.get(conclusion.toLowerCase()) ?? "failed";
}
