import { isDeepStrictEqual } from "node:util";
import type { HookEvent } from "@loopdash/guard";
import {
  DENY_RULES,
  denyRulesIn,
  type InstalledHook,
  isInstalled,
  type JsonVendor,
  pluginCallsGuard,
  pluginText,
  readOwnPlugin,
  readSettingsState,
  SettingsProblem,
  type SettingsState,
  withGuard,
  withoutGuard,
} from "@loopdash/guard";
import { VENDORS, type VendorKind } from "../../domain/batch/vendors.ts";
import { jsonText, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { packageFiles } from "../package-files.ts";
import { writeAll } from "../print.ts";
import { whyDead } from "./canary.ts";
import { installedClient } from "./installed-client.ts";
import { codexConfig, type HookPlace } from "./places.ts";
import { backupTexts, readSettings, type SettingsFile } from "./settings-file.ts";
import type { GuardSetup } from "./setup-flags.ts";

/** The state of one agent's guard, as a test of it has shown. */
interface AgentStatus {
  readonly agent: VendorKind;
  readonly file: string;
  readonly state: "installed" | "not installed" | "changed" | "dead" | "unreadable";
  readonly why?: string;
  readonly todo?: string;
  /** When its program calls loopdash: before and after a tool, at a stop. */
  readonly events?: readonly HookEvent[];
  /** Rules of Claude Code for files with credentials. */
  readonly denyRules?: { readonly present: number; readonly of: number };
}

const INSTALL = "loopdash guard install";

const GAP = `
Deny rules cover Claude Code's tools that read and edit files, and no command. Of commands, the guard judges the programs that it
knows for reading files (cat, cp, tar, python -c and others). What a script, a test or a program of your own reads, neither stops:
only a sandbox does. See docs/use/guard.md.
`;

/** Prints for each agent whether its guard is there and blocks. Returns 0 if all of them do. */
export async function guardStatus(places: readonly HookPlace[], { json, project }: GuardSetup): Promise<number> {
  const found: AgentStatus[] = [];
  for (const place of places) found.push(await statusOf(place, { project }));
  writeAll(1, json ? jsonText(found, 2) : `${found.map(lines).join("")}${GAP}`);
  return found.every(({ state }) => state === "installed") ? EXIT.done : EXIT.notDone;
}

async function statusOf(place: HookPlace, { project }: Pick<GuardSetup, "project">): Promise<AgentStatus> {
  const of = { agent: place.vendor, file: place.file };
  try {
    const settings = readSettings(place.file, place.within);
    const { own, changed, off } = stateIn(place, settings);
    const rules = place.vendor === "claude" && settings.text !== undefined ? denyRulesIn(settings.text) : [];
    const present = DENY_RULES.filter((rule) => rules.includes(rule)).length;
    const events = own.flatMap((each) => each.events);
    const all = { ...of, events, denyRules: place.vendor === "claude" ? { present, of: DENY_RULES.length } : undefined };
    const hook = own.find(({ events }) => events.includes("before-tool"));
    if (hook === undefined) {
      const why = "an entry that calls the guard is not as loopdash writes it";
      if (changed > 0) return { ...all, state: "changed", why, todo: `Look at it; take it out by hand, then: ${INSTALL}` };
      return { ...all, state: "not installed", todo: INSTALL };
    }
    const broken = await brokenState(place, hook, { off, project });
    if (broken !== undefined) return { ...all, ...broken };
    const more = changed > 0 ? { why: "another entry that calls the guard was changed; it is not ours any more" } : {};
    return { ...all, state: "installed", ...more, todo: place.vendor === "codex" ? TRUST : undefined };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...of, state: "unreadable", why: error.why, todo: "Correct it: the agent's program may ignore all of it as it is." };
  }
}

type Broken = Required<Pick<AgentStatus, "state" | "why" | "todo">>;

