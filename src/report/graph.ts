import type { Plan, RunState } from "../domain/run/state.ts";
import { plural } from "../domain/values/text.ts";
import { vecAt } from "../domain/values/vec.ts";
import { phaseLabel } from "../store/labels/ticket-label.ts";
import { criticalPath, growGraph } from "../store/views/graph-tree.ts";
import { cutTo } from "./format.ts";
import { type Html, html, type PageSection } from "./html.ts";

/** Pixels of a node and of the gaps between nodes. */
const [WIDTH, HEIGHT, ACROSS, DOWN] = [184, 40, 56, 12];

interface Spot {
  readonly x: number;
  readonly y: number;
}

/** The graph of dependencies, from left to right; undefined if there are none. */
export function graphSection(state: RunState, live: boolean): PageSection | undefined {
  const { placed, columns, rows } = columnsOf(state.plan);
  if (placed.length === 0) return undefined;
  const spots = new Map(placed.map((node) => [node.index, spotOf(node)]));
  const alone = state.plan.tickets.length - placed.length;
  const path = criticalPath(state.plan, () => false);
  const onPath = new Set(path);
  const steps = new Set(path.slice(1).map((index, i) => `${path[i]} ${index}`));
  const [width, height] = [columns * (WIDTH + ACROSS) - ACROSS + 4, rows * (HEIGHT + DOWN) - DOWN + 4];
  const edges = placed.flatMap(({ index }) =>
    (state.plan.dependents[index] ?? []).map((to) => edge(spots.get(index), spots.get(to), steps.has(`${index} ${to}`))),
  );
  const label = `Dependencies of ${plural(placed.length, "ticket")} from left to right. The table of tickets says which waits for which.`;
  const body = html`<div class="scroll graph" role="region" aria-labelledby="graph-h" tabindex="0"><svg role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
${edges}
${placed.map((node) => nodeOf(state, node, onPath.has(node.index), live))}</svg></div>
<p class="legend"><span><i class="k k-long"></i> the longest path, by what tickets took before</span>${alone === 0 ? undefined : html`<span>${plural(alone, "ticket")} without dependencies not drawn</span>`}</p>`;
  return { id: "graph", title: "Dependencies", note: plural(placed.length, "ticket"), body };
}

function spotOf({ column, row }: PlacedTicket): Spot {
  return { x: column * (WIDTH + ACROSS) + 2, y: row * (HEIGHT + DOWN) + 2 };
}

function edge(from: Spot | undefined, to: Spot | undefined, long: boolean): Html | undefined {
  if (from === undefined || to === undefined) return undefined;
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
  const bend = Math.max(24, (x2 - x1) / 2);
  return html`<path class="edge${long ? " long" : ""}" d="M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}"/>
`;
}

function nodeOf(state: RunState, node: PlacedTicket, long: boolean, live: boolean): Html {
  const { x, y } = spotOf(node);
  const ticket = vecAt(state.tickets, node.index);
  const title = state.plan.tickets[node.index]?.title ?? "";
  const { glyph, word, tone } = phaseLabel(ticket, live);
  return html`<g class="node${long ? " long" : ""}" transform="translate(${x} ${y})"><title>${ticket.id}: ${word}. ${title}</title><rect width="${WIDTH}" height="${HEIGHT}" rx="6"/><rect class="side f-${tone}" width="5" height="${HEIGHT}" rx="2"/><text class="nid t-${tone}" x="13" y="16">${glyph} ${cutTo(ticket.id, 22)}</text><text class="ntitle" x="13" y="32">${cutTo(title, 27)}</text></g>
`;
}

/** A ticket in the graph: its column and its row, both from 0. */
interface PlacedTicket {
  readonly index: number;
  readonly column: number;
  readonly row: number;
}

/** The tickets with dependencies or dependants, in columns: each to the right of all its dependencies. */
interface Columns {
  readonly placed: readonly PlacedTicket[];
  readonly columns: number;
  readonly rows: number;
}

/** Tickets per column, before a layer continues in the next one. */
const MOST_ROWS = 24;

/** Places the tickets of a plan. */
function columnsOf(plan: Plan): Columns {
  const linked = growGraph(plan).filter(({ index, above }) => above !== undefined || plan.dependents[index]?.length !== 0);
  const layers = Map.groupBy(linked, ({ branch }) => branch.length);
  const placed: PlacedTicket[] = [];
  let column = 0;
  for (const [, layer] of [...layers].toSorted(([a], [b]) => a - b)) {
    layer.forEach(({ index }, i) => {
      placed.push({ index, column: column + Math.floor(i / MOST_ROWS), row: i % MOST_ROWS });
    });
    column += Math.ceil(layer.length / MOST_ROWS);
  }
  return { placed, columns: column, rows: Math.max(0, ...placed.map(({ row }) => row + 1)) };
}
