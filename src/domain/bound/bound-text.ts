import { boundedHead, plainText } from "../values/text.ts";
import { BOUND_FILE, type Bound, isUnbound } from "./bound.ts";

/** Characters that the rules add to a prompt, at most. */
export const BOUND_CHARS = 12_000;
const RULE_CHARS = 500;
const LIST_CHARS = 3_500;

/** The rules of a repository for the agent; empty if there are none. */
export function boundForWorker(bound: Bound | undefined, zones: "approve" | "read-only"): string {
  if (bound === undefined || isUnbound(bound)) return "";
  const { zones: all, neverDo, ironLaws } = bound;
  const zonesText =
    zones === "approve"
      ? "Danger zones. You may change them if the ticket needs it, but such a change waits for a person. Keep out where you can:"
      : "Danger zones. Read them; a change that touches them does not land:";
  return [
    `\n\n### The boundaries of this repository\nPeople wrote them, and they were frozen when the run began. A change to ${BOUND_FILE} does not land.`,
    ...section(
      zonesText,
      all.map(({ path, why }) => `\`${path}\`${why === undefined ? "" : `: ${why}`}`),
    ),
    ...section(
      "Never do:",
      neverDo.map(({ text }) => text),
    ),
    ...section(
      "Iron laws, which must hold after your change as before it:",
      ironLaws.map(({ text, command }) => (command === undefined ? text : `${text} (\`${command.join(" ")}\` exits 0)`)),
    ),
  ].join("\n");
}

/** The rules that a reviewer judges: behaviour, and laws without a command. Empty if there are none. */
export function boundForReviewer(bound: Bound | undefined): string {
  const judged = [
    ...(bound?.neverDo ?? []).map(({ text }) => text),
    ...(bound?.ironLaws ?? []).flatMap(({ text, command }) => (command === undefined ? [text] : [])),
  ];
  if (judged.length === 0) return "";
  const head =
    "The repository's own rules. A change that breaks one of them is a finding of severity high, with the rule as its title:";
  return `\n\n${section(head, judged).join("\n")}`;
}

function section(head: string, rules: readonly string[]): readonly string[] {
  if (rules.length === 0) return [];
  return [head, boundedHead(rules.map((rule) => `- ${plainText(rule, RULE_CHARS)}`).join("\n"), LIST_CHARS)];
}
