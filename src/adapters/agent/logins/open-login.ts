import type { VendorKind } from "../../../domain/batch/vendors.ts";
import { claudeLogin } from "./claude.ts";
import { codexLogin } from "./codex.ts";
import { geminiLogin } from "./gemini.ts";
import { Login, type LoginOptions } from "./login.ts";
import type { LoginFormat } from "./login-format.ts";

const FORMATS: Readonly<Partial<Record<VendorKind, LoginFormat>>> = {
  claude: claudeLogin,
  codex: codexLogin,
  gemini: geminiLogin,
};

/** The login that a vendor's program keeps; undefined if loopdash knows none for that program. */
export function openLogin(kind: VendorKind, options: Omit<LoginOptions, "format">): Login | undefined {
  const format = FORMATS[kind];
  return format === undefined ? undefined : new Login({ ...options, format });
}

/** The files of all logins that loopdash knows, whether they exist or not. */
export function loginFiles(env: NodeJS.ProcessEnv): readonly string[] {
  return Object.values(FORMATS).map((format) => format.file(env));
}
