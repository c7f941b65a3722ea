import stringWidth from "string-width";
import { expect } from "vitest";
import type { RunBuilder } from "../store/run-builder.ts";
import { type Mounted, mount } from "./mount.tsx";

/** The sizes of terminal at which views are looked at. */
export const SIZES = [
  [60, 15],
  [80, 24],
  [120, 30],
  [160, 50],
] as const;

/** Keys to press, each with a text that the screen then shows. */
export type Steps = readonly (readonly [keys: string, shows: string])[];

/** The screen of a run after these keys, as a person sees it; no line wider and no frame taller than the terminal. */
export async function shot(
  run: RunBuilder,
  [columns, rows]: readonly [number, number],
  steps: Steps,
  before?: (mounted: Mounted) => void | Promise<void>,
): Promise<string> {
  await using m = await mount(run, columns, rows);
  await before?.(m);
  for (const [keys, shows] of steps) await m.stage.press(keys, shows);
  return await checkedScreen(m, columns, rows);
}

/** What is on the screen now, checked in the same way. */
export async function checkedScreen(m: Pick<Mounted, "stage">, columns: number, rows: number): Promise<string> {
  const lines = await m.stage.terminal.lines();
  expect(lines).toHaveLength(rows);
  for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
  expect(m.stage.terminal.buffer()).toEqual({ type: "alternate", scrolled: 0 });
  return `${lines.join("\n")}\n`;
}
