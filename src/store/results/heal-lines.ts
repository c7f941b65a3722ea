import { evidenceLine, type HealResult, listHealResults, waitingHeals } from "../../domain/results/heal-results.ts";
import type { RunState } from "../../domain/run/state.ts";
import { plural } from "../../domain/values/text.ts";
import { STYLES } from "../labels/tone.ts";

/** A heal's diagnosis and what has become of it, line by line. Empty if it left no answer. */
export function healDetails(heal: HealResult): readonly string[] {
  const { kind, rootCause, prediction, change } = heal;
  if (kind === null) return [];
  return [
    `${kind}: ${rootCause}`,
    `${kind === "gap" ? "change" : "instead"}: ${change}`,
    `${kind === "gap" ? "predicted to move" : "said to stop"}: ${prediction.join(", ")}`,
    ...heal.evidence.map((one) => `evidence: ${evidenceLine(one)}`),
    ...(heal.outcome === "accepted" || heal.outcome === "reverted" ? [`moved: ${movedText(heal)}`, keptText(heal)] : []),
  ];
}

/** `T-1, T-2 of 3 stalled tickets`. */
function movedText({ moved, stalled }: Pick<HealResult, "moved" | "stalled">): string {
  const total = plural(stalled.length, "stalled ticket");
  return moved.length === 0 ? `none of ${total}` : `${moved.join(", ")} of ${total}`;
}

/** Whether it is kept for later runs, with the reason. */
function keptText({ kept, why }: Pick<HealResult, "kept" | "why">): string {
  return kept === "waiting" ? `waits for you: ${why}` : `${kept === "yes" ? "kept" : "not kept"}: ${why}`;
}

/** One line per heal. */
function healRows(run: Pick<RunState, "heals" | "batch">): readonly string[] {
  return listHealResults(run).map((heal) => {
    const said = heal.kind === null ? heal.outcome : `${heal.kind}, ${heal.outcome}`;
    const cause = heal.rootCause === null ? heal.why : heal.rootCause;
    const rest = heal.outcome === "accepted" ? ` · moved ${movedText(heal)} · ${keptText(heal)}` : "";
    const shown = heal.evidence.map((one) => ` · evidence: ${evidenceLine(one)}`).join("");
    return `heal ${heal.n} (${said}): ${cause}${shown}${rest}`;
  });
}

/** The version of the harness in use by repository, once heals have changed it: `app 2`. */
function versionsText({ heals }: Pick<RunState, "heals">): string {
  return Object.entries(heals.versions)
    .map(([repo, n]) => `${repo} has that of heal ${n}`)
    .join(", ");
}

/** The results of heals, the harness in use, and the heals that wait for a person: for the ledger, the summary and the page. */
export function healSummary(run: Pick<RunState, "heals" | "batch" | "end">): readonly string[] {
  const versions = versionsText(run);
  const call = keepCall(run);
  return [
    ...healRows(run),
    ...(versions === "" ? [] : [`harness in use: ${versions}`]),
    ...(call === undefined ? [] : [`${STYLES.needsYou.glyph} ${call}`]),
  ];
}

/** The call for a person's decision on heals; undefined if none waits. */
function keepCall(run: Pick<RunState, "heals" | "end">): string | undefined {
  const { end } = run;
  const waiting = waitingHeals(run);
  if (waiting === 0) return undefined;
  const waits =
    end === undefined ? plural(waiting, "change waits", "changes wait") : `${plural(waiting, "change")} waited at the end`;
  return `${waits} for you: loopdash harness log, loopdash harness keep`;
}
