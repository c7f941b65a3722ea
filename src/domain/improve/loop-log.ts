import { firstFew, plainText } from "../values/text.ts";
import type { Iteration } from "./loop-state.ts";

const HEAD = ["| Time | Finding | Severity | Change | Verified by | Result | Commit |", "|---|---|---|---|---|---|---|"];

/**
 * The improvement log as Markdown. The column of findings quotes agents; the result and the commit are the engine's own: words of a finder
 * that has found nothing stand among the findings.
 */
export function renderLog(name: string, iterations: readonly Iteration[]): string {
  const rows = iterations.filter(({ result }) => result !== undefined).map(renderRow);
  return [`# Improvements: ${name}`, "", "loopdash writes this file.", "", ...HEAD, ...rows, ""].join("\n");
}

/** The newest rows, for a finder's prompt. */
export function renderRecent(iterations: readonly Iteration[], most = 100): string {
  return firstFew(
    iterations
      .filter(({ result }) => result !== undefined)
      .toReversed()
      .map(renderRow),
    most,
  ).join("\n");
}

function renderRow({ at, attempts, commit, finding, path, result, why = "" }: Iteration): string {
  const time = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const isNothing = result === "nothing";
  const found = isNothing ? `none: ${why}` : "";
  const place = finding === undefined ? found : `${finding.file}:${finding.line} ${finding.title} (${finding.kind})`;
  const isHeld = result === "held";
  const cells = [
    time,
    place,
    finding?.severity ?? "",
    isHeld ? (attempts === undefined ? "mended" : `mended in attempt ${attempts}`) : "",
    isHeld ? `${path} fails before, passes after; a shown attack and the smoke commands ran` : "",
    why === "" || isNothing ? (result ?? "") : `${result}: ${why}`,
    commit?.slice(0, 12) ?? (isHeld ? "this one" : ""),
  ];
  return `| ${cells.map(cell).join(" | ")} |`;
}

/** Text of agents as a cell: one line without anything that Markdown reads. */
function cell(text: string): string {
  return plainText(text, 300).replaceAll(/[\\|`*_<>[\]]/g, (mark) => `\\${mark}`);
}
