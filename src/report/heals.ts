import { healResultsOf } from "../domain/results/heal-results.ts";
import type { RunState } from "../domain/run/state.ts";
import { plural } from "../domain/values/plural.ts";
import { healDetails, healSummary } from "../store/results/heal-lines.ts";
import type { PageSection } from "./html.ts";
import { html } from "./html.ts";

/** The heals of a run: their diagnosis, whether they moved their stall, and what later runs have of them. */
export function healsSection(state: RunState): PageSection | undefined {
  const results = healResultsOf(state);
  if (results.length === 0) return undefined;
  const items = results.map(
    (heal) => html`<li><h3>heal ${heal.n}: ${heal.outcome}${heal.repo === null ? "" : `, ${heal.repo}`}</h3>
${(heal.kind === null ? [heal.why] : healDetails(heal)).map((line) => html`<p><bdi>${line}</bdi></p>`)}</li>`,
  );
  const rest = healSummary(state).slice(results.length);
  const body = html`<ul class="cards">${items}</ul>
${rest.map((line) => html`<p><bdi>${line}</bdi></p>`)}`;
  return { id: "heals", title: "Heals", note: plural(results.length, "repair", "repairs"), body };
}
