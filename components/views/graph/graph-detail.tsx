import type { ReactNode } from "react";
import { useShallow } from "zustand/react/shallow";
import type { Plan } from "../../../src/domain/run/state.ts";
import { formatElapsed } from "../../../src/store/format.ts";
import { keyIn } from "../../../src/store/keymap/key-labels.ts";
import { queueLabel, titleLabel } from "../../../src/store/labels/ticket-label.ts";
import { dependentsIn, graphLayout } from "../../../src/store/views/graph-layout.ts";
import { useDashboard } from "../../kit/dashboard-context.ts";
import { cut, widthOf } from "../../kit/fit.ts";
import { Rule } from "../../kit/rule.tsx";
import { cutSpans, type Span, type SpanLine, Spans, spansWidth } from "../../kit/spans.tsx";
import { stylesKey, stylesOf } from "./graph-row.tsx";

interface DetailProps {
  readonly plan: Plan;
  readonly width: number;
  readonly critical: ReadonlySet<number>;
  /** Tickets that are done or left to a person. */
  readonly over: ReadonlySet<number>;
}

/** The selected ticket in words: its state, its dependencies, its dependents. Exactly `lines` lines, 2 or 4. */
export function GraphDetail(options: DetailProps & { readonly index: number | undefined; readonly lines: number }): ReactNode {
  const { index, lines, width } = options;
  if (index === undefined) return <Nothing lines={lines} width={width} />;
  return (
    <>
      {lines > 2 && <Rule title="SELECTED" count={countOf(options, index)} width={width} />}
      <HowItStands {...options} index={index} />
      {lines > 2 ? (
        <>
          <Related name="waits for" {...options} indexes={graphLayout(options.plan).deps[index] ?? []} />
          <Related name="waiting for it" {...options} indexes={dependentsIn(options.plan, index)} />
        </>
      ) : (
        <Spans line={[{ text: cut(` ${bothWays(options.plan, index)}`, width), tone: "waiting" }]} />
      )}
    </>
  );
}

function Nothing({ lines, width }: { readonly lines: number; readonly width: number }): ReactNode {
  const within = useDashboard((s) => keyIn(s, "graph", "layer-down"));
  const across = useDashboard((s) => keyIn(s, "graph", "layer-left"));
  const words = [
    ...(within === "" ? [] : [`${within} select within a layer`]),
    ...(across === "" ? [] : [`${across} to another`]),
  ];
  return (
    <>
      {lines > 2 && <Rule title="SELECTED" count="none" width={width} />}
      <Spans line={[{ text: cut(` ${words.join(", ")}`, width), tone: "waiting" }]} />
      {Array.from({ length: lines > 2 ? 2 : 1 }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an empty line is its place
        <Spans key={i} line={[{ text: " " }]} />
      ))}
    </>
  );
}

/** The known or assumed work on the path that begins with it; none for a ticket that is over. */
function countOf({ plan, critical, over }: DetailProps, index: number): string | undefined {
  if (over.has(index)) return undefined;
  const work = `${formatElapsed(plan.rank[index] ?? 0)} of work from here on`;
  return critical.has(index) ? `on the longest way ahead · ${work}` : work;
}

function HowItStands({ plan, index, width }: DetailProps & { readonly index: number }): ReactNode {
  const id = plan.tickets[index]?.id;
  const { glyph, tone, text } = useDashboard(
    useShallow((s) => (id === undefined ? { glyph: " ", tone: "plain" as const, text: "" } : queueLabel(s, id))),
  );
  const title = useDashboard((s) => (id === undefined ? "" : titleLabel(s, id)));
  const word = cut(text, Math.max(16, width - 6 - (id?.length ?? 0) - Math.min(widthOf(title), 30)));
  const line: SpanLine = [
    { text: ` ${glyph} `, tone },
    { text: `${id ?? ""}  `, bold: true },
    { text: word, tone },
    { text: `  ${title}` },
  ];
  return <Spans line={cutSpans(line, width)} />;
}

/** `waits for  ✔ T-4  » T-6  +3 more`. */
function Related(options: DetailProps & { readonly name: string; readonly indexes: readonly number[] }): ReactNode {
  const styles = stylesOf(useDashboard((s) => stylesKey(s, options.indexes)));
  const head = { text: ` ${options.name.padEnd(NAME_WIDTH)} `, tone: "waiting" as const };
  if (options.indexes.length === 0) return <Spans line={[head, { text: "nobody", tone: "waiting" }]} />;
  const spans: Span[] = [head];
  let shown = 0;
  for (const index of options.indexes) {
    const { glyph = " ", tone = "plain" as const } = styles[shown] ?? {};
    const id = options.plan.tickets[index]?.id ?? "";
    const more = shown + 1 < options.indexes.length ? MORE_WIDTH : 0;
    if (spansWidth(spans) + 4 + id.length + more > options.width) break;
    spans.push({ text: ` ${glyph} `, tone }, { text: `${id} `, bold: options.critical.has(index) });
    shown += 1;
  }
  const hidden = options.indexes.length - shown;
  return <Spans line={hidden === 0 ? spans : [...spans, { text: ` +${hidden} more`, tone: "waiting" }]} />;
}

/** Ids that one line names on either side. */
const NAMED = 2;
const NAME_WIDTH = "waiting for it".length;
const MORE_WIDTH = " +999 more".length;

function bothWays(plan: Plan, index: number): string {
  const ids = (indexes: readonly number[]): string => {
    if (indexes.length === 0) return "nobody";
    const named = indexes.slice(0, NAMED).map((i) => plan.tickets[i]?.id ?? "");
    return `${named.join(" ")}${indexes.length > NAMED ? ` +${indexes.length - NAMED} more` : ""}`;
  };
  return `waits for ${ids(graphLayout(plan).deps[index] ?? [])} · waiting for it: ${ids(dependentsIn(plan, index))}`;
}
