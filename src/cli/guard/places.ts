import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { HOOK_VENDORS } from "@loopdash/guard";
import { worktreeOf } from "@loopdash/guard/program";
import { resolveProgram } from "../../adapters/executor/resolve-program.ts";
import type { VendorKind } from "../../domain/batch/vendors.ts";
import { homeFolder } from "../real-places.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The file in which a vendor's program looks for hooks. */
export interface HookPlace {
  readonly vendor: VendorKind;
  /** The file that the guard is put into. */
  readonly file: string;
  /** The folder that shows that the program is used here. */
  readonly folder: string;
  /** The repository that the file must be in, whatever links there are; undefined for a person's own settings. */
  readonly within?: string;
}

/** The settings of a person: the folder can be named by a variable of the vendor's. */
export function personalPlace(vendor: VendorKind, env: Env): HookPlace {
  const home = homeFolder(env);
  const named = (name: string, otherwise: string): string => {
    const value = env[name];
    return value !== undefined && isAbsolute(value) ? value : join(home, otherwise);
  };
  switch (vendor) {
    case "claude":
      return inFolder(vendor, named("CLAUDE_CONFIG_DIR", ".claude"), "settings.json");
    case "codex":
      return inFolder(vendor, named("CODEX_HOME", ".codex"), "hooks.json");
    case "gemini":
      return inFolder(vendor, join(named("GEMINI_CLI_HOME", ""), ".gemini"), "settings.json");
    case "opencode":
      return inFolder(vendor, join(named("XDG_CONFIG_HOME", ".config"), "opencode"), "plugins/loopdash-guard.js");
  }
}

/** The settings of one repository. Claude Code's are the ones that it keeps out of commits. */
export function projectPlace(vendor: VendorKind, cwd: string): HookPlace {
  const root = worktreeOf(cwd);
  const files = {
    claude: "settings.local.json",
    codex: "hooks.json",
    gemini: "settings.json",
    opencode: "plugins/loopdash-guard.js",
  } as const;
  return { ...inFolder(vendor, join(root, `.${vendor}`), files[vendor]), within: root };
}

/** The agents whose program is on PATH, or whose folder is there. */
export async function foundAgents(places: readonly HookPlace[], env: Env): Promise<readonly VendorKind[]> {
  const found = await Promise.all(
    places.map(async ({ vendor, folder }) => {
      const program = await resolveProgram(vendor, { cwd: "/", path: env["PATH"] ?? "" });
      return program !== undefined || existsSync(folder);
    }),
  );
  return HOOK_VENDORS.filter((vendor) => places.some((place, index) => place.vendor === vendor && found[index] === true));
}

/** The configuration of Codex beside its hooks. */
export function codexConfig({ file }: HookPlace): string {
  return join(dirname(file), "config.toml");
}

function inFolder(vendor: VendorKind, folder: string, file: string): HookPlace {
  return { vendor, file: join(folder, file), folder };
}
