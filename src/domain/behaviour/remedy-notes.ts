import type { DueRemedy } from "../run/remedy-fact.ts";
import { plainText, plural } from "../values/text.ts";
import type { Reflection } from "./reflection.ts";
import { GATE_LABELS } from "./signals.ts";

/** Paths that a note names, and characters of each and of other words that agents chose. */
const NAMED = 3;
const NAME_CHARS = 80;
const WORD_CHARS = 240;

/**
 * What an attempt is told first if it carries out a remediation: why, what that asks for, and what was learnt. A line each, safe for a
 * terminal, and bounded. `isSteppedBack`: the work to which it steps back is in the worktree.
 */
export function remedyNotes(
  due: DueRemedy | undefined,
  last: Reflection | undefined,
  { isSteppedBack }: { readonly isSteppedBack: boolean },
): readonly string[] {
  if (due === undefined) return [];
  const why = `${GATE_LABELS[due.gate]} failed in attempt ${due.n} (${quoted(due.was, WORD_CHARS)})`;
  return [`${whatToDo(due, why, isSteppedBack)}`, ...(last === undefined ? [] : [learnt(last)])];
}

function whatToDo({ action, from, n }: DueRemedy, why: string, isSteppedBack: boolean): string {
  switch (action) {
    case "step-back":
      return from !== undefined && isSteppedBack
        ? `STEP BACK: ${why}. Your worktree holds the change of attempt ${from.attempt}, whose checks passed. Go on from there, and do not repeat what attempt ${n} tried.`
        : `STEP BACK: ${why}. Your worktree starts from the base. Question the approach of attempt ${n} before you change anything.`;
    case "split":
      return `SPLIT: ${why}. This attempt does not do the ticket, and what it changes is thrown away. Only file the parts into which the work falls, each as discovered/<name>.json of your outbox with a title, a body and a reason, so that each can be done and checked alone; then stop. The ticket waits for them.`;
    case "escalate":
      return `ESCALATED: ${why}, with another model than you. Your worktree starts from the base. Question its approach before you change anything.`;
    case "gate":
    case "nudge":
      return `${why}.`;
  }
}

/** What the reflective log says of the last attempt. */
function learnt({ what, why }: Reflection): string {
  const failed = what.failedAt === undefined ? "was ended" : `failed at ${quoted(what.failedAt, NAME_CHARS)}`;
  const paths = what.change?.paths ?? [];
  const named = paths.slice(0, NAMED).map((path) => quoted(path, NAME_CHARS));
  const changed = what.files === 0 ? "its change is not known" : `it changed ${plural(what.files, "file")} (${named.join(", ")})`;
  const says = why.summary === "" ? "" : `: ${quoted(why.summary, WORD_CHARS)}`;
  return `LEARNT: attempt ${what.attempt} ${failed}${says}; ${changed}, and passed ${what.passedSteps} of ${plural(what.steps, "step")} of the finish line.`;
}

/** Words that an agent chose are no words of the engine. */
function quoted(text: string, most: number): string {
  return `"${plainText(text, most).replaceAll('"', "'")}"`;
}
