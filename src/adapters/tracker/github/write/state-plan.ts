import { isSameState, type TrackerState } from "../../../../domain/run/drift-fact.ts";
import { GATE_LABEL } from "../../service/labels.ts";
import type { CommentNode } from "../read/answers.ts";
import { newestGate, ownComments, ownText, stepIn } from "../ticket/comments.ts";
import type { GitHubIssue } from "../ticket/issue.ts";

/** One request that changes an issue. */
export type Step =
  | { readonly do: "close" | "reopen" | "label" | "unlabel" }
  | { readonly do: "create comment"; readonly text: string }
  | { readonly do: "edit comment"; readonly comment: CommentNode; readonly text: string }
  | { readonly do: "delete comment"; readonly comment: CommentNode };

/**
 * The requests that bring an issue from its present state (`now`) to another, in order. If any of them is the last one that happens,
 * no ticket is done too early, none has a gate without a step, and the same plan made anew does the rest without a second comment:
 *
 * - to done, the issue is closed last, so that the note is there; but if loopdash's own comment is the gate, it is closed first,
 *   because the ticket would be open without the gate.
 * - to human-gated, the comment comes before the label, and both before the issue is opened.
 * - to open, the label goes first and the issue is opened last.
 *
 * The plan is empty if all is as it should be. A person's own comment is never touched.
 */
export function planFor(issue: GitHubIssue, now: TrackerState, state: TrackerState, note: string): readonly Step[] {
  const own = ownComments(issue);
  const isLabelled = issue.node.labels.nodes.some(({ name }) => name === GATE_LABEL);
  const isGateOwn = own.some(({ body }) => stepIn(body) !== undefined);
  if (isSameState(now, state) && !isLeftOver(state, { hasOwn: own.length > 0, isGateOwn, isLabelled })) return [];
  const unlabel: readonly Step[] = isLabelled ? [{ do: "unlabel" }] : [];
  const label: readonly Step[] = isLabelled ? [] : [{ do: "label" }];
  const reopen: readonly Step[] = issue.node.state === "CLOSED" ? [{ do: "reopen" }] : [];
  const comment = commentSteps(issue, own, state, note);
  if (state.as === "human-gated") return [...comment, ...label, ...reopen];
  if (state.as === "open") return [...unlabel, ...(own.length === 0 ? [] : comment), ...reopen];
  // GitHub ignores the reason of a closed issue: one that was closed for another reason is opened first.
  const close: readonly Step[] = now.as === "done" ? [] : [...reopen, { do: "close" }];
  return isGateOwn ? [...close, ...unlabel, ...comment] : [...comment, ...close, ...unlabel];
}

/** True if a plan to this state was not carried out to its end, so that loopdash's gate is partly there. */
function isLeftOver(
  { as }: TrackerState,
  { hasOwn, isGateOwn, isLabelled }: { readonly hasOwn: boolean; readonly isGateOwn: boolean; readonly isLabelled: boolean },
): boolean {
  return as !== "human-gated" && (isGateOwn || (as === "done" && hasOwn && isLabelled));
}

/** Writes loopdash's own comment, and removes doubles of it. A gate that a newer one would hide is written anew, at the end. */
function commentSteps(issue: GitHubIssue, own: readonly CommentNode[], state: TrackerState, note: string): readonly Step[] {
  const text = ownText(state, note);
  const current = own.at(-1);
  const gate = newestGate(issue)?.comment;
  const isHidden = state.as === "human-gated" && gate !== undefined && gate !== current && isAfter(gate, current);
  if (current === undefined || isHidden) return [{ do: "create comment", text }, ...own.map(removal)];
  const edit: readonly Step[] = current.body === text ? [] : [{ do: "edit comment", comment: current, text }];
  return [...edit, ...own.slice(0, -1).map(removal)];
}

function isAfter(one: CommentNode, other: CommentNode | undefined): boolean {
  return other !== undefined && Date.parse(one.createdAt) >= Date.parse(other.createdAt);
}

function removal(comment: CommentNode): Step {
  return { do: "delete comment", comment };
}
