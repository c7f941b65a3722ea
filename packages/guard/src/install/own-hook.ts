import { createHash } from "node:crypto";
import { isObject } from "@loopdash/values";
import type { HookVendor } from "../hooks/hook-event.ts";
import { AUDIT_EVENTS, EVENT_NAMES, type HookEvent, isHookEvent } from "../hooks/hook-event.ts";
import { type HookGroup, hookSettings } from "../hooks/hook-settings.ts";

/** What an installed hook runs. */
export interface InstalledHook {
  /** The words that start loopdash, by absolute paths: those of the guard server's client, if there is one, then Node and the program. */
  readonly program: readonly string[];
  /** More options of `loopdash hook`. */
  readonly options: readonly string[];
  /** The events at which it is called: the guard, the audit and the stop guard. */
  readonly events: readonly HookEvent[];
}

type HookCall = Omit<InstalledHook, "events">;

type JsonVendor = Exclude<HookVendor, "opencode">;

const INSTALLED: readonly HookEvent[] = ["before-tool", ...AUDIT_EVENTS, "stop"];

/** Those of the events that the vendor has and that can be installed; all by default. */
export function installableEvents(vendor: HookVendor, events = INSTALLED): readonly HookEvent[] {
  return INSTALLED.filter((event) => events.includes(event) && EVENT_NAMES[vendor][event] !== undefined);
}

/** The name of an event in the vendor's settings. */
export function eventName(vendor: JsonVendor, event: HookEvent): string {
  return EVENT_NAMES[vendor][event] ?? "";
}

/** The group of hooks that is added to a vendor's settings for an event. */
export function hookGroup(vendor: JsonVendor, { program, options }: HookCall, event: HookEvent = "before-tool"): HookGroup {
  const settings = hookSettings(vendor, program, { events: [event], options });
  const [group] = settings.form === "json" ? (settings.hooks[eventName(vendor, event)] ?? []) : [];
  if (group === undefined) throw new Error(`there are no settings for ${vendor}`);
  return group;
}

/** The text of opencode's plugin. */
export function pluginText({ program, options, events }: InstalledHook): string {
  const settings = hookSettings("opencode", program, { events: installableEvents("opencode", events), options });
  return settings.form === "plugin" ? settings.text : "";
}

/**
 * What an entry of the settings runs, if it is exactly one that loopdash adds: with any program and options, and nothing else
 * changed. So it needs no mark of its own. Undefined for all others.
 */
export function readOwnGroup(vendor: JsonVendor, event: HookEvent, group: unknown): HookCall | undefined {
  for (const command of commandsIn(group)) {
    const words = shellWords(command);
    const start = words?.indexOf("loopdash-guard") ?? -1;
    const hook = start === -1 ? undefined : hookIn(vendor, event, words?.slice(start + 1) ?? []);
    if (hook !== undefined && isSame(hookGroup(vendor, hook, event), group)) return hook;
  }
  return undefined;
}

/** sha256 of the plugins of earlier versions without their commands; all called the guard before a tool alone. */
const EARLIER_PLUGINS = ["4b5682cc48e4cab0b84dbf2b0b0362d67b1b7cbe3e9753ed1bab51d9992524c8"];

/** The same for the text of a plugin. */
export function readOwnPlugin(text: string): InstalledHook | undefined {
  const [, commands = ""] = /^const COMMANDS = (\{[\s\S]*?\n\});$/m.exec(text) ?? [];
  try {
    const value: unknown = JSON.parse(commands);
    const words: unknown = isObject(value) ? value["before-tool"] : undefined;
    const isWords = Array.isArray(words) && words.every((word) => typeof word === "string");
    const call = isWords ? hookIn("opencode", "before-tool", words) : undefined;
    if (call === undefined || !isObject(value)) return undefined;
    const hook = { ...call, events: Object.keys(value).filter(isHookEvent) };
    const isEarlier =
      EARLIER_PLUGINS.includes(createHash("sha256").update(text.replace(commands, "")).digest("hex")) &&
      JSON.stringify({ "before-tool": words }, undefined, 2) === commands;
    return isEarlier || pluginText(hook) === text ? hook : undefined;
  } catch {
    // No list of commands as we write it.
    return undefined;
  }
}

/** True if an entry calls the guard, whether or not it is as loopdash adds it. */
export function callsGuard(group: unknown): boolean {
  return commandsIn(group).some(
    (command) => /loopdash/.test(command) && /\bhook (?:before-tool|after-(?:failed-)?tool|stop)\b/.test(command),
  );
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

function hookIn(vendor: HookVendor, event: HookEvent, words: readonly string[]): HookCall | undefined {
  const at = words.indexOf("hook");
  const [, named, flag, agent, ...options] = words.slice(at);
  const isHook = at > 0 && named === event && flag === "--agent" && agent === vendor;
  return isHook ? { program: words.slice(0, at), options } : undefined;
}

/** The words of a command line as `shellWord` writes them; undefined for any other. */
function shellWords(command: string): readonly string[] | undefined {
  const words = command.match(/(?:'(?:[^']|'\\'')*'|[\w@%+=:,./-]+)(?= |$)/g) ?? [];
  if (words.join(" ") !== command) return undefined;
  return words.map((word) => (word.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word));
}

export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** JSON with the members of objects in the order of their names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}
