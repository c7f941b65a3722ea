import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { OwnColours } from "../../components/kit/theme.ts";
import { errorCode, errorMessage } from "../domain/values/text.ts";
import { EXIT, UserError } from "../domain/values/user-error.ts";
import type { Keymap } from "../store/dashboard-state.ts";
import { type OwnFilePlace, ownFile } from "./real-places.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A person's settings of the screen, from files of their own. */
export interface ScreenFiles {
  /** Their key bindings over the default ones; absent if there are none. */
  readonly keymap?: Keymap | undefined;
  /** Their colours; absent if LOOPDASH_THEME names no file (`*.json`). */
  readonly colours?: OwnColours | undefined;
}

/**
 * Reads a person's files for the screen. Throws a UserError (exit 2) before anything starts if one cannot be read, binds a key that cannot
 * be bound, or has no colours.
 */
export async function readScreenFiles(env: Env, cwd: string): Promise<ScreenFiles> {
  const keys = ownFile(env, cwd, { variable: "LOOPDASH_KEYS", name: "keys.json" });
  const keyText = read(keys, { what: "the keys", variable: "LOOPDASH_KEYS" });
  const keymap = keyText === undefined ? undefined : (await import("./key-file-text.ts")).keymapFrom(keyText, keys.file);
  const { LOOPDASH_THEME: theme = "" } = env;
  if (!theme.endsWith(".json")) return { keymap };
  const file = resolve(cwd, theme);
  const text = read({ file, named: true }, { what: "the colours", variable: "LOOPDASH_THEME" });
  return { keymap, colours: (await import("./colour-file-text.ts")).coloursFrom(text ?? "", file) };
}

function read(
  { file, named }: OwnFilePlace,
  { what, variable }: { readonly what: string; readonly variable: string },
): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (!named && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw new UserError({
      what: `cannot read ${what} in ${file}`,
      why: code === "ENOENT" ? "there is no such file" : errorMessage(error),
      todo: named ? `Name such a file in ${variable}, or unset it.` : "Make it a file that you can read, or remove it.",
      exitCode: EXIT.usage,
      cause: error,
    });
  }
}
