/** A line that one of two texts has and the other has not. */
export interface ChangedLine {
  readonly sign: "+" | "-";
  readonly text: string;
}

/** Products of line counts up to which the shortest difference is looked for; above, every line counts as changed. */
const MOST = 16_000_000;

/**
 * The lines that differ, in order, without any that both have. A comma at the end of a line makes no difference: in JSON, the line
 * above a new one gets one.
 */
export function lineDiff(before: string, after: string): readonly ChangedLine[] {
  const [old, now] = [splitLines(before), splitLines(after)];
  const isSame = (i: number, j: number): boolean => old[i]?.replace(/,$/, "") === now[j]?.replace(/,$/, "");
  const width = now.length + 1;
  const shared = commonLengths(old.length, now.length, isSame);
  const lengthAt = (i: number, j: number): number => shared?.[i * width + j] ?? 0;
  const lines: ChangedLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (shared !== undefined && i < old.length && j < now.length && isSame(i, j)) {
      i += 1;
      j += 1;
    } else if (j === now.length || (i < old.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      lines.push({ sign: "-", text: old[i] ?? "" });
      i += 1;
    } else {
      lines.push({ sign: "+", text: now[j] ?? "" });
      j += 1;
    }
  }
  return lines;
}

function splitLines(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}

/** The lengths of the longest common subsequences of what follows each pair of lines; undefined if there are too many. */
function commonLengths(rows: number, columns: number, isSame: (i: number, j: number) => boolean): Uint32Array | undefined {
  if (rows * columns > MOST) return undefined;
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const [below, right, across] = [lengths[(i + 1) * width + j], lengths[i * width + j + 1], lengths[(i + 1) * width + j + 1]];
      lengths[i * width + j] = isSame(i, j) ? (across ?? 0) + 1 : Math.max(below ?? 0, right ?? 0);
    }
  }
  return lengths;
}
