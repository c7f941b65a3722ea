import type { TicketId } from "../src/domain/ids.ts";
import type { Lists } from "../src/store/lists.ts";
import type { Tone } from "../src/store/tone.ts";
import { widthOf } from "./fit.ts";
import { hiddenWords, windowOf } from "./window.ts";

export type SectionName = "finishing" | "needsYou" | "stalled" | "waiting" | "done";

/** A line of the queue. */
export type QueueLine =
  | { readonly line: "title"; readonly title: string; readonly count: string; readonly tone: Tone }
  | { readonly line: "ticket"; readonly id: TicketId; readonly section: SectionName }
  | { readonly line: "hidden"; readonly words: string; readonly section: SectionName | "all" };

interface Section {
  readonly name: SectionName;
  readonly title: string;
  /** Stands for the title where the line is short: what its rows begin with. */
  readonly glyph: string;
  readonly tone: Tone;
  readonly ids: readonly TicketId[];
}

function sectionsOf(lists: Lists): readonly Section[] {
  const all: readonly Section[] = [
    { name: "finishing", title: "FINISHING", glyph: "»", tone: "running", ids: lists.finishing },
    { name: "needsYou", title: "NEEDS YOU", glyph: "!", tone: "person", ids: lists.needsYou },
    { name: "stalled", title: "STALLED", glyph: "✖", tone: "bad", ids: lists.stalled },
    { name: "waiting", title: "NEXT", glyph: "○", tone: "plain", ids: lists.waiting },
    { name: "done", title: "DONE", glyph: "✔", tone: "good", ids: lists.done },
  ];
  return all.filter((section) => section.ids.length > 0);
}

/** Lines and columns of the queue. */
export interface QueueSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Lays the queue out on `height` lines, titles included: what is being finished first, then what needs a person, what is
 * stalled, what comes next and what is done. What does not fit is counted where it belongs. Too few lines for sections make
 * one list of all.
 */
export function queueLines(lists: Lists, { width, height }: QueueSize, selected: TicketId | undefined): readonly QueueLine[] {
  const sections = sectionsOf(lists);
  if (sections.length === 0) return [{ line: "title", title: "QUEUE", count: "empty", tone: "plain" }];
  if (height < sections.length * 3) return flat(sections, { width, height }, selected);
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
function flat(sections: readonly Section[], size: QueueSize, selected: TicketId | undefined): readonly QueueLine[] {
  const [first] = sections;
  if (first === undefined) return [];
  const all = sections.flatMap((s) => s.ids.map((id) => ({ line: "ticket" as const, id, section: s.name })));
  const focus = selected === undefined ? -1 : all.findIndex((row) => row.id === selected);
  const shown = windowOf(all.length, size.height - 1, focus);
  const rows: QueueLine[] = focus < 0 ? beginnings(all, shown.end) : all.slice(shown.start, shown.end);
  if (rows.length < all.length) rows.push({ line: "hidden", words: hiddenWords(shown), section: "all" });
  return [{ line: "title", title: first.title, count: flatCount(sections, size.width), tone: first.tone }, ...rows];
}

type TicketLine = Extract<QueueLine, { line: "ticket" }>;

/** The first `room` rows of a list in which what is being finished leaves half of the rows to what needs a person or comes next. */
function beginnings(all: readonly TicketLine[], room: number): TicketLine[] {
  const others = all.filter((row) => row.section !== "finishing");
  const finishing = all.slice(0, all.length - others.length);
  return [...finishing.slice(0, room - Math.min(Math.ceil(room / 2), others.length)), ...others].slice(0, room);
}

/** `2 · needs you 1 · next 38 · done 6`; where that is too long, signs stand for words, those of the last sections first. */
function flatCount(sections: readonly Section[], width: number): string {
  const [first, ...others] = sections;
  const parts = others.map((s) => `${s.title.toLowerCase()} ${s.ids.length}`);
  const count = () => [String(first?.ids.length), ...parts].join(" · ");
  // Beside the count, the line has its title, a corner, a dash and three spaces.
  const room = width - 5 - widthOf(first?.title ?? "");
  for (const [i, { glyph, ids }] of [...others.entries()].toReversed()) {
    if (widthOf(count()) <= room) break;
    parts[i] = `${glyph}${ids.length}`;
  }
  return count();
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
