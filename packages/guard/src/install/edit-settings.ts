import { isObject, type JsonObject } from "@loopdash/values";
import { applyEdits, findNodeAtLocation, modify, type ParseError, parse, parseTree } from "jsonc-parser";
import type { HookEvent, HookVendor } from "../hooks/hook-event.ts";
import { DENY_RULES } from "./deny-rules.ts";
import { callsGuard, eventName, hookGroup, type InstalledHook, installableEvents, isSame, readOwnGroup } from "./own-hook.ts";

export type JsonVendor = Exclude<HookVendor, "opencode">;

/** Why settings cannot be changed; nothing of them was. */
export class SettingsProblem extends Error {
  override readonly name = "SettingsProblem";
}

/** The guard in a text of settings. */
export interface SettingsState {
  /** The hooks that loopdash has added; those with the same program and options as one. */
  readonly own: readonly InstalledHook[];
  /** Entries that call the guard and are not as loopdash adds them. */
  readonly changed: number;
  /** The setting that switches all hooks off, if it is set. */
  readonly off?: string;
}

type Path = (string | number)[];

/** Gemini CLI strips comments from its settings, and takes no comma behind the last member (0.61.0); the others read JSON alone. */
const TAKES_COMMENTS: readonly JsonVendor[] = ["gemini"];

/** What the settings have of the guard. Throws a SettingsProblem if they are no valid JSON. */
export function readSettingsState(vendor: JsonVendor, text: string): SettingsState {
  const settings = read(vendor, text);
  const own = new Map<string, InstalledHook>();
  let changed = 0;
  for (const { event, group } of groupsIn(vendor, settings)) {
    const call = readOwnGroup(vendor, event, group);
    if (call === undefined) changed += callsGuard(group) ? 1 : 0;
    else own.set(JSON.stringify(call), { ...call, events: [...(own.get(JSON.stringify(call))?.events ?? []), event] });
  }
  const off = switchedOff(settings);
  return { own: [...own.values()], changed, ...(off !== undefined && { off }) };
}

/** True if a hook is there at each of its events that the vendor has, once, and no other one of loopdash's. */
export function isInstalled(vendor: JsonVendor, { own }: SettingsState, hook: InstalledHook): boolean {
  return isSame(own, [{ ...hook, events: installableEvents(vendor, hook.events) }]);
}

/**
 * The text with the hook at each of its events, and for Claude Code with the rules for files with credentials, unless they are not wanted. Other
 * hooks of loopdash are replaced; everything else stays as it is, with comments and layout.
 */
export function withGuard(
  vendor: JsonVendor,
  text: string,
  hook: InstalledHook,
  { denyRules = true }: { readonly denyRules?: boolean } = {},
): string {
  let now = text.trim() === "" ? "{}\n" : text;
  if (!isInstalled(vendor, readSettingsState(vendor, now), hook)) {
    now = withoutHooks(vendor, now);
    for (const event of installableEvents(vendor, hook.events))
      now = appended(now, ["hooks", eventName(vendor, event)], [hookGroup(vendor, hook, event)]);
  }
  if (vendor === "claude" && denyRules) now = appended(now, ["permissions", "deny"], missingRules(now));
  if (!isInstalled(vendor, readSettingsState(vendor, now), hook))
    throw new SettingsProblem('a key is there twice ("hooks", or one in it)');
  return now;
}

/** The text without what loopdash has added. `kept`: deny rules that were there before. */
export function withoutGuard(vendor: JsonVendor, text: string, kept: readonly unknown[]): string {
  let now = withoutHooks(vendor, text);
  if (vendor !== "claude") return now;
  const own = new Set<unknown>(DENY_RULES.filter((rule) => !kept.includes(rule)));
  now = withoutItems(now, ["permissions", "deny"], (rule) => own.has(rule));
  return now;
}

/** The deny rules of Claude Code's settings. */
export function denyRulesIn(text: string): readonly unknown[] {
  const rules = valueAt(parsed(text), ["permissions", "deny"]);
  return Array.isArray(rules) ? rules : [];
}

function missingRules(text: string): readonly string[] {
  const present = denyRulesIn(text);
  return DENY_RULES.filter((rule) => !present.includes(rule));
}

function withoutHooks(vendor: JsonVendor, text: string): string {
  const without = (now: string, event: HookEvent): string =>
    withoutItems(now, ["hooks", eventName(vendor, event)], (group) => readOwnGroup(vendor, event, group) !== undefined);
  return installableEvents(vendor).reduce(without, text);
}

