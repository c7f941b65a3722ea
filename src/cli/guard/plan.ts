import {
  denyRulesIn,
  isInstalled,
  type JsonVendor,
  SettingsProblem,
  type SettingsState,
  stateOf,
  withGuard,
  withoutGuard,
} from "../../domain/guard/install/edit-settings.ts";
import { type InstalledHook, pluginCallsGuard, pluginText, readOwnPlugin } from "../../domain/guard/install/own-hook.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { HookPlace } from "./places.ts";
import { backupTexts, readSettings, type SettingsFile } from "./settings-file.ts";

/** A change of one file that is to be made. */
export interface Plan {
  readonly place: HookPlace;
  readonly settings: SettingsFile;
  /** The text that it is to have; undefined: no file. The text that it has if nothing is to be done. */
  readonly after: string | undefined;
  readonly state: SettingsState;
}

/** The guard in a file: settings or a plugin. */
export function stateIn({ vendor }: HookPlace, { file, text }: SettingsFile): SettingsState {
  if (text === undefined) return { own: [], changed: 0 };
  if (vendor !== "opencode") return told(file, () => stateOf(vendor, text));
  const own = readOwnPlugin(text);
  return { own: own === undefined ? [] : [own], changed: own === undefined && pluginCallsGuard(text) ? 1 : 0 };
}

/**
 * The content of a file with the guard. One of another version is taken out first, so that uninstalling gives what was there before both. A
 * plugin of somebody else at the same place stays as it is.
 */
export function planInstall(place: HookPlace, hook: InstalledHook, adds: { readonly denyRules: boolean }): Plan {
  const { vendor } = place;
  const settings = readSettings(place.file, place.within);
  const state = stateIn(place, settings);
  if (vendor === "opencode") {
    const isFree = settings.text === undefined || state.own.length > 0;
    return { place, settings, state, after: isFree ? pluginText(hook) : settings.text };
  }
  const { text = "" } = settings;
  const before = (): string =>
    state.own.length === 0 || isInstalled(vendor, state, hook) ? text : (textBefore(vendor, settings.target, text, state) ?? "");
  return { place, settings, state, after: told(place.file, () => withGuard(vendor, before(), hook, adds)) };
}

/**
 * The content of a file without the guard. If nothing but the guard was added since a backup was made, it becomes that text, and a file
 * that holds nothing else is removed.
 */
export function planUninstall(place: HookPlace): Plan {
  const settings = readSettings(place.file, place.within);
  const state = stateIn(place, settings);
  const plan = { place, settings, state };
  const { text } = settings;
  if (text === undefined) return { ...plan, after: undefined };
  if (place.vendor === "opencode") return { ...plan, after: state.own.length > 0 ? undefined : text };
  return { ...plan, after: told(place.file, () => textBefore(place.vendor as JsonVendor, settings.target, text, state)) };
}

function textBefore(vendor: JsonVendor, target: string, text: string, { own: [hook] }: SettingsState): string | undefined {
  const backups = backupTexts(target).filter((backup) => isReadable(vendor, backup));
  const original = hook && backups.find((backup) => isUntouched(vendor, backup) && isWithGuard(vendor, backup, hook, text));
  if (original !== undefined) return original;
  // A backup of the guard's own file alone is no text of a person.
  const untouched = backups.filter((backup) => isUntouched(vendor, backup));
  if (hook !== undefined && untouched.length === 0 && isWithGuard(vendor, "", hook, text)) return undefined;
  return withoutGuard(vendor, text, untouched.flatMap(denyRulesIn));
}

/** True if a text became another by an installation, with or without deny rules. */
function isWithGuard(vendor: JsonVendor, before: string, hook: InstalledHook, after: string): boolean {
  return [true, false].some((denyRules) => withGuard(vendor, before, hook, { denyRules }) === after);
}

function isUntouched(vendor: JsonVendor, text: string): boolean {
  return stateOf(vendor, text).own.length === 0;
}

function isReadable(vendor: JsonVendor, text: string): boolean {
  try {
    stateOf(vendor, text);
    return true;
  } catch (error) {
    if (error instanceof SettingsProblem) return false;
    throw error;
  }
}

function told<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    throw new UserError({
      what: `${plainText(file, 300)} cannot be used`,
      why: error.message,
      todo: "Nothing was written, for no agent. Correct the file, which its program may ignore as it is, or name the other agents with --agent.",
      exitCode: EXIT.notDone,
      cause: error,
    });
  }
}
