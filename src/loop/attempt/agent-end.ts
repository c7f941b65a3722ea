import type { AttemptOutcome, Evidence } from "../../domain/run/attempt-fact.ts";
import { boundedTail, plainText } from "../../domain/values/text.ts";
import type { AgentResult } from "../../ports/agent.ts";
import type { ExecEnding } from "../../ports/executor.ts";
import { lastWords, limitHint } from "../programs/last-words.ts";
import { howItEnded } from "../programs/run-in.ts";
import { type AttemptEnd, abortedEnd } from "../programs/scope.ts";
import type { OpenAttempt } from "./context.ts";
import { guardFault } from "./guard.ts";

/** The agent's end, or the fault of the harness that ended it. */
export type AgentRun = AgentResult | { readonly fault: string };

/** The end of an attempt whose agent did not stop by itself; undefined if it did. */
export function cutShort(open: OpenAttempt, result: AgentRun): AttemptEnd | undefined {
  if ("fault" in result) return guardFault(result.fault);
  if (result.ending === "aborted") return abortedEnd(open);
  return stoppedByItself(result) ? undefined : agentFailed(result);
}

/** True if the agent stopped by itself. That its work is complete remains a claim. */
function stoppedByItself({ ending, exitCode, stop }: AgentResult): boolean {
  return ending === "exited" && exitCode === 0 && stop === undefined;
}

/** An agent that did not start has not failed. */
const OUTCOMES: Readonly<Partial<Record<ExecEnding, AttemptOutcome>>> = {
  silent: "silent",
  "out-of-time": "out-of-time",
  "failed-to-start": "stopped",
};

function agentFailed(result: AgentResult): AttemptEnd {
  const outcome = OUTCOMES[result.ending] ?? "failed";
  const evidence: Evidence = {
    step: "agent",
    name: "agent",
    summary:
      result.stop === undefined
        ? [`the agent ${howItEnded(result)}${lastWords(result.tail)}`, limitHint(result.tail) ?? []].flat().join("; ")
        : `the agent stopped early (${result.stop.kind}): ${plainText(result.stop.says, 300)}`,
    detail: boundedTail(result.tail),
  };
  return { outcome, evidence };
}
