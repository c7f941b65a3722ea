import type { RunState } from "../domain/run/state.ts";
import { plural } from "../domain/values/plural.ts";
import { formatDuration } from "../domain/values/time.ts";
import { outcomeLabel } from "../store/labels/outcome-label.ts";
import { STYLES } from "../store/labels/tone.ts";
import { spanOf, type TimelineSegment, timelineRows } from "../store/results/timeline-segments.ts";
import { percent } from "./format.ts";
import type { PageSection } from "./html.ts";
import { type Html, html } from "./html.ts";

/** Pixels of a slot's row, and of its bars. */
const ROW = 30;
const BAR = 20;
const AXIS = 22;
/** Widths of the plot, in pixels, from which more labels fit; the style sheet calls them `l0` to `l2`. */
const PLOTS = [215, 560, 960] as const;

/** The attempts in each slot over time, and the end of each. */
export function timelineSection(state: RunState, live: boolean): PageSection | undefined {
  const rows = timelineRows(state);
  if (rows.length === 0) return undefined;
  const { from, to } = spanOf(state);
  const share = (at: number): number => Math.min(1, Math.max(0, (at - from) / (to - from)));
  const height = rows.length * ROW + AXIS;
  const attempts = rows.reduce((sum, { bars }) => sum + bars.length, 0);
  const label = `Timeline: ${plural(attempts, "attempt")} in ${plural(rows.length, "slot")} over ${formatDuration(to - from)}. The table of tickets has the same in words.`;
  const body = html`<div class="timeline"><svg class="names" aria-hidden="true" width="54" height="${height}">
${rows.map(({ slot }, y) => html`<text x="0" y="${y * ROW + 19}">slot ${slot + 1}</text>`)}
</svg><svg class="plot" role="img" aria-label="${label}" width="100%" height="${height}">
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="f-bad" width="6" height="6"/><rect class="hatch" width="2" height="6"/></pattern></defs>
${ticks(to - from).map((at) => axis(at, at / (to - from), height))}
<text class="tick" text-anchor="end" x="100%" y="${height - 6}">${formatDuration(to - from)}</text>
${rows.map(({ bars }, y) => bars.map((bar) => barOf(bar, y * ROW + 4, share, live)))}
</svg></div>
<p class="legend"><span><i class="k f-good"></i> ${STYLES.done.glyph} shipped</span> <span><i class="k k-bad"></i> ${STYLES.failed.glyph} failed or killed</span> <span><i class="k f-person"></i> ${STYLES.needsYou.glyph} left to a person</span> <span><i class="k f-waiting"></i> ${STYLES.cutOff.glyph} stopped</span> <span><i class="k f-running"></i> ${STYLES.agent.glyph} at work</span> <span><i class="k k-line"></i> on the finish line, beside the slot</span></p>`;
  return { id: "timeline", title: "Timeline", note: "agents by slot", body };
}

function barOf(bar: TimelineSegment, y: number, share: (at: number) => number, live: boolean): Html {
  const { ticket, n, from, slotLeftAt, to, outcome } = bar;
  const { glyph, word, tone } = outcomeLabel(outcome, live);
  const [x, left, end] = [share(from), share(slotLeftAt), share(to)];
  const width = Math.max(0.0015, left - x);
  const fits = PLOTS.findIndex((plot) => width * plot >= (ticket.length + 2) * 7.5 + 8);
  const title = `${ticket}, attempt ${n}: ${word}, ${formatDuration(to - from)}`;
  return html`<g><title>${title}</title><rect class="bar ${tone === "bad" ? "b-bad" : `f-${tone}`}" x="${percent(x)}" y="${y}" width="${percent(width)}" height="${BAR}" rx="3"/>${end - left <= 0.0015 ? undefined : html`<rect class="f-${tone} line" x="${percent(left)}" y="${y + BAR}" width="${percent(end - left)}" height="3"/>`}${fits < 0 ? undefined : html`<svg class="l${fits}" x="${percent(x)}" y="${y}" width="${percent(width)}" height="${BAR}"><text class="on-${tone}" x="5" y="14.5">${glyph} ${ticket}</text></svg>`}</g>
`;
}

function axis(at: number, x: number, height: number): Html {
  return html`<line class="grid" x1="${percent(x)}" x2="${percent(x)}" y1="0" y2="${height - AXIS}"/><text class="tick" x="${percent(x)}" y="${height - 6}">${at === 0 ? "0" : formatDuration(at)}</text>
`;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 43_200, 86_400];

/**
 * At most five times, in milliseconds from the start, at round steps; none so near the end that its label would overflow the
 * plot.
 */
function ticks(ms: number): readonly number[] {
  const step = (STEPS.find((s) => ms / (s * 1000) <= 5) ?? Math.ceil(ms / 5 / 86_400_000) * 86_400) * 1000;
  const all = Array.from({ length: Math.floor(ms / step) + 1 }, (_, i) => i * step);
  return all.filter((at) => at <= ms * 0.78);
}
