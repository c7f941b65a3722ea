import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { passwordHome } from "@loopdash/values/node";
import { realPath, wayToPlace } from "../adapters/sandbox/mounts/real-path.ts";
import { isDecoded, NOT_UTF8 } from "../domain/values/decoded.ts";
import { EXIT, UserError } from "../domain/values/user-error.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Variables that name a folder of this process. */
const NAMED = ["HOME", "TMPDIR", "LOOPDASH_HOME", "LOOPDASH_KEYS", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] as const;

/**
 * Writes the real paths of the home folder and of the temporary one into `env`, so that each folder has one path in every comparison, every
 * sandbox and every child. Throws a UserError (exit 4) if there is no home folder, if the working folder was deleted, or for a path whose
 * bytes are no UTF-8.
 */
export function settlePlaces(env: NodeJS.ProcessEnv, argv: readonly string[]): void {
  const home = wayToPlace(homeFolder(env)).real;
  const temp = realPath(tmpdir());
  for (const name of NAMED) refuseUndecoded(name, env[name]);
  for (const word of argv) refuseUndecoded("the argument", word);
  refuseUndecoded("the working folder", workingFolder());
  refuseUndecoded("the home folder", home);
  refuseUndecoded("the temporary folder", temp);
  env["HOME"] = home;
  if (temp !== undefined && temp !== tmpdir()) env["TMPDIR"] = temp;
}

/** Throws a UserError (exit 4) for a path whose bytes are no UTF-8. */
export function refuseUndecoded(name: string, path: string | undefined): void {
  if (path === undefined || isDecoded(path)) return;
  throw refusal(`cannot use ${name} ${path}`, NOT_UTF8, "Rename that folder, or use another one.");
}

/** The absolute path in HOME, else the home folder of the password file. Throws a UserError (exit 4) if there is none. */
export function homeFolder({ HOME }: Env): string {
  const home = HOME !== undefined && isAbsolute(HOME) ? HOME : passwordHome();
  if (home !== undefined && isAbsolute(home)) return home;
  throw refusal(
    "there is no home folder",
    "HOME is not set, and this user has no entry in the password file",
    "Set HOME to a folder of this user.",
  );
}

/** The place of a person's own file, which must exist if it was named. */
export interface OwnFilePlace {
  readonly file: string;
  readonly named: boolean;
}

/**
 * The file that a variable names, resolved from `cwd` if it is relative; else the one in the XDG configuration folder, which counts only if
 * absolute (XDG Base Directory Specification 0.8).
 */
export function ownFile(env: Env, cwd: string, of: { readonly variable: string; readonly name: string }): OwnFilePlace {
  const named = env[of.variable];
  if (named) return { file: resolve(cwd, named), named: true };
  const xdg = env.XDG_CONFIG_HOME;
  const folder = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homeFolder(env), ".config");
  return { file: join(folder, "loopdash", of.name), named: false };
}

/** Throws a UserError (exit 4) if the folder that this process was started in is gone. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw refusal(
      "cannot work in the current folder",
      "it was deleted, or may not be read",
      "Change to a folder that exists, for example: cd ~",
      cause,
    );
  }
}

function refusal(what: string, why: string, todo: string, cause?: unknown): UserError {
  return new UserError({ what, why, todo, exitCode: EXIT.refused, cause });
}