/** Adds items to the end of a list, which is made if it is not there. */
function appended(text: string, path: Path, items: readonly unknown[]): string {
  const list = valueAt(parsed(text), path);
  const parent = valueAt(parsed(text), path.slice(0, -1));
  if (parent !== undefined && !isObject(parent)) throw new SettingsProblem(`"${path.slice(0, -1).join(".")}" is no object`);
  if (list !== undefined && !Array.isArray(list)) throw new SettingsProblem(`"${path.join(".")}" is no list`);
  if (items.length === 0) return text;
  if (list === undefined) return added(text, path, [...items]);
  return items.reduce<string>((now, item, index) => added(now, [...path, list.length + index], item, true), text);
}

/** Removes items from a list, and what is empty then: the list, and the object that it is in. */
function withoutItems(text: string, path: Path, isOwn: (item: unknown) => boolean): string {
  const list = valueAt(parsed(text), path);
  if (!Array.isArray(list) || !list.some(isOwn)) return text;
  if (!list.every(isOwn)) {
    const at = list.flatMap((item, index) => (isOwn(item) ? [index] : []));
    return at.toReversed().reduce((now, index) => withoutItem(now, path, index), text);
  }
  const without = withoutMember(text, path);
  const parent = valueAt(parsed(without), path.slice(0, -1));
  return isObject(parent) && Object.keys(parent).length === 0 ? withoutMember(without, path.slice(0, -1)) : without;
}

/** Removes one of several items. (jsonc-parser 3.3 leaves a character of the last one behind if no space follows it.) */
function withoutItem(text: string, path: Path, index: number): string {
  const root = parseTree(text);
  const items = (root && findNodeAtLocation(root, path)?.children) ?? [];
  const [before, item, after] = [items[index - 1], items[index], items[index + 1]];
  if (item === undefined) return text;
  if (after !== undefined) return text.slice(0, item.offset) + text.slice(after.offset);
  return (
    text.slice(0, before === undefined ? item.offset : before.offset + before.length) + text.slice(item.offset + item.length)
  );
}

/** Removes a member. */
function withoutMember(text: string, path: Path): string {
  return applyEdits(text, modify(text, path, undefined, {}));
}

/**
 * Adds a member or an item. Its own lines have the indent of the text; no other line is laid out anew, as the package's formatter
 * would.
 */
function added(text: string, path: Path, value: unknown, isArrayInsertion = false): string {
  const [edit] = modify(text, path, value, { isArrayInsertion });
  if (edit === undefined) return text;
  const root = parseTree(text);
  const parents = path.map((_, length) => path.slice(0, length)).filter((parent) => root && findNodeAtLocation(root, parent));
  const { indent, eol } = detectLayout(text);
  const [outer, inner] = [indent.repeat(parents.length - 1), indent.repeat(parents.length)];
  const [, comma = "", json = ""] = /^(,?)(.*)$/s.exec(edit.content) ?? [];
  const lines = isArrayInsertion ? prettyLines(json, indent) : prettyLines(`{${json}}`, indent).slice(1, -1);
  // The lines of a member have one indent already.
  const margin = isArrayInsertion ? inner : outer;
  const content = lines.map((line) => `${eol}${margin}${line}`).join("");
  const end = comma === "" ? `${eol}${outer}` : "";
  return applyEdits(text, [{ ...edit, content: `${comma}${content}${end}` }]);
}

function prettyLines(json: string, indent: string): readonly string[] {
  return JSON.stringify(JSON.parse(json), undefined, indent).split("\n");
}

/** The indent and the line breaks of a text. */
function detectLayout(text: string): { readonly indent: string; readonly eol: string } {
  const [, indent = "  "] = /^([\t ]+)\S/m.exec(text) ?? [];
  return { indent, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

function read(vendor: JsonVendor, text: string): JsonObject {
  if (text.trim() === "") return {};
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: !TAKES_COMMENTS.includes(vendor) });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split("\n").length;
    throw new SettingsProblem(`it is no valid JSON (line ${line})`);
  }
  const value = parsed(text);
  if (!isObject(value)) throw new SettingsProblem("it is no JSON object");
  return value;
}

function parsed(text: string): unknown {
  return parse(text);
}

function groupsIn(vendor: JsonVendor, settings: JsonObject): readonly { readonly event: HookEvent; readonly group: unknown }[] {
  return installableEvents(vendor).flatMap((event) => {
    const groups = valueAt(settings, ["hooks", eventName(vendor, event)]);
    return Array.isArray(groups) ? groups.map((group: unknown) => ({ event, group })) : [];
  });
}

/** Claude Code has one switch for all hooks, Gemini CLI one for all and a list of names. */
function switchedOff(settings: JsonObject): string | undefined {
  if (settings["disableAllHooks"] === true) return "disableAllHooks is true";
  if (valueAt(settings, ["hooksConfig", "enabled"]) === false) return "hooksConfig.enabled is false";
  const names = valueAt(settings, ["hooksConfig", "disabled"]);
  return Array.isArray(names) && names.includes("loopdash-guard") ? "hooksConfig.disabled names loopdash-guard" : undefined;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), value);
}
