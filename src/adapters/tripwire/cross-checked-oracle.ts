import type { Judgement } from "../../domain/run/event.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { type Oracle, withEvidence } from "../../ports/oracle.ts";
import { type CopyComparisonOptions, judgeWithCopies } from "./copy-comparison.ts";

/** The oracle of a run: before its verdict ends the run as done, copies of the tracker must confirm it. */
export function createCrossCheckedOracle(options: CopyComparisonOptions): Oracle {
  return {
    sha: options.program.sha,
    async judge(signal, how) {
      if (how === "background") return withEvidence(await options.program.judge(options.batch(), signal, how));
      const startedAt = performance.now();
      const doubt = (problem: string): Judgement => {
        const durationMs = Math.round(performance.now() - startedAt);
        return { verdict: "unjudged", counts: { done: 0, gated: 0, open: 0 }, open: [], problem, durationMs };
      };
      try {
        const { judgement, evidence, problem, compared } = await judgeWithCopies(options, { signal, how }, "done");
        const judged = withEvidence({ judgement, evidence });
        if (judgement.verdict !== "done") return judged;
        if (problem !== undefined) return doubt(problem);
        return compared ? judged : doubt("the tracker kept changing while it was judged");
      } catch (cause) {
        return doubt(`the judgement could not be borne out: ${errorMessage(cause)}`);
      }
    },
  };
}
