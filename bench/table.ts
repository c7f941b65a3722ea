import type { Figure } from "./figure.ts";

const HEAD = ["", "item", "figure", "value", "floor", "ratio", "bound", "note"] as const;

/** The figures as a table of plain text, one row each. */
export function toTable(figures: readonly Figure[]): string {
  const rows = [HEAD, ...figures.map(toRow)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function toRow(figure: Figure): readonly string[] {
  const { bound, floor, ratio, unit } = figure;
  const mark = bound === undefined ? "info" : figure.pass ? "ok" : "OVER";
  const limit = bound === undefined ? "" : bound.on === "ratio" ? `≤ ${bound.max} ×` : `≤ ${number(bound.max)} ${unit}`;
  return [
    mark,
    figure.item,
    figure.what,
    `${number(figure.value)} ${unit}`,
    floor === undefined ? "" : `${number(floor.value)} (${floor.what})`,
    ratio === undefined ? "" : `${ratio.toFixed(2)} ×`,
    limit,
    figure.note ?? "",
  ];
}

/** Three significant digits, never in powers of ten. */
function number(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return String(Number(value.toPrecision(3)));
}
