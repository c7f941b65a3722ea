import type { TicketId } from "../../../src/domain/values/ids.ts";
import { STYLES, type Tone } from "../../../src/store/labels/tone.ts";
import type { Lists } from "../../../src/store/lists.ts";
import { cut, textWidth } from "../../kit/fit.ts";
import { hiddenLabel, visibleWindow } from "../../kit/window.ts";

/** The sections of the overview. */
export type SectionName = "landed" | "waiting" | "done";

/** A line of the queue. */
export type QueueLine =
  | { readonly line: "title"; readonly title: string; readonly count: string; readonly tone: Tone }
  | { readonly line: "ticket"; readonly id: TicketId; readonly section: SectionName }
  | { readonly line: "hidden"; readonly words: string; readonly section: SectionName | "all" };

interface Section {
  readonly name: SectionName;
  readonly title: string;
  /** Replaces the title if the line is short: the glyph of its rows. */
  readonly glyph: string;
  readonly tone: Tone;
  readonly ids: readonly TicketId[];
  /** The count of its tickets; under a filter also of the listed ones: `1 of 3`. */
  readonly count: string;
}

const SECTIONS: readonly Omit<Section, "ids" | "count">[] = [
  { name: "landed", title: "LANDED, NOT LIVE", ...STYLES.landed },
  { name: "waiting", title: "NEXT", ...STYLES.ready, tone: "plain" },
  { name: "done", title: "DONE", ...STYLES.done },
];

function listSections(lists: Lists, filter: QueueFilter | undefined): readonly Section[] {
  return SECTIONS.map((section) => {
    const ids = lists[section.name];
    const all = filter?.whole[section.name].length ?? ids.length;
    return { ...section, ids, count: all === ids.length ? String(all) : `${ids.length} of ${all}` };
  }).filter(({ ids }) => ids.length > 0);
}

/** Lines and columns of the queue. */
export interface QueueSize {
  readonly width: number;
  readonly height: number;
}

/** The filter of the queue: the text, and the unfiltered lists. */
export interface QueueFilter {
  readonly text: string;
  readonly shown: number;
  readonly all: number;
  readonly whole: Lists;
}

/**
 * Lays the queue out on `height` lines, titles included: landed tickets first, then those that come next, then done ones. Each section counts its hidden tickets.
 * With too few lines for sections, all tickets form one list. A filter has a line of its own above them.
 */
export function queueLines(
  lists: Lists,
  size: QueueSize,
  selected: TicketId | undefined,
  filter?: QueueFilter,
): readonly QueueLine[] {
  const sections = listSections(lists, filter);
  if (filter === undefined) return sectionLines(sections, size, selected);
  const height = size.height - 1;
  const fits = height >= sections.length * 3;
  const title: QueueLine = {
    line: "title",
    title: "FILTER",
    count: filterCount(filter, size.width),
    tone: "running",
  };
  if (filter.shown === 0 && sections.length === 0)
    return [title, { line: "hidden", words: "no ticket has this text", section: "all" }];
  const lines = sectionLines(sections, { ...size, height: fits ? height : size.height }, selected);
  return [title, ...(fits ? lines : lines.slice(1))];
}

/** `pay · 3 of 500`. */
function filterCount(filter: QueueFilter, width: number): string {
  const counts = `${filter.shown} of ${filter.all}`;
  return `${cut(filter.text.trim(), Math.max(4, width - textWidth(counts) - 16))} · ${counts}`;
}

function sectionLines(
  sections: readonly Section[],
  { width, height }: QueueSize,
  selected: TicketId | undefined,
): readonly QueueLine[] {
  if (sections.length === 0) return [{ line: "title", title: "QUEUE", count: "empty", tone: "plain" }];
  if (height < sections.length * 3) return flat(sections, { width, height }, selected);
  const rows = share(
    sections.map((s) => s.ids.length),
    height - sections.length,
  );
  return sections.flatMap((section, i) => [
    { line: "title" as const, title: section.title, count: section.count, tone: section.tone },
    ...ticketLines(section, rows[i] ?? 0, selected),
  ]);
}

function ticketLines(section: Section, rows: number, selected: TicketId | undefined): readonly QueueLine[] {
  const shown = visibleWindow(section.ids.length, rows, selected === undefined ? -1 : section.ids.indexOf(selected));
  const lines: QueueLine[] = section.ids
    .slice(shown.start, shown.end)
    .map((id) => ({ line: "ticket", id, section: section.name }));
  if (shown.end - shown.start < section.ids.length)
    lines.push({ line: "hidden", words: hiddenLabel(shown), section: section.name });
  return lines;
}

/** One list under one title: it names the section of the first row, and counts all. Each row's glyph and words show its section. */
function flat(sections: readonly Section[], size: QueueSize, selected: TicketId | undefined): readonly QueueLine[] {
  const all = sections.flatMap((s) => s.ids.map((id) => ({ line: "ticket" as const, id, section: s.name })));
  const focus = selected === undefined ? -1 : all.findIndex((row) => row.id === selected);
  const shown = visibleWindow(all.length, size.height - 1, focus);
  const rows: QueueLine[] = all.slice(shown.start, shown.end);
  const [top] = rows;
  const first = sections.find(({ name }) => top?.line === "ticket" && name === top.section) ?? sections[0];
  if (first === undefined) return [];
  if (rows.length < all.length) rows.push({ line: "hidden", words: hiddenLabel(shown), section: "all" });
  const count = flatCount([first, ...sections.filter((section) => section !== first)], size.width);
  return [{ line: "title", title: first.title, count, tone: first.tone }, ...rows];
}

/** `2 · needs you 1 · next 38 · done 6`; if that is too long, signs replace words, those of the last sections first. */
function flatCount(sections: readonly Section[], width: number): string {
  const [first, ...others] = sections;
  const parts = others.map((s) => `${s.title.toLowerCase()} ${s.ids.length}`);
  const count = () => [String(first?.ids.length), ...parts].join(" · ");
  // Beside the count, the line has its title, a corner, a dash and three spaces.
  const room = width - 5 - textWidth(first?.title ?? "");
  for (const [i, { glyph, ids }] of [...others.entries()].toReversed()) {
    if (textWidth(count()) <= room) break;
    parts[i] = `${glyph}${ids.length}`;
  }
  return count();
}

/**
 * Shares `room` rows among sections that want `wants`: two each at first, then in order until each is satisfied, so that a list
 * of 500 never crowds out the one ticket that needs a person.
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
