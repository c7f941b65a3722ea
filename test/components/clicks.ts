import stringWidth from "string-width";
import type { Mounted } from "./mount.tsx";

export const ESC = "\u001b";
const LEFT = 0;
const WHEEL_UP = 64;
export const WHEEL_DOWN = 65;

/** What a terminal sends for a button in a cell, counted from 0. */
export const at = (column: number, row: number, button = LEFT): string => `${ESC}[<${button};${column + 1};${row + 1}M`;

/** A turn of the wheel somewhere in the middle. */
export const WHEEL = { up: at(30, 8, WHEEL_UP), down: at(30, 8, WHEEL_DOWN) } as const;

/** A click in the first cell of the first text on the screen that fits. */
export async function clickOn(m: Mounted, text: string | RegExp): Promise<string> {
  const lines = await m.stage.terminal.lines();
  const placeIn = (line: string): number => (typeof text === "string" ? line.indexOf(text) : (text.exec(line)?.index ?? -1));
  const row = lines.findIndex((line) => placeIn(line) >= 0);
  if (row < 0) throw new Error(`"${text}" is not on\n${lines.join("\n")}`);
  const line = lines[row] ?? "";
  return at(stringWidth(line.slice(0, placeIn(line))), row);
}
