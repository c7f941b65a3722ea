import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Tool } from "../../domain/toolchains/wanted.ts";
import { hasErrorCode } from "../../domain/values/error-text.ts";
import { runBriefly } from "../executor/brief-run.ts";
import { resolveProgram } from "../executor/resolve-program.ts";

/** A toolchain that is installed in a home. */
export interface InstalledTool {
  readonly tool: Tool;
  /** As its folder is called, without a leading `v`, `go` or `cpython-`. */
  readonly version: string;
  /** The folder of its programs. */
  readonly bin: string;
}

/** Folders with one folder per version, and the way from there to the programs, by version manager. The sandbox shows all of them. */
const PLACES: Readonly<Record<Tool, readonly (readonly [versions: string, bin: string])[]>> = {
  node: [
    [".nvm/versions/node", "bin"],
    [".local/share/fnm/node-versions", "installation/bin"],
    [".fnm/node-versions", "installation/bin"],
    [".volta/tools/image/node", "bin"],
    [".asdf/installs/nodejs", "bin"],
    [".local/share/mise/installs/node", "bin"],
    [".n/n/versions/node", "bin"],
  ],
  python: [
    [".pyenv/versions", "bin"],
    [".asdf/installs/python", "bin"],
    [".local/share/mise/installs/python", "bin"],
    [".local/share/uv/python", "bin"],
  ],
  rust: [[".rustup/toolchains", "bin"]],
  go: [
    [".asdf/installs/golang", "go/bin"],
    [".local/share/mise/installs/go", "bin"],
    [".goenv/versions", "bin"],
  ],
  ruby: [
    [".rbenv/versions", "bin"],
    [".asdf/installs/ruby", "bin"],
    [".local/share/mise/installs/ruby", "bin"],
  ],
};

/** A program of each toolchain, and the arguments by which it tells its version. */
const PROGRAMS: Readonly<Record<Tool, readonly [string, string]>> = {
  node: ["node", "--version"],
  python: ["python3", "--version"],
  rust: ["rustc", "--version"],
  go: ["go", "version"],
  ruby: ["ruby", "--version"],
};

/** Folders whose programs only pick the program to run, by files that a sandbox may not show. */
const SHIMS = /\/(?:shims|\.volta\/bin|\.cargo\/bin|fnm_multishells)(?:\/|$)/;
const VERSION_MS = 10_000;

/** The toolchains of one kind in these homes. */
export function installedTools(tool: Tool, homes: readonly string[]): readonly InstalledTool[] {
  const [program] = PROGRAMS[tool];
  return homes.flatMap((home) =>
    PLACES[tool].flatMap(([versions, path]) =>
      foldersIn(join(home, versions)).flatMap((name): InstalledTool[] => {
        const bin = join(home, versions, name, path);
        const version = name.replace(/^(?:v|go|cpython-)(?=\d)/, "").replace(/(?<=^\d[\d.]*)-(?:linux|macos|darwin).*$/, "");
        return existsSync(join(bin, program)) ? [{ tool, version, bin }] : [];
      }),
    ),
  );
}

/** The version that a PATH has; undefined if it has none, or one that does not tell. A shim is none: it needs its settings. */
export async function versionOnPath(tool: Tool, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  const [program, ask] = PROGRAMS[tool];
  const found = await resolveProgram(program, { cwd: "/", path: env["PATH"] ?? "" });
  if (found === undefined || SHIMS.test(found)) return undefined;
  const { exitCode, stdout, stderr } = await runBriefly([found, ask], { env, timeoutMs: VERSION_MS });
  return exitCode === 0 ? /\d+\.\d+(?:\.\d+)?/.exec(`${stdout} ${stderr}`)?.[0] : undefined;
}

/** Folders, not links: managers link `20` and `lts` to a version that is there by its own name. */
function foldersIn(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry: Dirent) => entry.isDirectory())
      .map(({ name }) => name);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES")) return [];
    throw error;
  }
}
