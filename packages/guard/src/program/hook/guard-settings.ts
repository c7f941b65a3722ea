import { errorCode, errorMessage } from "@loopdash/values";
import { readBounded } from "@loopdash/values/node";
import { type GuardFile, readGuardFile, type UnusableSettings } from "../../settings-text.ts";

/** The settings of the guard in a file, or why they cannot be used. Without a file there are none. */
export function settingsOf(file: string | undefined): GuardFile | UnusableSettings {
  if (file === undefined) return {};
  const read = readText(file);
  if (typeof read !== "string") return { problem: `the settings ${file} cannot be read (${read.problem})` };
  const settings = readGuardFile(read);
  return "problem" in settings ? { problem: `the settings ${file} are wrong: ${settings.problem}` } : settings;
}

function readText(file: string): string | UnusableSettings {
  try {
    return readBounded(file).toString("utf8");
  } catch (error) {
    return { problem: errorCode(error) ?? errorMessage(error) };
  }
}
