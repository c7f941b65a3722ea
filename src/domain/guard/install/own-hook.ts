import type { VendorKind } from "../../batch/vendors.ts";
import { isObject } from "../../values/json-object.ts";
import { EVENT_NAMES } from "../hooks/hook-event.ts";
import { type HookGroup, hookSettings } from "../hooks/hook-settings.ts";

/** What an installed hook runs. */
export interface InstalledHook {
  /** The words that start loopdash, by absolute paths: those of the guard server's client, if there is one, then Node and the program. */
  readonly program: readonly string[];
  /** More options of `loopdash hook`. */
  readonly options: readonly string[];
}

type JsonVendor = Exclude<VendorKind, "opencode">;

/** The name of the event in the vendor's settings. */
export function eventName(vendor: JsonVendor): string {
  return EVENT_NAMES[vendor]["before-tool"] ?? "";
}

/** The group of hooks that is added to a vendor's settings. */
export function hookGroup(vendor: JsonVendor, { program, options }: InstalledHook): HookGroup {
  const settings = hookSettings(vendor, program, { events: ["before-tool"], options });
  const [group] = settings.form === "json" ? (settings.hooks[eventName(vendor)] ?? []) : [];
  if (group === undefined) throw new Error(`there are no settings for ${vendor}`);
  return group;
}

/** The text of opencode's plugin. */
export function pluginText({ program, options }: InstalledHook): string {
  const settings = hookSettings("opencode", program, { events: ["before-tool"], options });
  return settings.form === "plugin" ? settings.text : "";
}

/**
 * What an entry of the settings runs, if it is exactly one that loopdash adds: with any program and options, and nothing else
 * changed. So it needs no mark of its own. Undefined for all others.
 */
export function readOwnGroup(vendor: JsonVendor, group: unknown): InstalledHook | undefined {
  for (const command of commandsIn(group)) {
    const words = shellWords(command);
    const start = words?.indexOf("loopdash-guard") ?? -1;
    const hook = start === -1 ? undefined : hookIn(vendor, words?.slice(start + 1) ?? []);
    if (hook !== undefined && isSame(hookGroup(vendor, hook), group)) return hook;
  }
  return undefined;
}

/** The same for the text of a plugin. */
export function readOwnPlugin(text: string): InstalledHook | undefined {
  const [, commands = ""] = /^const COMMANDS = (\{[\s\S]*?\n\});$/m.exec(text) ?? [];
  try {
    const value: unknown = JSON.parse(commands);
    const words: unknown = isObject(value) ? value["before-tool"] : undefined;
    const hook = Array.isArray(words) && words.every((word) => typeof word === "string") ? hookIn("opencode", words) : undefined;
    return hook !== undefined && pluginText(hook) === text ? hook : undefined;
  } catch {
    // No list of commands as we write it.
    return undefined;
  }
}

/** True if an entry calls the guard, whether or not it is as loopdash adds it. */
export function callsGuard(group: unknown): boolean {
  return commandsIn(group).some((command) => /loopdash/.test(command) && /\bhook before-tool\b/.test(command));
}

/** True if a plugin calls the guard. */
export function pluginCallsGuard(text: string): boolean {
  return text.includes("loopdash") && text.includes("before-tool");
}

function commandsIn(group: unknown): readonly string[] {
  const hooks: unknown = isObject(group) ? group["hooks"] : undefined;
  if (!Array.isArray(hooks)) return [];
  return hooks.flatMap((hook: unknown) => (isObject(hook) && typeof hook["command"] === "string" ? [hook["command"]] : []));
}

function hookIn(vendor: VendorKind, words: readonly string[]): InstalledHook | undefined {
  const at = words.indexOf("hook");
  const [, event, flag, agent, ...options] = words.slice(at);
  const isHook = at > 0 && event === "before-tool" && flag === "--agent" && agent === vendor;
  return isHook ? { program: words.slice(0, at), options } : undefined;
}

/** The words of a command line as `shellWord` writes them; undefined for any other. */
function shellWords(command: string): readonly string[] | undefined {
  const words = command.match(/(?:'(?:[^']|'\\'')*'|[\w@%+=:,./-]+)(?= |$)/g) ?? [];
  if (words.join(" ") !== command) return undefined;
  return words.map((word) => (word.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word));
}

function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** JSON with the members of objects in the order of their names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}
