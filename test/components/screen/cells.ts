import type xterm from "@xterm/headless";
import { cellLink } from "./cell-link.ts";

/** Every cell of a screen with its look and its link, as a terminal shows them: of a blank, only what shows on it. */
export async function cellsOf(screen: InstanceType<typeof xterm.Terminal>): Promise<readonly string[]> {
  await new Promise<void>((done) => screen.write("", done));
  const cells: string[] = [];
  for (let y = 0; y < screen.rows; y++) {
    for (let x = 0; x < screen.cols; x++) {
      const cell = screen.buffer.active.getLine(screen.buffer.active.baseY + y)?.getCell(x);
      if (cell === undefined) throw new Error("no cell");
      const char = cell.getChars() || " ";
      const marks = [cell.isInverse(), cell.isUnderline(), cell.isStrikethrough(), cell.getBgColorMode(), cell.getBgColor()];
      const ink = [cell.isBold(), cell.isDim(), cell.isItalic(), cell.getFgColorMode(), cell.getFgColor()];
      cells.push([char, cellLink(screen, cell), ...marks, ...(char === " " && cell.isInverse() === 0 ? [] : ink)].join());
    }
  }
  return cells;
}