/** Why an installed hook does not guard; undefined if it blocks what it must. */
async function brokenState(
  place: HookPlace,
  hook: InstalledHook,
  { off, project }: { readonly off: string | undefined; readonly project: boolean },
): Promise<Broken | undefined> {
  const switchedOff = off ?? featureOff(place);
  if (switchedOff !== undefined)
    return { state: "dead", why: `hooks are switched off: ${switchedOff}`, todo: "Switch them on in the same file." };
  if (project && !isOfThisProgram(hook)) return { state: "changed", ...FOREIGN };
  const dead = await whyDead(place.vendor, hook, process.env);
  return dead === undefined ? undefined : { state: "dead", why: dead, todo: `Install loopdash again, then: ${INSTALL}` };
}

const FOREIGN = {
  why: "it runs another program than this loopdash, and a repository's settings are not tried then: an agent may have written them",
  todo: `Look at it, then: ${INSTALL} --project`,
};

/** True for a hook that `install` would add here: nothing else that a repository names is run. */
function isOfThisProgram({ program, options }: InstalledHook): boolean {
  const words = [process.execPath, packageFiles().main];
  const isOwn = [words, [...installedClient("own"), ...words]].some((own) => isDeepStrictEqual(own, program));
  const isPlain = options.every((word, i) => i % 2 === 1 || ["--settings", "--audit"].includes(word));
  return isOwn && isPlain;
}

const TRUST = "Codex runs it only if you have trusted it, which cannot be seen from here: codex, then /hooks";

/** Codex keeps the switch of its hooks in another file. */
function featureOff(place: HookPlace): string | undefined {
  if (place.vendor !== "codex") return undefined;
  const file = codexConfig(place);
  const { text = "" } = readSettings(file, place.within);
  return /^[^\S\r\n\u2028\u2029]*(?:features\.)?(?:codex_)?hooks\s*=\s*false\b/m.test(text)
    ? `hooks = false in ${file}`
    : undefined;
}

function lines({ agent, file, state, why, todo, events = [], denyRules }: AgentStatus): string {
  const calls = events.length === 0 ? [] : [`  hooks: ${events.join(", ")}`];
  const rules = denyRules === undefined ? [] : [`  deny rules: ${denyRules.present} of ${denyRules.of}`];
  const more = [
    ...(why === undefined ? [] : [`  why: ${why}`]),
    ...(todo === undefined ? [] : [`  do:  ${todo}`]),
    ...calls,
    ...rules,
  ];
  return `${[`${VENDORS[agent].title}: ${state}  ${file}`, ...more].map((line) => plainText(line, 500)).join("\n")}\n`;
}

/** A change of one file that is to be made. */
export interface HookPlan {
  readonly place: HookPlace;
  readonly settings: SettingsFile;
  /** The text that it is to have; undefined: no file. The text that it has if nothing is to be done. */
  readonly after: string | undefined;
  readonly state: SettingsState;
}

/** The guard in a file: settings or a plugin. */
function stateIn({ vendor }: HookPlace, { file, text }: SettingsFile): SettingsState {
  if (text === undefined) return { own: [], changed: 0 };
  if (vendor !== "opencode") return told(file, () => readSettingsState(vendor, text));
  const own = readOwnPlugin(text);
  return { own: own === undefined ? [] : [own], changed: own === undefined && pluginCallsGuard(text) ? 1 : 0 };
}

/**
 * The content of a file with the guard. One of another version is taken out first, so that uninstalling gives what was there before both. A
 * plugin of somebody else at the same place stays as it is.
 */
export function planInstall(place: HookPlace, hook: InstalledHook, adds: { readonly denyRules: boolean }): HookPlan {
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
export function planUninstall(place: HookPlace): HookPlan {
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
  return readSettingsState(vendor, text).own.length === 0;
}

function isReadable(vendor: JsonVendor, text: string): boolean {
  try {
    readSettingsState(vendor, text);
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
