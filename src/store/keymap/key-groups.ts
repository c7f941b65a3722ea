import type { Binding, Keymap } from "../dashboard-state.ts";
import { VIEWS } from "../views/view-name.ts";
import type { Mode } from "./binding.ts";
import { FIELD_KEYS } from "./effects.ts";
import { BACK_KEYS, GLOBAL_KEYS } from "./global-keys.ts";
import { REPLAY_KEYS } from "./replay-keys.ts";
import { RUN_KEYS } from "./run-keys.ts";

/** Related bindings under a title for people. */
export interface KeyGroup {
  readonly title: string;
  readonly bindings: readonly Binding[];
}

const bindingNames = (bindings: readonly Binding[]): ReadonlySet<string> => new Set(bindings.map(({ name }) => name));

const REPLAY = bindingNames(REPLAY_KEYS);
const RUN = bindingNames(RUN_KEYS);
const EVERYWHERE = bindingNames([...BACK_KEYS, ...GLOBAL_KEYS]);
const COMMON = [REPLAY, RUN, EVERYWHERE];
const FIELD = bindingNames(FIELD_KEYS);
const PLACES: readonly Mode[] = [...VIEWS, "summary"];

/**
 * All keys in groups, without those that their own dialog shows. First come those of the view in front, then those that move a
 * replay (if one is shown), those that change the run, those of every view, those of the other views, and those of fields. Views
 * with the same keys share a group.
 */
export function keyGroups(keymap: Keymap, front: Mode): readonly KeyGroup[] {
  const own = (mode: Mode) => keymap[mode].filter(({ name }) => !COMMON.some((names) => names.has(name)));
  const common = (names: ReadonlySet<string>) => {
    const all = PLACES.flatMap((mode) => keymap[mode]).filter(({ name }) => names.has(name));
    return all.filter((binding, i) => all.findIndex(({ name }) => name === binding.name) === i);
  };
  const others = new Map<string, { titles: string[]; bindings: readonly Binding[] }>();
  for (const mode of PLACES.filter((place) => place !== front)) {
    const bindings = own(mode);
    const key = JSON.stringify(bindings.map(({ keys, help }) => [keys, help]));
    const group = others.get(key) ?? { titles: [], bindings };
    others.set(key, { ...group, titles: [...group.titles, mode] });
  }
  return [
    { title: front, bindings: own(front) },
    { title: "the replay", bindings: common(REPLAY) },
    { title: "the run", bindings: common(RUN) },
    { title: "every view", bindings: common(EVERYWHERE) },
    ...[...others.values()].map(({ titles, bindings }) => ({ title: titles.join(", "), bindings })),
    { title: "where text is written", bindings: keymap.gate.filter(({ name }) => FIELD.has(name)) },
  ].filter(({ bindings }) => bindings.length > 0);
}
