import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import type { Sandbox } from "../../ports/sandbox.ts";
import { createExecutor } from "../executor/process-executor.ts";
import { type BubblewrapOptions, createBubblewrap } from "./bubblewrap.ts";
import { runCanary } from "./canary.ts";
import { confinedExecutor } from "./confined-executor.ts";
import { findProgram } from "./find-program.ts";
import { seccompFilter } from "./seccomp.ts";
import { NOT_INSTALLED, type WhyNot, whyItFailed } from "./why-not.ts";

/** The first version with --disable-userns. */
const OLDEST = [0, 8] as const;
const VERSION_LIMIT_MS = 5_000;

export type FoundSandbox =
  | { readonly ok: true; readonly sandbox: Sandbox; readonly version: string }
  | ({ readonly ok: false } & WhyNot);

/**
 * Looks for bubblewrap on a PATH and tries it out: a process in it tries to get out, and must not. HOME is that of this
 * process where none is given. The rest is handed to the sandbox; without `state` nothing of loopdash's state is hidden
 * but what lies below HOME. Throws where the temporary folder takes no file.
 */
export async function findSandbox(
  of: { readonly path: string } & Partial<Omit<BubblewrapOptions, "program">>,
): Promise<FoundSandbox> {
  const { path, ...rest } = of;
  if (process.platform !== "linux" || seccompFilter() === undefined) {
    return no(`there is no sandbox for ${process.platform} on ${process.arch} yet`, "Run loopdash on Linux (x64 or arm64).");
  }
  const program = findProgram("bwrap", { cwd: "/", path });
  if (program === undefined) return { ok: false, ...NOT_INSTALLED };
  const version = await versionOf(program);
  if (version === undefined) return no(`${program} does not tell its version`, `Look what it is: ${program} --version.`);
  if (isTooOld(version)) {
    return no(`${program} is ${version}, and 0.8 or newer is needed`, "Install a newer one: sudo apt install bubblewrap.");
  }
  const sandbox = createBubblewrap({ home: homedir(), ...rest, program });
  const end = await runCanary(confinedExecutor(createExecutor(), sandbox));
  if (!end.ran) return { ok: false, ...whyItFailed(end.result.message ?? end.result.tail, setting) };
  if (end.escapes.length === 0) return { ok: true, sandbox, version };
  const could = end.escapes.join(", ");
  return no(`a process in it could ${could}`, "Look whether bwrap was replaced or wrapped, and update it.");
}

function no(why: string, todo: string): FoundSandbox {
  return { ok: false, why, todo };
}

function versionOf(program: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, ["--version"], { env: {}, timeout: VERSION_LIMIT_MS, killSignal: "SIGKILL" }, (error, stdout) => {
      resolve(error === null ? /^bubblewrap (\d+\.\d+(?:\.\d+)*)/.exec(stdout)?.[1] : undefined);
    });
  });
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

/** A setting of the kernel by its sysctl(8) name, or undefined where this kernel has none of it. */
function setting(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll(".", "/")}`, "utf8").trim();
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
