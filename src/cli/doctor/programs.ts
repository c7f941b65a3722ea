import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { AgentProgram } from "../../adapters/agent/agent-program.ts";
import { loadPrograms } from "../../adapters/agent/registry.ts";
import { runBriefly } from "../../adapters/executor/brief-run.ts";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { createExecutor } from "../../adapters/executor/process-executor.ts";
import { resolveProgram } from "../../adapters/executor/resolve-program.ts";
import { gitVersionIn, OLDEST_GIT } from "../../adapters/vcs/git/git-version.ts";
import { listPrograms } from "../../domain/batch/party.ts";
import type { VendorKind } from "../../domain/batch/vendors.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { bad, type CheckResult, ok, warn } from "./check-result.ts";
import { withProbeFolder } from "./probe-folder.ts";

const INSTALL_GIT = `Install git ${OLDEST_GIT} or newer and see that it comes first on PATH.`;

/** Time limit for a program to print its version, in milliseconds. */
const DEADLINE_MS = 20_000;
const UPDATE = "Update it: an older one may not know all that loopdash asks of it.";
const MEND = "Run it with --version yourself, and fix what it says.";

/** The programs to check, and the time limit. */
export interface ProgramsOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly loaded?: LoadedBatch | undefined;
  readonly deadlineMs?: number;
}

/**
 * Checks the versions of the vendors' programs on PATH and of those that the batch names by path. Another check reports a missing
 * program of the batch. The programs run with an empty folder as home, so they leave their files there.
 */
export async function checkPrograms({ env, loaded, deadlineMs = DEADLINE_MS }: ProgramsOptions): Promise<readonly CheckResult[]> {
  const children = allowedEnvironment(env, {});
  const found = await Promise.all(
    (await loadPrograms()).map(async (vendor) => {
      const onPath = await resolveProgram(vendor.kind, { cwd: "/", path: children["PATH"] ?? "" });
      const all = [...(onPath === undefined ? [] : [onPath]), ...(await namedBy(loaded, vendor.kind))];
      return await Promise.all([...new Set(all)].map((program) => look(vendor, program, { children, deadlineMs })));
    }),
  );
  return found.flat();
}

/** Programs that the batch names by path; a bare name means the one on PATH. */
async function namedBy(loaded: LoadedBatch | undefined, kind: VendorKind): Promise<readonly string[]> {
  const specs = listPrograms(loaded?.batch ?? {}).map(({ spec }) => spec);
  const paths = specs.flatMap((spec) => (spec.kind === kind && spec.program?.includes("/") ? [spec.program] : []));
  const found = paths.map((path) =>
    resolveProgram(isAbsolute(path) ? path : resolve(loaded?.folder ?? "/", path), { cwd: "/", path: "" }),
  );
  return (await Promise.all(found)).filter((path) => path !== undefined);
}

interface LookOptions {
  readonly children: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
}

async function look(vendor: AgentProgram, program: string, options: LookOptions): Promise<CheckResult> {
  const version = await versionOf(program, { ...options, homeEnv: vendor.homeEnv });
  const check = `program-${vendor.kind}`;
  const tested = `tested with ${vendor.tested}`;
  if (version === undefined) return warn(check, `${program} does not tell its version; ${tested}`, MEND);
  const found = `${version} (${program}); ${tested}`;
  return isOlder(version, vendor.tested) ? warn(check, found, UPDATE) : ok(check, found);
}

/** The first version in the program's output; undefined if it fails, prints none, or takes too long. */
async function versionOf(
  program: string,
  { children, deadlineMs, homeEnv }: LookOptions & Pick<AgentProgram, "homeEnv">,
): Promise<string | undefined> {
  return withProbeFolder(realpathSync(tmpdir()), async (home) => {
    const lines: string[] = [];
    const { ending, exitCode } = await createExecutor().run({
      argv: [program, "--version"],
      cwd: home,
      env: { ...children, ...homesIn(home), ...homeEnv(home) },
      logFile: join(home, "log"),
      timeoutMs: deadlineMs,
      signal: new AbortController().signal,
      marker: `doctor-${home}`,
      onLine: (line, stream) => {
        if (stream === "stdout" && lines.length < 20) lines.push(line);
      },
    });
    if (ending !== "exited" || exitCode !== 0) return undefined;
    return lines
      .map((line) => /(?<![\w.])\d+\.\d+\.\d+(?:-[\w.]{1,40})?/.exec(line)?.[0])
      .find((version) => version !== undefined);
  });
}

/** Variables that name the folders in which programs keep their own files. */
function homesIn(home: string): Readonly<Record<string, string>> {
  const xdg = ["CONFIG", "DATA", "STATE", "CACHE"].map((name) => `XDG_${name}_HOME`);
  return Object.fromEntries(["HOME", ...xdg].map((name) => [name, home]));
}

/** Compares the three numbers of a version. */
function isOlder(version: string, tested: string): boolean {
  const numbers = (text: string): readonly number[] => text.split("-", 1)[0]?.split(".").map(Number) ?? [];
  const [a, b] = [numbers(version), numbers(tested)];
  const differs = a.findIndex((number, i) => number !== b[i]);
  return differs >= 0 && (a[differs] ?? 0) < (b[differs] ?? 0);
}

/** Checks the git on PATH. An identity is not required: loopdash sets its own. */
export async function checkGit(env: NodeJS.ProcessEnv): Promise<readonly CheckResult[]> {
  const children = allowedEnvironment(env, {});
  const git = await resolveProgram("git", { cwd: "/", path: children["PATH"] ?? "" });
  if (git === undefined) return [bad("git", "no git program is on PATH", INSTALL_GIT)];
  const { exitCode, stdout } = await runBriefly([git, "--version"], { env: children, timeoutMs: 20_000 });
  const version = gitVersionIn(stdout);
  if (exitCode !== 0 || version === undefined) return [bad("git", `${git} does not tell its version`, INSTALL_GIT)];
  const found = `${version.version} (${git})`;
  return [version.isEnough ? ok("git", found) : bad("git", `${found} cannot merge without a checkout`, INSTALL_GIT)];
}
