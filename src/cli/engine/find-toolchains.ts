import { installedTools, versionOnPath } from "../../adapters/toolchains/installed.ts";
import { type BatchProblem, type Locate, problemAt } from "../../domain/batch/problem.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { isWanted, newestFirst, TOOLCHAIN_FILES, type WantedTool, wantedTools } from "../../domain/toolchains/wanted.ts";
import { plainText } from "../../domain/values/text.ts";
import { readBaseFiles } from "./base-files.ts";

/** A toolchain that a repository wants, and where it is. */
export interface FoundToolchain {
  readonly repo: string;
  readonly wanted: WantedTool;
  /** Its version; undefined if none that fits is installed. */
  readonly version?: string | undefined;
  /** The folder that goes first on the PATH; absent if PATH has a version that fits. */
  readonly bin?: string | undefined;
  /** What PATH has instead. */
  readonly onPath?: string | undefined;
}

/** Looks for the toolchains that repositories want at the tips of their bases: on PATH, then among those of version managers. */
export async function findToolchains(
  repos: Batch["repos"],
  { env, homes }: { readonly env: Readonly<Record<string, string>>; readonly homes: readonly string[] },
): Promise<readonly FoundToolchain[]> {
  const found = await Promise.all(
    Object.entries(repos).map(async ([repo, spec]) => {
      const files = await readBaseFiles(spec, TOOLCHAIN_FILES);
      const texts = [...files].flatMap(([name, file]) => (file === "too large" ? [] : [[name, file.text] as const]));
      return Promise.all(wantedTools(new Map(texts)).map((wanted) => find({ repo, wanted }, { env, homes })));
    }),
  );
  return found.flat();
}

async function find(
  about: Pick<FoundToolchain, "repo" | "wanted">,
  { env, homes }: { readonly env: Readonly<Record<string, string>>; readonly homes: readonly string[] },
): Promise<FoundToolchain> {
  const { wanted } = about;
  const onPath = await versionOnPath(wanted.tool, env);
  if (onPath !== undefined && isWanted(wanted, onPath)) return { ...about, version: onPath };
  const fitting = installedTools(wanted.tool, homes).filter(({ version }) => isWanted(wanted, version));
  const [best] = fitting.toSorted((a, b) => newestFirst(a.version, b.version));
  return best === undefined ? { ...about, onPath } : { ...about, version: best.version, bin: best.bin };
}

/** The PATH of each repository whose toolchains are not those of `path`. */
export function toolchainPaths(found: readonly FoundToolchain[], path: string): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const { repo, bin } of found) if (bin !== undefined) paths.set(repo, `${bin}:${paths.get(repo) ?? path}`);
  return paths;
}

/** What is missing, at the repository's place in the batch file. A run starts all the same: many a pin is stricter than the tests. */
export function toolchainWarnings(found: readonly FoundToolchain[], locate: Locate): readonly BatchProblem[] {
  return found.flatMap(({ repo, wanted, version, onPath }): BatchProblem[] => {
    if (version !== undefined) return [];
    const instead = onPath === undefined ? "PATH has none that could be used" : `PATH has ${onPath}`;
    const message = `wants ${wanted.tool} ${plainText(wanted.wants, 80)} (${wanted.file}), which is not installed; ${instead}`;
    const hint = "install it with your version manager, or see that the checks pass without it";
    return [{ ...problemAt(locate, ["repos", repo], `${repo} ${message}`, hint), atStart: true }];
  });
}
