import type { AttemptMark } from "./attempts.ts";
import type { LogLine } from "./line-ring.ts";
import type { FileLabel } from "./log-text.ts";
import type { Target } from "./target.ts";

/** Why the log of an attempt under way is empty, by its agent's mark. */
const AGENT_WORDS: Readonly<Partial<Record<AttemptMark, string>>> = {
  ahead: "no agent has started yet",
  running: "the agent has printed nothing yet",
  unreached: "no agent works on it: it continues from finished work",
};

/** The message of an empty tab: the reason, and what has to happen. */
export function emptyMessage({ tab, attempt, ticket }: Target, file: FileLabel): LogLine {
  if (typeof file === "object") return { text: `not read: ${file.refused}`, tone: "bad" };
  if (file === "reading") return { text: "looking …", tone: "waiting" };
  const over = attempt.outcome !== undefined;
  switch (tab) {
    case "log":
      if (over) return { text: "this attempt has left no log", tone: "waiting" };
      return {
        text: AGENT_WORDS[attempt.entries[0]?.mark ?? "ahead"] ?? "the agent has printed nothing",
        tone: "waiting",
      };
    case "diff":
      return { text: diffWord(attempt.outcome, ticket), tone: "waiting" };
    case "prompt":
      return { text: over ? "this attempt has left no prompt" : "the prompt has not been written yet", tone: "waiting" };
    default:
      return { text: "nothing to show", tone: "waiting" };
  }
}

function diffWord(outcome: Target["attempt"]["outcome"], { attempt }: Target["ticket"]): string {
  if (outcome === "done" || outcome === "gated") return "nothing of this attempt has landed";
  if (outcome !== undefined) return "this attempt has left no change";
  if (attempt?.change === undefined) return "unknown until the agent has stopped and its change is captured";
  const { files, additions, deletions } = attempt.change;
  if (files === 0) return "captured: nothing was changed";
  return `captured: +${additions} −${deletions} in ${files === 1 ? "1 file" : `${files} files`}`;
}
