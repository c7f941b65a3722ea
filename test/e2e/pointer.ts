import stringWidth from "string-width";
import { expect } from "vitest";
import type { Pty, Sight } from "./pty.ts";

const ESC = "\u001b";
const BUTTON = { left: 0, "wheel-up": 64, "wheel-down": 65 } as const;

/** Where something stands on the screen: column and row from 0. */
interface Place {
  readonly column: number;
  readonly row: number;
}

/** What a terminal sends where a button goes down in a cell, or a wheel turns (SGR, mode 1006). */
export function pressAt({ column, row }: Place, button: keyof typeof BUTTON = "left"): string {
  return `${ESC}[<${BUTTON[button]};${column + 1};${row + 1}M`;
}

/** The same, and that the button is let go; a wheel never is. */
export function report(place: Place, button: keyof typeof BUTTON = "left"): string {
  const press = pressAt(place, button);
  return button === "left" ? press + press.replace("M", "m") : press;
}

/** Clicks all over the rows, in every 24th column of a wide screen. */
export function grid({ from, to }: { readonly from: number; readonly to: number }): string {
  const rows = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return rows.flatMap((row) => [0, 24, 48, 72, 96].map((column) => report({ column, row }))).join("");
}

/** A mouse over a real terminal. Whatever it points at is looked for on the screen. */
export class Pointer {
  readonly pty: Pty;

  constructor(pty: Pty) {
    this.pty = pty;
  }

  /** Every place where a text stands, from the top. */
  places(text: string | RegExp): readonly Place[] {
    const pattern = new RegExp(typeof text === "string" ? text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&") : text, "g");
    return this.pty
      .lines()
      .flatMap((line, row) =>
        [...line.matchAll(pattern)].map(({ index }) => ({ row, column: stringWidth(line.slice(0, index)) })),
      );
  }

  /** The first of them; fails where there is none. */
  place(text: string | RegExp): Place {
    const [first] = this.places(text);
    expect(first, `${text} on\n${this.pty.text()}`).toBeDefined();
    return first as Place;
  }

  /** Clicks on the first cell of a text, or of a place, and waits for what follows. */
  click(on: string | RegExp | Place, sight: Sight): Promise<string> {
    const place = typeof on === "string" || on instanceof RegExp ? this.place(on) : on;
    return this.pty.press(report(place), sight);
  }

  /** Turns the wheel by one notch in the middle of the screen. */
  turn(way: "down" | "up", sight: Sight): Promise<string> {
    const lines = this.pty.lines();
    return this.pty.press(report({ column: 30, row: Math.floor(lines.length / 2) }, `wheel-${way}`), sight);
  }

  /** Sends what changes nothing, and asserts that: the keys after it are answered, and the screen is as it was. */
  async changesNothing(input: string): Promise<void> {
    const before = this.pty.text();
    this.pty.type(input);
    await this.pty.press("?", "─ Keys ─");
    await this.pty.press(ESC, (screen) => !screen.includes("─ Keys ─"));
    expect(withoutBlanks(this.pty.text())).toBe(withoutBlanks(before));
  }
}

/** Blank cells at the end of a line may have been written, or never. */
const withoutBlanks = (screen: string): string => screen.replaceAll(/ +$/gm, "");
