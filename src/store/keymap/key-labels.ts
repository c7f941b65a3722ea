import type { Binding, DashboardState } from "../dashboard-state.ts";
import type { Mode } from "./binding.ts";

const SHOWN: Readonly<Record<string, string>> = {
  escape: "esc",
  pageup: "PgUp",
  pagedown: "PgDn",
  " ": "space",
  left: "←",
  right: "→",
};

/** A key as people read it: `x`, `enter`, `PgUp`, `Ctrl-C`. */
export function keyLabel(key: string): string {
  const ctrl = /^ctrl-(.)$/.exec(key)?.[1];
  return ctrl === undefined ? (SHOWN[key] ?? key) : `Ctrl-${ctrl.toUpperCase()}`;
}

/** The first key of a binding as the footer names it, with that of its pair: `j/k`. Empty if it has none. */
export function keyLabels(binding: Binding, among: readonly Binding[]): string {
  const pair = among.find(({ name }) => name === binding.pair)?.keys[0];
  return [binding.keys[0], pair].flatMap((key) => (key === undefined ? [] : [keyLabel(key)])).join("/");
}

/** All keys of a binding: `j down`. */
export function allKeyLabels({ keys }: Pick<Binding, "keys">): string {
  return keys.map(keyLabel).join(" ");
}

/** The key of a binding in a mode, as a hint names it: `j/k`. Empty if it has none. */
export function keyIn({ keymap }: Pick<DashboardState, "keymap">, mode: Mode, name: string): string {
  const binding = keymap[mode].find((b) => b.name === name);
  return binding === undefined ? "" : keyLabels(binding, keymap[mode]);
}

/** The key of a binding of the overview, as a hint names it: `j/k`. */
export function overviewKey(state: Pick<DashboardState, "keymap">, name: string): string {
  return keyIn(state, "overview", name);
}
