import type { TicketId } from "../src/domain/ids.ts";
import type { Lists } from "../src/store/lists.ts";
import type { Tone } from "../src/store/tone.ts";
import { hiddenWords, windowOf } from "./window.ts";

export type SectionName = "needsYou" | "stalled" | "waiting" | "done";

/** A line of the queue. */
export type QueueLine =
  | { readonly line: "title"; readonly title: string; readonly count: string; readonly tone: Tone }
  | { readonly line: "ticket"; readonly id: TicketId; readonly section: SectionName }
  | { readonly line: "hidden"; readonly words: string; readonly section: SectionName | "all" };

interface Section {
  readonly name: SectionName;
  readonly title: string;
  readonly tone: Tone;
  readonly ids: readonly TicketId[];
}

function sectionsOf(lists: Lists): readonly Section[] {
  const all: readonly Section[] = [
    { name: "needsYou", title: "NEEDS YOU", tone: "person", ids: lists.needsYou },
    { name: "stalled", title: "STALLED", tone: "bad", ids: lists.stalled },
    { name: "waiting", title: "NEXT", tone: "plain", ids: lists.waiting },
    { name: "done", title: "DONE", tone: "good", ids: lists.done },
  ];
  return all.filter((section) => section.ids.length > 0);
}

/**
 * Lays the queue out on `height` lines, titles included: what needs a person first, then what is stalled, what comes next
 * and what is done. What does not fit is counted where it belongs. Too few lines for sections make one list of all.
 */
export function queueLines(lists: Lists, height: number, selected: TicketId | undefined): readonly QueueLine[] {
  const sections = sectionsOf(lists);
  if (sections.length === 0) return [{ line: "title", title: "QUEUE", count: "empty", tone: "plain" }];
  if (height < sections.length * 3) return flat(sections, height, selected);
  const rows = share(
    sections.map((s) => s.ids.length),
    height - sections.length,
  );
  return sections.flatMap((section, i) => [
    { line: "title" as const, title: section.title, count: String(section.ids.length), tone: section.tone },
    ...ticketLines(section, rows[i] ?? 0, selected),
  ]);
}

function ticketLines(section: Section, rows: number, selected: TicketId | undefined): readonly QueueLine[] {
  const shown = windowOf(section.ids.length, rows, selected === undefined ? -1 : section.ids.indexOf(selected));
  const lines: QueueLine[] = section.ids
    .slice(shown.start, shown.end)
    .map((id) => ({ line: "ticket", id, section: section.name }));
  if (shown.end - shown.start < section.ids.length)
    lines.push({ line: "hidden", words: hiddenWords(shown), section: section.name });
  return lines;
}

/** One list under one title that counts all sections; each row's glyph and words tell which section it is of. */
function flat(sections: readonly Section[], height: number, selected: TicketId | undefined): readonly QueueLine[] {
  const [first, ...others] = sections;
  if (first === undefined) return [];
  const count = [String(first.ids.length), ...others.map((s) => `${s.title.toLowerCase()} ${s.ids.length}`)].join(" · ");
  const all = sections.flatMap((s) => s.ids.map((id) => ({ line: "ticket" as const, id, section: s.name })));
  const focus = selected === undefined ? -1 : all.findIndex((row) => row.id === selected);
  const shown = windowOf(all.length, height - 1, focus);
  const rows: QueueLine[] = all.slice(shown.start, shown.end);
  if (rows.length < all.length) rows.push({ line: "hidden", words: hiddenWords(shown), section: "all" });
  return [{ line: "title", title: first.title, count, tone: first.tone }, ...rows];
}

/**
 * Shares `room` rows among sections that want `wants`: two each at first, then one after the other in their order until
 * each has what it wants, so that a list of 500 never crowds out the one thing that needs a person.
 */
export function share(wants: readonly number[], room: number): readonly number[] {
  const given = wants.map((want) => Math.min(want, 2));
  let left = room - given.reduce((sum, n) => sum + n, 0);
  while (left > 0) {
    const hungry = given.flatMap((n, i) => (n < (wants[i] ?? 0) ? [i] : []));
    if (hungry.length === 0) break;
    for (const i of hungry.slice(0, left)) given[i] = (given[i] ?? 0) + 1;
    left -= Math.min(left, hungry.length);
  }
  return given;
}
