import type { NoticeKind } from "../batch/notify-spec.ts";
import type { RunState } from "../run/state.ts";
import { suspensionText } from "../run/suspension.ts";
import { describeBroken } from "../schedule/freeze.ts";
import { describeNeed, listNeeds, type Need } from "../schedule/needs.ts";
import { plannedTicket } from "../schedule/plan.ts";
import { firstFewLine, plainText, plural } from "../values/text.ts";
import { vecItems } from "../values/vec.ts";

/** Something that a person who is away is told once. */
export interface Notice {
  /** The same for the same occurrence, whichever engine finds it: a route is told each key once. */
  readonly key: string;
  readonly kind: NoticeKind;
  /** One line, safe for a terminal. */
  readonly says: string;
}

/** What a receiver gets. */
export interface NoticeMessage {
  readonly run: string;
  readonly batch: string;
  /** One line: `loopdash plumbing: 2 need you, 1 landed`. */
  readonly title: string;
  /** The title and a line for each notice, the first ones if there are many. */
  readonly text: string;
  readonly notices: readonly Notice[];
}

/** Characters of a message: what a telephone shows. */
const TEXT_CHARS = 500;
const LINE_CHARS = 160;

const KIND_OF_NEED: Readonly<Record<Need["kind"], NoticeKind>> = {
  halt: "limit",
  base: "needs-you",
  approval: "needs-you",
  step: "needs-you",
  missing: "needs-you",
  "not-live": "needs-you",
  stalled: "stalled",
};

/** All that has occurred in a run and is still so, what needs a person first. A pure function: after a restart it finds the same keys. */
export function listNotices(state: RunState): readonly Notice[] {
  const needs = listNeeds(state).map((need): Notice => {
    const { kind, ticket = "", since, says } = need;
    return { key: `${kind} ${ticket} ${since ?? says}`, kind: KIND_OF_NEED[kind], says: line(describeNeed(need)) };
  });
  const incidents = Object.entries(state.brokenBases).map(([repo, broken]): Notice => {
    return { key: `broken ${repo} ${broken.since}`, kind: "incident", says: line(describeBroken(broken, repo)) };
  });
  const landed = [...vecItems(state.tickets)].flatMap(({ id, mergedSha }): readonly Notice[] => {
    if (mergedSha === undefined) return [];
    const { title } = plannedTicket(state.plan, id);
    return [
      { key: `landed ${id} ${mergedSha}`, kind: "landed", says: line(`${id} landed as ${mergedSha.slice(0, 7)}: ${title}`) },
    ];
  });
  const slept = (state.suspensions ?? []).map((gap): Notice => {
    return { key: `slept ${gap.from}`, kind: "slept", says: line(suspensionText(gap)) };
  });
  const { end } = state;
  const ended = end === undefined ? [] : [{ key: `ended ${end.at}`, kind: "ended" as const, says: line(describeEnd(state)) }];
  return [...ended, ...needs, ...incidents, ...landed, ...slept];
}

function describeEnd({ counts, end }: RunState): string {
  const how = end?.kind === "oracle-done" ? "done, says the oracle" : `not done: ${end?.reason ?? ""}`;
  return `${counts.done} done, ${counts["human-gated"]} left to you, ${counts.stalled} stalled; ${how}`;
}

/** The message about some notices, the most urgent kind first. */
export function composeMessage({ run, batch }: Pick<NoticeMessage, "run" | "batch">, notices: readonly Notice[]): NoticeMessage {
  const title = plainText(`loopdash ${batch}: ${firstFewLine(countKinds(notices), 4)}`, LINE_CHARS);
  const last = `loopdash attach ${run}`;
  const lines: string[] = [title];
  for (const [i, { says }] of notices.entries()) {
    const left = notices.length - i;
    const size = [...lines, says, `and ${left} more`, last].join("\n").length;
    if (size > TEXT_CHARS) {
      lines.push(`and ${left} more`);
      break;
    }
    lines.push(says);
  }
  return { run, batch, title, text: [...lines, last].join("\n"), notices };
}

const WORDS: Readonly<Record<NoticeKind, (count: number) => string>> = {
  ended: () => "the run ended",
  "engine-died": () => "the engine died",
  "needs-you": (count) => `${count} ${count === 1 ? "needs" : "need"} you`,
  stalled: (count) => `${count} stalled`,
  limit: () => "a limit is reached",
  incident: (count) => plural(count, "incident"),
  landed: (count) => `${count} landed`,
  slept: () => "the machine slept",
};

function countKinds(notices: readonly Notice[]): readonly string[] {
  const kinds = [...new Set(notices.map(({ kind }) => kind))];
  return kinds.map((kind) => WORDS[kind](notices.filter((notice) => notice.kind === kind).length));
}

function line(text: string): string {
  return plainText(text, LINE_CHARS);
}
