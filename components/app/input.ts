import { useInput, usePaste, useStdin } from "ink";
import { useEffect, useEffectEvent, useState } from "react";
import type { DashboardStore } from "../../src/store/dashboard-store.ts";
import type { TerminalActions } from "../../src/store/keymap/binding.ts";
import { InputTokenizer, type TerminalInput } from "../../src/store/keymap/input-tokenizer.ts";
import { KeyGate } from "../../src/store/keymap/key-gate.ts";
import { paste } from "../../src/store/keymap/keymap.ts";
import { point } from "../../src/store/keymap/mouse.ts";
import type { TerminalSize } from "../kit/window.ts";
import { targetAt } from "./screen-map.ts";

const ignore = (): void => undefined;

/**
 * Passes keys, pastes and the mouse from the terminal to their effects. The creator of the app has the terminal report the mouse.
 */
export function useTerminalInput(store: DashboardStore, terminal: TerminalActions, size: TerminalSize): void {
  const { stdin } = useStdin();
  const terminalNow = useEffectEvent(() => terminal);
  const [gate] = useState(() => new KeyGate(store, () => terminalNow()));
  const perform = useEffectEvent((inputs: readonly TerminalInput[]) => {
    for (const input of inputs) {
      if ("keys" in input) gate.take(input.keys);
      else if ("paste" in input) paste(store, input.paste);
      else if (input.mouse.column < size.columns && input.mouse.row < size.rows)
        point(store, input.mouse, () => targetAt(store.getState(), size, input.mouse), terminal);
    }
  });
  useEffect(() => gate.watch(), [gate]);
  // Ink switches the terminal's modes for these two. Its own reading waits only 20 ms for the rest of a sequence.
  useInput(ignore);
  usePaste(ignore);
  useEffect(() => {
    const tokenizer = new InputTokenizer();
    let timer: NodeJS.Timeout | undefined;
    const expire = (): void => {
      perform(tokenizer.expire(performance.now()));
      wait();
    };
    const wait = (): void => {
      clearTimeout(timer);
      const { due } = tokenizer;
      // After a busy moment, input that has already arrived is read first.
      if (due !== undefined) timer = setTimeout(() => setImmediate(expire), Math.max(0, due - performance.now()));
    };
    const read = (data: unknown): void => {
      perform(tokenizer.push(String(data), performance.now()));
      wait();
    };
    // Ink takes input by `read`, which also emits `data`: listeners get the same input and take nothing from Ink.
    stdin.on("data", read);
    return () => {
      clearTimeout(timer);
      stdin.off("data", read);
    };
  }, [stdin]);
}
