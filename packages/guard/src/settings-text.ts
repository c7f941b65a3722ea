import { hintFor, isObject, parseJson } from "@loopdash/values";
import { FAMILIES, RULES } from "./rule-table.ts";
import type { GuardSettings } from "./verdict.ts";

/** The settings of the guard in a file of their own. */
export interface GuardFile extends GuardSettings {
  /** The folder in which files may be deleted: absolute. By default the git worktree of the hook's folder. */
  readonly worktree?: string;
  /** A person's own agent that stops is told which of these fail, in its worktree; at most `times` in a session, by default once. */
  readonly stop?: {
    readonly checks: readonly { readonly name: string; readonly command: readonly string[] }[];
    readonly times?: number;
  };
}

/** Why a file of settings cannot be used. */
export interface UnusableSettings {
  readonly problem: string;
}

/** Reads the settings of the guard from JSON. Everything that is not known is a problem: a misspelt rule would not be off or on. */
export function readGuardFile(text: string): GuardFile | UnusableSettings {
  const value = parseJson(text);
  if (!isObject(value)) return { problem: "it is no JSON object" };
  const problem = Object.entries(value).map(([name, member]) => settingProblem(name, member));
  return problem.find((each) => each !== undefined) ?? (value as GuardFile);
}

const KEYS = ["families", "rules", "onParseError", "worktree", "stop"];

function settingProblem(name: string, value: unknown): UnusableSettings | undefined {
  switch (name) {
    case "families":
      return switchProblem(name, value, FAMILIES);
    case "rules":
      return switchProblem(name, value, RULES);
    case "onParseError":
      return value === "block" || value === "allow" ? undefined : { problem: '"onParseError" is neither "block" nor "allow"' };
    case "worktree":
      return typeof value === "string" && value.startsWith("/") ? undefined : { problem: '"worktree" is no absolute path' };
    case "stop":
      return isStop(value)
        ? undefined
        : { problem: '"stop" is not {"checks": [{"name", "command": ["program", ...]}], "times"?}' };
    default:
      return { problem: `it has an unknown key ${quoted(name)}${hint(name, KEYS)}` };
  }
}

function isStop(value: unknown): boolean {
  const { checks, times = 1, ...others } = isObject(value) ? value : {};
  const isCheck = (check: unknown): boolean => {
    const { name, command, ...more } = isObject(check) ? check : {};
    const words: readonly unknown[] = Array.isArray(command) && command.length > 0 ? [name, ...command] : [undefined];
    return words.every((word) => typeof word === "string") && Object.keys(more).length === 0;
  };
  return Array.isArray(checks) && checks.every(isCheck) && Number.isSafeInteger(times) && Object.keys(others).length === 0;
}

function switchProblem(name: string, value: unknown, known: object): UnusableSettings | undefined {
  if (!isObject(value)) return { problem: `"${name}" is no object` };
  const wrong = Object.entries(value).find(([key, on]) => !Object.hasOwn(known, key) || typeof on !== "boolean");
  if (wrong === undefined) return undefined;
  const [key] = wrong;
  return {
    problem: Object.hasOwn(known, key)
      ? `"${name}" has no true or false for ${quoted(key)}`
      : `"${name}" has an unknown name ${quoted(key)}${hint(key, Object.keys(known))}`,
  };
}

function hint(name: string, known: readonly string[]): string {
  return `; ${hintFor(name, known, "known here")}`;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 60));
}
