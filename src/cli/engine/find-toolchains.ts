import {
  defaultBehindShim,
  installedTools,
  rustupToolchain,
  versionOnPath,
  withoutShims,
} from "../../adapters/toolchains/installed.ts";
import { type BatchProblem, type Locate, problemAt } from "../../domain/batch/problem.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import {
  isWanted,
  newestFirst,
  TOOLCHAIN_FILES,
  TOOLS,
  type Tool,
  type WantedTool,
  wantedTools,
} from "../../domain/toolchains/wanted.ts";
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

/** How commands find toolchains, by repository. */
export interface ToolchainPaths {
  /** The PATH of repositories whose toolchains are not those of PATH. */
  readonly paths: ReadonlyMap<string, string>;
  /** Variables with which version managers obey no file of a checkout. */
  readonly careful: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** The toolchains that shims of PATH pick by themselves, and the folders of their programs. */
export type ShimDefaults = ReadonlyMap<Tool, string>;

/** Asks every shim of PATH for the version that it picks by itself. A shim may take 0.1 s to answer. */
export async function findShimDefaults(env: Readonly<Record<string, string>>): Promise<ShimDefaults> {
  const asked = await Promise.all(TOOLS.map(async (tool) => [tool, await defaultBehindShim(tool, env)] as const));
  return new Map(asked.flatMap(([tool, bin]) => (bin === undefined ? [] : [[tool, bin]])));
}

/**
 * The PATH of each repository whose toolchains are not those of PATH. Where a repository pins no version of a tool, or one that is
 * not installed, and PATH has a shim for it, the version that the shim picks by itself comes first: a shim would obey what a
 * candidate pins.
 */
export function toolchainPaths(
  found: readonly FoundToolchain[],
  {
    repos,
    env,
    defaults,
  }: { readonly repos: Batch["repos"]; readonly env: Readonly<Record<string, string>>; readonly defaults: ShimDefaults },
): ToolchainPaths {
  const { PATH = "" } = env;
  const paths = new Map<string, string>();
  const careful = new Map<string, Readonly<Record<string, string>>>();
  for (const repo of Object.keys(repos)) {
    const own = found.filter((each) => each.repo === repo);
    const pinned = own.flatMap(({ bin }) => bin ?? []);
    const isFound = (tool: Tool) => own.some(({ version, wanted }) => wanted.tool === tool && version !== undefined);
    const others = [...defaults].flatMap(([tool, bin]) => (isFound(tool) ? [] : [bin]));
    const first = [...new Set([...pinned.toReversed(), ...others])];
    if (first.length > 0) paths.set(repo, [...first, PATH].join(":"));
    const rust = own.find(({ wanted }) => wanted.tool === "rust")?.bin ?? defaults.get("rust");
    careful.set(repo, { PATH: withoutShims([...first, PATH].join(":")), RUSTUP_TOOLCHAIN: rustupToolchain(rust) });
  }
  return { paths, careful };
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
