import { runBriefly } from "../../executor/brief-run.ts";

const VERSION_LIMIT_MS = 5_000;

/** The version of bwrap, or undefined if it prints none. */
export async function bubblewrapVersion(program: string): Promise<string | undefined> {
  const { exitCode, stdout } = await runBriefly([program, "--version"], { env: {}, timeoutMs: VERSION_LIMIT_MS });
  return exitCode === 0 ? /^bubblewrap (\d+\.\d+(?:\.\d+)*)/.exec(stdout)?.[1] : undefined;
}

/** True if the version is older than 0.8, the first with --disable-userns. */
export function wantsNewer(version: string): boolean {
  return !isAtLeast(version, 8);
}

/** True if the version knows --tmp-overlay (0.10 and newer). */
export function laysOverlays(version: string): boolean {
  return isAtLeast(version, 10);
}

/** Compares versions that begin with 0; all others are newer. */
function isAtLeast(version: string, wanted: number): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 0 || minor >= wanted;
}
