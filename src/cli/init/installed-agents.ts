import { LoginRequired } from "../../adapters/agent/logins/login.ts";
import { openLogin } from "../../adapters/agent/logins/open-login.ts";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { resolveProgram } from "../../adapters/executor/resolve-program.ts";
import { VENDORS, type VendorKind, vendorsWith } from "../../domain/batch/vendors.ts";

/** A vendor's program on this machine, and who could pay for it. */
export interface InstalledAgent {
  readonly kind: VendorKind;
  /** True if it keeps a login here that can be used. */
  readonly hasLogin: boolean;
  /** The variable that is set and usually holds its key; only its name is known here. */
  readonly keyVariable: string | undefined;
}

/** The variables in which people keep the keys, by the vendors' own documentation of their programs. */
const KEY_VARIABLES: Readonly<Record<VendorKind, readonly string[]>> = {
  claude: ["ANTHROPIC_API_KEY"],
  codex: ["OPENAI_API_KEY"],
  gemini: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  opencode: ["OPENAI_API_KEY"],
};

/** The vendors' programs that are on PATH, in the order of the table of vendors. Starts none of them, and sends no request. */
export async function findInstalledAgents(env: NodeJS.ProcessEnv): Promise<readonly InstalledAgent[]> {
  const path = allowedEnvironment(env, {})["PATH"] ?? "";
  const found = await Promise.all(
    vendorsWith(() => true).map(async (kind): Promise<readonly InstalledAgent[]> => {
      const program = await resolveProgram(kind, { cwd: "/", path });
      return program === undefined ? [] : [{ kind, hasLogin: await hasLogin(kind, program, env), keyVariable: keyOf(kind, env) }];
    }),
  );
  return found.flat();
}

/** True if the variable is set and not empty. */
export function isSet(env: NodeJS.ProcessEnv, variable: string): boolean {
  return (env[variable] ?? "").trim() !== "";
}

function keyOf(kind: VendorKind, env: NodeJS.ProcessEnv): string | undefined {
  return KEY_VARIABLES[kind].find((name) => isSet(env, name));
}

async function hasLogin(kind: VendorKind, program: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (VENDORS[kind].takesSubscription !== true) return false;
  try {
    const state = await openLogin(kind, { env, programPath: program })?.state();
    return state !== undefined && (!state.isExpired || state.canRefresh);
  } catch (error) {
    if (!(error instanceof LoginRequired)) throw error;
    return false;
  }
}
