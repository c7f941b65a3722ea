import { displayValue, hintFor } from "@loopdash/values";
import type { NoteProblem, Path } from "../../domain/batch/problem.ts";
import type { Binding, Keymap } from "../dashboard-state.ts";
import { KEY_NAMES, type Mode } from "./binding.ts";
import { isTextMode } from "./keymap.ts";

/** A person's bindings: names, each with all its new keys. */
export type KeyFile = Readonly<Record<string, readonly string[]>>;

/** A problem that prevents the bindings. `path` is its position in the file. */
export interface KeyProblem {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
}

/** Without these a person could not exit. */
const WAYS_OUT: ReadonlySet<string> = new Set(["leave", "quit"]);

/** Names for keys that are hard to see in a file. */
const ALIASES: Readonly<Record<string, string>> = { space: " " };

/**
 * The keymap with a person's keys, or all problems with them: an unknown binding or key, two meanings of one key in one mode, no
 * way out, a character in a mode in which characters are text.
 */
export function rebind(
  keymap: Keymap,
  file: KeyFile,
): { readonly ok: true; readonly keymap: Keymap } | { readonly ok: false; readonly problems: readonly KeyProblem[] } {
  const problems: KeyProblem[] = [];
  const report: NoteProblem = (path, message, hint) =>
    problems.push(hint === undefined ? { path, message } : { path, message, hint });
  const wanted = new Map(Object.entries(file).map(([name, keys]) => [name, keys.map((key) => ALIASES[key] ?? key)]));
  const modes = bindingModes(keymap);
  for (const [name, keys] of wanted) checkBinding({ name, keys, modes: modes.get(name) ?? [] }, [...modes.keys()], report);
  const bound = Object.fromEntries(
    Object.entries(keymap).map(([mode, bindings]) => [mode, bindings.map((b) => ({ ...b, keys: wanted.get(b.name) ?? b.keys }))]),
  ) as unknown as Keymap;
  if (problems.length === 0) for (const mode of modeNames(keymap)) checkClashes(mode, heldIn(bound, mode), wanted, report);
  return problems.length === 0 ? { ok: true, keymap: bound } : { ok: false, problems: once(problems) };
}

function modeNames(keymap: Keymap): readonly Mode[] {
  return Object.keys(keymap) as Mode[];
}

/** The modes of each binding, by name. */
function bindingModes(keymap: Keymap): ReadonlyMap<string, readonly Mode[]> {
  const modes = new Map<string, Mode[]>();
  for (const mode of modeNames(keymap)) for (const { name } of keymap[mode]) modes.set(name, [...(modes.get(name) ?? []), mode]);
  return modes;
}

interface Wanted {
  readonly name: string;
  readonly keys: readonly string[];
  readonly modes: readonly Mode[];
}

/** Checks one line of the file by itself. */
function checkBinding({ name, keys, modes }: Wanted, names: readonly string[], report: NoteProblem): void {
  if (modes.length === 0) return report([name], "there is no such binding", hintFor(name, names, "bindings"));
  if (keys.length === 0 && WAYS_OUT.has(name)) report([name], "must keep a key", "without it nobody could leave");
  const text = modes.find(isTextMode);
  keys.forEach((key, i) => {
    if (!isKey(key)) report([name, i], `there is no key ${displayValue(key)}`, hintFor(key, KEY_NAMES, "a character, or one of"));
    else if (text !== undefined && !isNamed(key))
      report([name, i], `${displayValue(key)} is text where ${name} is needed (${text})`, "bind it to a key that writes nothing");
    else if (keys.indexOf(key) < i) report([name, i], `${displayValue(key)} is given twice`);
  });
}

function isNamed(key: string): boolean {
  return (KEY_NAMES as readonly string[]).includes(key);
}

/** True for a key's name, one visible character, or a space. */
function isKey(key: string): boolean {
  return isNamed(key) || /^[^\p{C}\p{Z}\p{M}]$/u.test(key) || key === " ";
}

/** The bindings that apply together. The keys of a replay come before all others, and must not replace the ways out. */
function heldIn(keymap: Keymap, mode: Mode): readonly Binding[] {
  return mode === "replay" ? [...keymap.replay, ...keymap.overview.filter(({ name }) => WAYS_OUT.has(name))] : keymap[mode];
}

/** Finds two bindings for one key, at least one of them a person's. */
function checkClashes(
  mode: Mode,
  bindings: readonly Binding[],
  wanted: ReadonlyMap<string, readonly string[]>,
  report: NoteProblem,
): void {
  const first = new Map<string, string>();
  const taken = bindings.flatMap(({ name, keys }) => keys.map((key) => ({ name, key })));
  for (const { name, key } of taken) {
    const other = first.get(key) ?? name;
    first.set(key, other);
    if (other === name || !(wanted.has(name) || wanted.has(other))) continue;
    const [mine, theirs] = wanted.has(name) ? [name, other] : [other, name];
    report(
      [mine, wanted.get(mine)?.indexOf(key) ?? 0],
      `${displayValue(key)} means ${theirs} already (${mode})`,
      `bind ${theirs} elsewhere`,
    );
  }
}

/** Reports a problem of many modes once. */
function once(problems: readonly KeyProblem[]): readonly KeyProblem[] {
  const said = new Set<string>();
  return problems.filter(({ path, hint }) => {
    const key = JSON.stringify([path, hint]);
    return !said.has(key) && said.add(key);
  });
}
