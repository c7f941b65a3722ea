import { useInput, usePaste, useStdin } from "ink";
import { useEffect, useEffectEvent, useRef } from "react";
import type { DashboardStore } from "../../src/store/dashboard-store.ts";
import { MouseReader, withoutHalves } from "../../src/store/keymap/mouse.ts";
import { type Hands, paste, point, press } from "../../src/store/keymap/press.ts";
import { pressesOf } from "../../src/store/keymap/press-names.ts";
import { targetAt } from "../screen-map.ts";

/** Keys, pastes and the mouse, from the terminal to what they do. */
export function useHands(store: DashboardStore, hands: Hands, size: { readonly columns: number; readonly rows: number }): void {
  const held = useRef("");
  useInput((input, key) => {
    const typed = withoutHalves(held.current, input);
    held.current = typed.held;
    press(store, pressesOf(typed.text, key), hands);
  });
  usePaste((text) => paste(store, text));
  useMouse(store, hands, size);
}

/** The mouse. Whoever draws the app has the terminal report it. */
function useMouse(store: DashboardStore, hands: Hands, size: { readonly columns: number; readonly rows: number }): void {
  const { stdin } = useStdin();
  const onData = useEffectEvent((reader: MouseReader, data: unknown) => {
    for (const mouse of reader.push(String(data))) point(store, mouse, () => targetAt(store.getState(), size, mouse), hands);
  });
  useEffect(() => {
    const reader = new MouseReader();
    const read = (data: unknown): void => onData(reader, data);
    // Ink takes what has come by `read`, which tells listeners of data as well: they get the same, and nothing is taken from Ink.
    stdin.on("data", read);
    return () => void stdin.off("data", read);
  }, [stdin]);
}
