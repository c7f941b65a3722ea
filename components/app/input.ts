import { useInput, usePaste, useStdin } from "ink";
import { useEffect, useEffectEvent, useState } from "react";
import type { DashboardStore } from "../../src/store/dashboard-store.ts";
import { MouseReader } from "../../src/store/keymap/mouse.ts";
import { type Hands, paste, point, press } from "../../src/store/keymap/press.ts";
import { pressesOf } from "../../src/store/keymap/press-names.ts";
import type { TerminalSize } from "../kit/geometry.ts";
import { targetAt } from "./screen-map.ts";

/** Keys, pastes and the mouse, from the terminal to what they do. */
export function useHands(store: DashboardStore, hands: Hands, size: TerminalSize): void {
  const [reader] = useState(() => new MouseReader());
  useInput((input, key) => press(store, pressesOf(reader.typed(input), key), hands));
  usePaste((text) => paste(store, text));
  useMouse({ store, hands, size, reader });
}

/** The mouse. Whoever draws the app has the terminal report it. */
function useMouse(options: {
  readonly store: DashboardStore;
  readonly hands: Hands;
  readonly size: TerminalSize;
  readonly reader: MouseReader;
}): void {
  const { stdin } = useStdin();
  const onData = useEffectEvent((data: unknown) => {
    const { store, hands, size, reader } = options;
    for (const mouse of reader.push(String(data))) {
      const isOnScreen = mouse.column < size.columns && mouse.row < size.rows;
      if (isOnScreen) point(store, mouse, () => targetAt(store.getState(), size, mouse), hands);
    }
  });
  useEffect(() => {
    const read = (data: unknown): void => onData(data);
    // Ink takes what has come by `read`, which tells listeners of data as well: they get the same, before Ink looks at it, and nothing
    // is taken from Ink.
    stdin.on("data", read);
    return () => void stdin.off("data", read);
  }, [stdin]);
}
