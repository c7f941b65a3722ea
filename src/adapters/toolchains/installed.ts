import { type Dirent, existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Tool } from "../../domain/toolchains/wanted.ts";
import { hasErrorCode } from "../../domain/values/text.ts";
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

/** A program of each toolchain that tells where its real programs are, and how far above them that is. */
const WHERE: Readonly<Record<Exclude<Tool, "rust">, readonly [argv: readonly string[], bin: string]>> = {
  node: [["node", "-p", "process.execPath"], ".."],
  python: [["python3", "-I", "-c", "import sys; print(sys.executable)"], ".."],
  go: [["go", "env", "GOROOT"], "bin"],
  ruby: [["ruby", "-e", "print RbConfig.ruby"], ".."],
};

/** Folders whose programs only pick the program to run, by files that a sandbox may not show; and the programs behind links to such ones. */
const SHIMS = /\/(?:shims|\.volta\/bin|\.cargo\/bin|fnm_multishells)(?:\/|$)|\/(?:rustup|volta-shim|mise|asdf)$/;
const VERSION_MS = 10_000;

/** The toolchains of one kind in these homes. */
export function installedTools(tool: Tool, homes: readonly string[]): readonly InstalledTool[] {
  const [program] = PROGRAMS[tool];
  return homes.flatMap((home) =>
    PLACES[tool].flatMap(([versions, path]) =>
      foldersIn(join(home, versions)).flatMap((name): InstalledTool[] => {
        const bin = join(home, versions, name, path);
        const version = name.replace(/^(?:v|go|cpython-)(?=\d)/, "").replace(/^(\d[\d.]*)-(?:linux|macos|darwin).*/s, "$1");
        return existsSync(join(bin, program)) ? [{ tool, version, bin }] : [];
      }),
    ),
  );
}

/** The version that a PATH has; undefined if it has none, or one that does not tell. A shim is none: it needs its settings. */
export async function versionOnPath(tool: Tool, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  const [program, ask] = PROGRAMS[tool];
  const found = await resolveProgram(program, { cwd: "/", path: env["PATH"] ?? "" });
  if (found === undefined || isShim(found)) return undefined;
  const { exitCode, stdout, stderr } = await runBriefly([found, ask], { env, timeoutMs: VERSION_MS });
  return exitCode === 0 ? /(?<!\d)\d+\.\d+(?:\.\d+)?/.exec(`${stdout} ${stderr}`)?.[0] : undefined;
}

/**
 * The folder of the programs that a shim of PATH picks where no file pins a version; undefined if PATH has no shim for this tool,
 * or one that picks nothing. A shim reads such files in the folder that it runs in, and so those of a candidate.
 */
export async function defaultBehindShim(tool: Tool, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  const [program] = PROGRAMS[tool];
  const found = await resolveProgram(program, { cwd: "/", path: env["PATH"] ?? "" });
  if (found === undefined || !isShim(found)) return undefined;
  // Rustup's shim would write its settings into a home that has none.
  if (tool === "rust") return defaultOfRustup(env);
  const [[, ...args], bin] = WHERE[tool];
  const { exitCode, stdout } = await runBriefly([found, ...args], { env, timeoutMs: VERSION_MS, cwd: "/" });
  const place = stdout.trim();
  return exitCode === 0 && isAbsolute(place) ? join(place, bin) : undefined;
}

/** The folder of the default toolchain's programs, as rustup's settings name it. */
function defaultOfRustup({ HOME, RUSTUP_HOME }: Readonly<Record<string, string>>): string | undefined {
  const home = RUSTUP_HOME ?? (HOME === undefined ? undefined : join(HOME, ".rustup"));
  const settings = home === undefined ? undefined : join(home, "settings.toml");
  if (home === undefined || settings === undefined || !existsSync(settings)) return undefined;
  const [, name] = /^default_toolchain\s*=\s*"([\w.-]+)"/m.exec(readFileSync(settings, "utf8")) ?? [];
  const bin = name === undefined ? undefined : join(home, "toolchains", name, "bin");
  return bin !== undefined && existsSync(bin) ? bin : undefined;
}

/** Folders whose programs run what a file of the current folder names, which may be a path in it. */
const OBEYING = /\/shims\/?$/;

/** A PATH without the folders of shims that run what a file of the current folder names. */
export function withoutShims(path: string): string {
  return path
    .split(":")
    .filter((entry) => !OBEYING.test(entry))
    .join(":");
}

/**
 * The toolchain that rustup is told to use, from the folder of its programs: it then reads no file of the current folder. Without
 * one, a name that rustup refuses.
 */
export function rustupToolchain(bin: string | undefined): string {
  const name = bin === undefined ? undefined : /\/toolchains\/([^/]+)\/bin$/.exec(bin)?.[1];
  return name ?? "none";
}

function isShim(program: string): boolean {
  return SHIMS.test(program) || SHIMS.test(realpathSync(program));
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
