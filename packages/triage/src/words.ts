import { firstFewLine, plural } from "@loopdash/values";
import { shellWords } from "./draft.ts";
import type { Finding } from "./finding.ts";
import type { PriorityGroup } from "./priority.ts";

/** Lines and characters of a message that are shown. */
const SHOWN_LINES = 8;
const SHOWN_CHARS = 700;
/** Lines of a list of failures. */
export const LIST_LINES = 40;
/** Jobs that are named. */
const SHOWN_JOBS = 5;

/** The details of a failure, one line each, all of it outside text: place, test, message, command, hints. */
export function entryLines({ finding, count, jobs }: PriorityGroup): readonly string[] {
  const { test, message, reproduce, hints, tool } = finding;
  const place = findingPlace(finding);
  const many = count > 1 ? `, ${plural(count, "time")}` : "";
  return [
    ...(place === undefined ? [] : [place]),
    ...(test === undefined ? [] : [`test: ${test}`]),
    `tool: ${tool}, in ${firstFewLine(jobs, SHOWN_JOBS)}${many}`,
    ...shortMessage(message).map((line) => `  ${line}`),
    ...(reproduce === undefined ? [] : [`run: ${shellWords(reproduce)}`]),
    ...hints.map((hint) => `hint: ${hint}`),
  ];
}

function findingPlace({ file, line }: Finding): string | undefined {
  if (file === undefined) return undefined;
  return line === undefined ? file : `${file}:${line}`;
}

function shortMessage(message: string): readonly string[] {
  const text = message.length > SHOWN_CHARS ? `${message.slice(0, SHOWN_CHARS)}…` : message;
  const lines = text.split("\n");
  return lines.length > SHOWN_LINES ? [...lines.slice(0, SHOWN_LINES - 1), "…"] : lines;
}

/**
 * A list of failures for text that is fenced as a whole, the worst first, in at most `limit` characters and 40 lines; empty if there is
 * nothing to say. The last line counts what did not fit.
 */
export function failureList(groups: readonly PriorityGroup[], limit: number): string {
  const entries: string[] = [];
  const more = (n: number) => `and ${n} more`;
  let room = limit - more(groups.length).length - 1;
  let lines = LIST_LINES - 1;
  for (const group of groups) {
    const [first = "", ...rest] = entryLines(group);
    const entry = [`- ${first}`, ...rest.map((line) => `  ${line}`)].join("\n");
    lines -= rest.length + 1;
    if (entry.length + 1 > room || lines < 0) break;
    room -= entry.length + 1;
    entries.push(entry);
  }
  const left = groups.length - entries.length;
  if (entries.length === 0) return "";
  return [...entries, ...(left > 0 ? [more(left)] : [])].join("\n");
}
