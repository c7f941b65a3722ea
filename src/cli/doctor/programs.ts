import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { createExecutor } from "../../adapters/executor/process-executor.ts";
import { resolveProgram } from "../../adapters/executor/resolve-program.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { type Finding, ok, warn } from "./finding.ts";
import { withProbeFolder } from "./probe-folder.ts";

/** The versions that test/agents drives: those of .ci/agents/package.json, as a test sees to. */
export const TESTED = { claude: "2.1.330", codex: "0.169.0", gemini: "0.61.0", opencode: "1.18.33" } as const;
type Vendor = keyof typeof TESTED;

/** How long a program may take to tell its version, in milliseconds. */
const DEADLINE_MS = 20_000;
const UPDATE = "Update it: an older one may not know all that loopdash asks of it.";
const MEND = "Run it with --version yourself, and fix what it says.";

/** What is looked at, and for how long. */
export interface ProgramsOf {
  readonly env: NodeJS.ProcessEnv;
  readonly loaded?: LoadedBatch | undefined;
  readonly deadlineMs?: number;
}

/**
 * The versions of the vendors' programs that are on PATH, and of those that the batch names by their path. Whether the batch's own
 * is there at all is told elsewhere. They are started with an empty folder for a home, in which they leave what they leave.
 */
export async function checkPrograms({ env, loaded, deadlineMs = DEADLINE_MS }: ProgramsOf): Promise<readonly Finding[]> {
  const children = allowedEnvironment(env, {});
  const found = await Promise.all(
    (Object.keys(TESTED) as Vendor[]).map(async (vendor) => {
      const onPath = await resolveProgram(vendor, { cwd: "/", path: children["PATH"] ?? "" });
      const all = [...(onPath === undefined ? [] : [onPath]), ...(await namedBy(loaded, vendor))];
      return await Promise.all([...new Set(all)].map((program) => look(vendor, program, { children, deadlineMs })));
    }),
  );
  return found.flat();
}

/** By its path; one that is named without is the one on PATH. */
async function namedBy(loaded: LoadedBatch | undefined, vendor: Vendor): Promise<readonly string[]> {
  const specs = loaded === undefined ? [] : [loaded.batch.agent, loaded.batch.reviewer];
  const paths = specs.flatMap((spec) => (spec?.kind === vendor && spec.program?.includes("/") ? [spec.program] : []));
  const found = paths.map((path) =>
    resolveProgram(isAbsolute(path) ? path : resolve(loaded?.folder ?? "/", path), { cwd: "/", path: "" }),
  );
  return (await Promise.all(found)).filter((path) => path !== undefined);
}

async function look(
  vendor: Vendor,
  program: string,
  options: { readonly children: Readonly<Record<string, string>>; readonly deadlineMs: number },
): Promise<Finding> {
  const version = await versionOf(program, options);
  const check = `program-${vendor}`;
  const tested = `tested with ${TESTED[vendor]}`;
  if (version === undefined) return warn(check, `${program} does not tell its version; ${tested}`, MEND);
  const found = `${version} (${program}); ${tested}`;
  return isOlder(version, TESTED[vendor]) ? warn(check, found, UPDATE) : ok(check, found);
}

/** The first version in what it prints; undefined where it fails, prints none, or takes too long. */
async function versionOf(
  program: string,
  { children, deadlineMs }: { readonly children: Readonly<Record<string, string>>; readonly deadlineMs: number },
): Promise<string | undefined> {
  return withProbeFolder(realpathSync(tmpdir()), async (home) => {
    const lines: string[] = [];
    const { ending, exitCode } = await createExecutor().run({
      argv: [program, "--version"],
      cwd: home,
      env: { ...children, ...homes(home) },
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

/** Where these programs keep what is theirs. */
function homes(home: string): Readonly<Record<string, string>> {
  const own = ["HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"];
  const xdg = ["CONFIG", "DATA", "STATE", "CACHE"].map((name) => `XDG_${name}_HOME`);
  return { ...Object.fromEntries([...own, ...xdg].map((name) => [name, home])), GEMINI_CLI_NO_RELAUNCH: "1" };
}

/** By its three numbers. */
function isOlder(version: string, tested: string): boolean {
  const numbers = (text: string): readonly number[] => text.split("-", 1)[0]?.split(".").map(Number) ?? [];
  const [a, b] = [numbers(version), numbers(tested)];
  const differs = a.findIndex((number, i) => number !== b[i]);
  return differs >= 0 && (a[differs] ?? 0) < (b[differs] ?? 0);
}
