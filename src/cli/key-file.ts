import { readFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { errorCode, errorMessage } from "../domain/values/text.ts";
import { EXIT, UserError } from "../domain/values/user-error.ts";
import type { Keymap } from "../store/dashboard-state.ts";
import { homeFolder } from "./real-places.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The user's key file; it must exist if it was named. */
interface KeyFilePlace {
  readonly file: string;
  readonly named: boolean;
}

/**
 * LOOPDASH_KEYS, resolved from `cwd` if it is relative; else `loopdash/keys.json` in the XDG configuration folder, which counts
 * only if absolute (XDG Base Directory Specification 0.8).
 */
export function keyFilePlace(env: Env, cwd: string): KeyFilePlace {
  if (env.LOOPDASH_KEYS) return { file: resolve(cwd, env.LOOPDASH_KEYS), named: true };
  const xdg = env.XDG_CONFIG_HOME;
  const folder = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homeFolder(env), ".config");
  return { file: join(folder, "loopdash", "keys.json"), named: false };
}

/**
 * The user's key bindings over the default ones; undefined if there are none. Throws a UserError (exit 2) before anything starts
 * if the file cannot be read, or binds a key that cannot be bound.
 */
export async function readKeymap(env: Env, cwd: string): Promise<Keymap | undefined> {
  const place = keyFilePlace(env, cwd);
  const text = read(place);
  if (text === undefined) return undefined;
  const { keymapFrom } = await import("./key-file-text.ts");
  return keymapFrom(text, place.file);
}

function read({ file, named }: KeyFilePlace): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (!named && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw new UserError({
      what: `cannot read the keys in ${file}`,
      why: code === "ENOENT" ? "there is no such file" : errorMessage(error),
      todo: named ? "Name a file of keys in LOOPDASH_KEYS, or unset it." : "Make it a file that you can read, or remove it.",
      exitCode: EXIT.usage,
      cause: error,
    });
  }
}
