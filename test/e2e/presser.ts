import { expect } from "vitest";
import type { Keymap } from "../../src/store/dashboard-state.ts";
import type { Mode } from "../../src/store/keymap/binding.ts";
import { KEYMAP } from "../../src/store/keymap/keymap.ts";
import type { Pty, Sight } from "./pty.ts";

const ESC = "\u001b";
/** What a terminal sends for a key that is no character. */
const BYTES: Readonly<Record<string, string>> = {
  up: `${ESC}[A`,
  down: `${ESC}[B`,
  right: `${ESC}[C`,
  left: `${ESC}[D`,
  home: `${ESC}[H`,
  end: `${ESC}[F`,
  pageup: `${ESC}[5~`,
  pagedown: `${ESC}[6~`,
  delete: `${ESC}[3~`,
  "shift-tab": `${ESC}[Z`,
  enter: "\r",
  escape: ESC,
  tab: "\t",
  backspace: "\u007f",
};

function bytesOf(key: string): string {
  const ctrl = /^ctrl-(.)$/.exec(key)?.[1];
  return ctrl === undefined ? (BYTES[key] ?? key) : String.fromCharCode(ctrl.charCodeAt(0) - 96);
}

const without = (text: string) => (screen: string) => !screen.includes(text);

/** What ends the dashboard, or has tests of its own. */
const ELSEWHERE: ReadonlySet<string> = new Set(["leave", "quit", "suspend"]);
/** What leads to another view, another run or a field, and so comes after all other keys of its view. */
const LAST = ["open", "show-run", "search"];
const rank = (name: string): number => LAST.indexOf(name);

/** Presses keys, keeps which, and waits for what each is to do. */
export class Presser {
  readonly #pressed = new Set<string>();

  readonly pty: Pty;

  constructor(pty: Pty) {
    this.pty = pty;
  }

  async press(name: string, key: string, sight: Sight): Promise<void> {
    this.#pressed.add(`${name} ${key}`);
    await this.pty.press(bytesOf(key), sight);
  }

  /** All keys of one binding. */
  async all(name: string, sight: Sight, before: () => Promise<unknown> = async () => undefined): Promise<void> {
    for (const key of keysOf(name)) {
      await before();
      await this.press(name, key, sight);
    }
  }

  /**
   * Presses at once all keys of a view that were not pressed yet; what each does there the view's own tests see. The dashboard goes
   * on: its frame is whole, and it answers the next key. What leads elsewhere comes last.
   */
  async survives(bindings: Keymap[Mode]): Promise<void> {
    const left = bindings
      .filter(({ name }) => !ELSEWHERE.has(name))
      .flatMap(({ name, keys }) => keys.map((key) => ({ name, key })));
    const burst = left.filter(({ name, key }) => !this.has(name, key)).toSorted((x, y) => rank(x.name) - rank(y.name));
    for (const { name, key } of burst) this.#pressed.add(`${name} ${key}`);
    this.pty.type(burst.map(({ key }) => bytesOf(key)).join(""));
    // A field that is open takes the first for text, and is left by Escape.
    if (burst.some(({ name }) => name === "search"))
      await this.pty.press(ESC, (screen) => !/^ \//.test(screen.split("\n").at(-1) ?? ""));
    await this.pty.press("?", "─ Keys ─");
    await this.pty.press(ESC, without("─ Keys ─"));
    expect(this.pty.isWhole()).toBe(true);
  }

  has(name: string, key: string): boolean {
    return this.#pressed.has(`${name} ${key}`);
  }
}

/** All keys of a binding, wherever it holds. */
export function keysOf(name: string): readonly string[] {
  const keys = Object.values(KEYMAP).flatMap((bindings) => bindings.filter((b) => b.name === name).flatMap((b) => b.keys));
  if (keys.length === 0) throw new Error(`no binding is called ${name}`);
  return [...new Set(keys)];
}
