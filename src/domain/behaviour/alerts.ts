import { plainText } from "../values/text.ts";
import { type AlertKind, isFailure, type ReflectedAttempt, type Reflection } from "./reflection.ts";

/** Failures in a row at the same step that are stuck. S3.18 says three of any failure as well (S3.37): only the same step counts here. */
const STUCK = 3;

/** The alerts after the last of these attempts. */
export function findAlerts(
  judged: readonly ReflectedAttempt[],
  found: { readonly hotFiles: readonly string[]; readonly sameStep: number; readonly speed: string | undefined },
): readonly AlertKind[] {
  const last = judged.at(-1);
  if (last === undefined || !isFailure(last)) return [];
  const relevance = last.gates?.relevance;
  return [
    ...(relevance === "warn" || relevance === "fail" ? (["drift"] as const) : []),
    ...(found.hotFiles.length > 0 ? (["hot-files"] as const) : []),
    ...(found.speed === "slower" ? (["slowing"] as const) : []),
    ...(found.sameStep >= STUCK ? (["stuck"] as const) : []),
    ...(last.isLoop || isSameChangeAgain(judged) ? (["loop"] as const) : []),
  ];
}

/** True if the last attempt left what a failed one before it had left. */
function isSameChangeAgain(judged: readonly ReflectedAttempt[]): boolean {
  const content = judged.at(-1)?.change?.content;
  return content !== undefined && judged.slice(0, -1).some((each) => isFailure(each) && each.change?.content === content);
}

/** Paths that an alert names, and characters of each. */
const NAMED = 3;
const NAME_CHARS = 80;

/** The alerts of the last entry of a log, one line each, with what to do about it. Safe for a terminal, and bounded. */
export function describeAlerts(log: readonly Reflection[]): readonly string[] {
  const last = log.at(-1);
  return last === undefined ? [] : last.pattern.alerts.map((kind) => describeAlert(kind, last));
}

function describeAlert(kind: AlertKind, { what, pattern }: Reflection): string {
  switch (kind) {
    case "drift":
      return what.gates?.relevance === "fail"
        ? "DRIFT: the last attempt edited protected paths. Leave those as they are; change only what the ticket asks for."
        : `DRIFT: the last attempt edited files all over the repository (${named(what.change?.paths ?? [])}). Change only what the ticket asks for.`;
    case "hot-files":
      return `HOT FILES: failed attempts keep changing ${named(pattern.hotFiles)}. Find the cause before you change ${pattern.hotFiles.length === 1 ? "it" : "them"} again; it may be elsewhere.`;
    case "slowing":
      return "SLOWING: attempts pass fewer steps of the finish line than they did. Go back to what passed, and make one small change.";
    case "stuck":
      return `STUCK: ${pattern.sameStepInARow} attempts in a row failed at ${what.failedAt ?? "the same step"}. Do not try the same again: read its output first, and question the approach.`;
    case "loop":
      return what.isLoop
        ? "LOOP DETECTED: the last attempt repeated an action that kept giving the same result. If something does not change, do something else."
        : "LOOP DETECTED: the last attempt left the same change as a failed one before it. Take another approach.";
  }
}

function named(paths: readonly string[]): string {
  // An agent chose these names: quoted, they are no words of the engine.
  const some = paths
    .slice(0, NAMED)
    .map((path) => `"${plainText(path, NAME_CHARS).replaceAll('"', "'")}"`)
    .join(", ");
  return paths.length > NAMED ? `${some} and others` : some;
}
