import type { PullRequestMove } from "../../domain/forge/next-move.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { boundedTail } from "../../domain/values/bounded-text.ts";
import { plainLines, plainText } from "../../domain/values/text.ts";
import type { FailedCheck } from "../../ports/forge.ts";

/** Characters of one check's log, and of one remark. */
const LOG_CHARS = 2_500;
const REMARK_CHARS = 1_000;
const MOST_LINES = 200;
/** Annotations of one check. */
const MOST_ANNOTATIONS = 10;

/** What failed at the forge, for the next attempt. All of it is text of others, and bounded. */
export function fixEvidence({ why, words }: Extract<PullRequestMove, { do: "fix" }>, failures: readonly FailedCheck[]): Evidence {
  const remarks = words.map((said) => {
    const place = said.kind === "thread" ? ` at ${plainText(said.place, 200)}` : "";
    return `${plainText(said.author, 60)}${place}:\n${quoted(said.body, REMARK_CHARS)}`;
  });
  const detail = [...remarks, ...failures.map(failureText)].join("\n\n");
  return { step: "merge", name: "pull request", summary: plainText(why, 300), detail: boundedTail(detail) };
}

function failureText({ name, log, annotations }: FailedCheck): string {
  const marked = annotations
    .slice(0, MOST_ANNOTATIONS)
    .map(
      ({ path, line, level, message }) => `${plainText(path, 200)}:${line}: ${plainText(level, 20)}: ${plainText(message, 300)}`,
    );
  const tail = log.slice(-LOG_CHARS);
  return [
    `Check "${plainText(name, 100)}" failed.`,
    ...marked,
    ...(tail === "" ? [] : ["The end of its log:", quoted(tail, LOG_CHARS)]),
  ].join("\n");
}

/** Text of others, each line marked as such: it cannot pass for the engine's own. */
function quoted(text: string, most: number): string {
  return plainLines(text.slice(-most), { maxLines: MOST_LINES })
    .map((line) => `> ${line}`)
    .join("\n");
}
