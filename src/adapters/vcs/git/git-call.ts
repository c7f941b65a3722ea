import { ENGINE_AUTHOR } from "../../../ports/vcs.ts";

/** One git process. Directories are absolute; nothing is resolved against the current folder. */
export interface GitCall {
  readonly args: readonly string[];
  readonly gitDir: string;
  /** Given for linked worktrees, so that a `commondir` file in `gitDir`, which a worker can write, is never followed. */
  readonly commonDir?: string;
  readonly workTree?: string;
  readonly index?: string;
  readonly objects?: string;
  /** Further object folders, which are only read. */
  readonly borrowed?: readonly string[];
  /** The repository's list of shallow commits, if it is a shallow clone. */
  readonly shallow?: string;
  /** Settings for this process; they outrank every configuration file. */
  readonly config?: readonly Setting[];
  /** Time without output after which the process counts as stuck, where it is not the usual one. Milliseconds. */
  readonly silenceMs?: number;
  /** The input of git on stdin. Never empty: simple-git leaves stdin open then. */
  readonly input?: string;
  /**
   * Set if a session answers this call; it says how an answer ends: with one line, as a transaction of `update-ref --stdin`, with the
   * echo of a line that is no object, or as two results of `merge-tree --stdin -z`. `input` is the question. For the last two, `stdout` is
   * binary (each character a byte), and what takes long or is long is no answer (status null).
   */
  readonly session?: "line" | "transaction" | "echo" | "merges";
  /** Gets stdout in bytes as it arrives; the answer "stop" ends the process. */
  readonly onOutput?: (chunk: Buffer) => "more" | "stop";
  /** Set if git works on a person's files: the variables by which it finds the person's settings, which count then. */
  readonly person?: Readonly<Record<string, string>>;
  /** Set if git asks a remote: the one protocol that it may use, and the variables that this takes. */
  readonly remote?: { readonly protocol: string; readonly env: Readonly<Record<string, string>> };
  /** Set if git reads a worker's leftovers: it is bounded then, and the caller can kill it unless a session answers. */
  readonly bounded?: BoundedStart;
}

/** The command that starts a bounded process: the process itself, or its sandbox. All fields can be sent to another process. */
export interface BoundedStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** See `Confined.files`. */
  readonly files?: readonly string[];
  /**
   * The name of a shell that is started in this way unless it runs, and then runs the text in `input`, a subshell's. Without a text
   * it is ended. One process must be asked always.
   */
  readonly shell?: string;
}

export type Setting = readonly [key: string, value: string];

export interface GitResult {
  /** Exit code; null if a signal ended the process. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** True if `onOutput` ended it. */
  readonly stopped: boolean;
}

/** A git process that should have succeeded but failed. */
export class GitFailure extends Error {
  override readonly name = "GitFailure";
  readonly status: number | null;
  readonly stderr: string;

  constructor(args: readonly string[], result: GitResult) {
    const said = result.stderr.trim() || result.stdout.trim() || "it said nothing";
    super(`git ${args[0] ?? ""} failed (exit ${result.status ?? "by signal"}): ${said.slice(0, 2000)}`);
    this.status = result.status;
    this.stderr = result.stderr;
  }
}

/** There is no git program. */
export class GitMissing extends Error {
  override readonly name = "GitMissing";
}

/**
 * Settings of every git process: no program that a repository's configuration names runs, nothing is fetched, and no housekeeping
 * starts in the background. They are passed in the environment, because `-c` cannot carry a name that contains "=".
 */
const SAFE: readonly Setting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.untrackedCache", "false"],
  ["core.splitIndex", "false"],
  ["core.alternateRefsCommand", "false"],
  // Git trusts this cache without reading the commits: whoever can write it can make a branch appear to contain anything.
  ["core.commitGraph", "false"],
  ["core.filesRefLockTimeout", "2000"],
  ["core.packedRefsTimeout", "5000"],
  ["core.bigFileThreshold", "32m"],
  // Names that another system takes for .git are refused on every system: the result is checked out on others.
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["commit.gpgSign", "false"],
  ["submodule.recurse", "false"],
  ["log.mailmap", "false"],
  ["protocol.allow", "never"],
];

/** The author of commits that loopdash makes itself. */
export const IDENTITY = ENGINE_AUTHOR;
export const MAIL = "loopdash@localhost";

const NO_SETTINGS = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" } as const;

/** The whole environment of a git process: an allow-list, so that neither GIT_* nor secrets get in. */
export function gitEnvironment(call: GitCall): Record<string, string> {
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
    LANG: "C",
    LC_ALL: "C",
    GIT_DIR: call.gitDir,
    ...(call.person ?? NO_SETTINGS),
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    // Overrides a repository's permission for one protocol, which a setting cannot do; older gits do not know the line before.
    GIT_ALLOW_PROTOCOL: "none",
    GIT_AUTHOR_NAME: IDENTITY,
    GIT_AUTHOR_EMAIL: MAIL,
    GIT_COMMITTER_NAME: IDENTITY,
    GIT_COMMITTER_EMAIL: MAIL,
  };
  const tz = process.env["TZ"];
  if (tz !== undefined) env["TZ"] = tz;
  if (call.commonDir !== undefined) env["GIT_COMMON_DIR"] = call.commonDir;
  if (call.workTree !== undefined) env["GIT_WORK_TREE"] = call.workTree;
  // These take the current folder for the checkout, and read .gitmodules there. `read-tree` needs one for submodules.
  else if (["diff", "log"].includes(call.args[0] ?? "")) env["GIT_IMPLICIT_WORK_TREE"] = "0";
  if (call.index !== undefined) env["GIT_INDEX_FILE"] = call.index;
  if (call.objects !== undefined) env["GIT_OBJECT_DIRECTORY"] = call.objects;
  if (call.borrowed !== undefined) env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = folderList(call.borrowed);
  if (call.shallow !== undefined) env["GIT_SHALLOW_FILE"] = call.shallow;
  if (call.remote !== undefined) Object.assign(env, call.remote.env, { GIT_ALLOW_PROTOCOL: call.remote.protocol });
  const settings = [...SAFE, ...(call.config ?? [])];
  env["GIT_CONFIG_COUNT"] = String(settings.length);
  for (const [i, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${i}`] = key;
    env[`GIT_CONFIG_VALUE_${i}`] = value;
  }
  return env;
}

/** A list of folders in a git variable, separated by colons: in C quotes, since a path may contain a colon (git(1)). */
export function folderList(paths: readonly string[]): string {
  const quoted = (path: string) => `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
  return paths.map(quoted).join(":");
}

/** The shape of an object id: SHA-1 or SHA-256, whole and lower case. */
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** True if `text` is a whole object id. */
export function isObjectId(text: string): boolean {
  return OBJECT_ID.test(text);
}

/** Returns `id` if it is a whole object id. Throws a RangeError otherwise, so that no option or expression gets through. */
export function objectId(id: string): string {
  if (!isObjectId(id)) throw new RangeError(`not an object id: ${JSON.stringify(id).slice(0, 100)}`);
  return id;
}

/**
 * Characters that git refuses within a branch name (git-check-ref-format(1)): a wrong name would be read as a revision
 * expression.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const REFUSED = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$|^@$/;

/** The reason why `name` cannot name a branch, or undefined if it can. */
export function unfitBranchName(name: string): string | undefined {
  if (name === "") return "it is empty";
  if (Buffer.byteLength(name) > 250) return "it is too long";
  if (REFUSED.test(name)) return "git does not allow such a name";
  if (name.split("/").some((part) => part.startsWith(".") || part.endsWith(".lock"))) {
    return "no part of it may start with a dot or end with .lock";
  }
  return undefined;
}

/** The full ref of a branch. Throws a RangeError on a name that git would not allow. */
export function branchRef(name: string): string {
  const reason = unfitBranchName(name);
  if (reason !== undefined) throw new RangeError(`"${displayName(name)}" cannot name a branch: ${reason}`);
  return `refs/heads/${name}`;
}

/** A file or branch name for a message: quoted like JSON if it contains anything but plain visible characters. */
export function displayName(name: string): string {
  return /^[\p{L}\p{N}\p{P}\p{S} ]*$/u.test(name) ? name : JSON.stringify(name).replace(/[\u007f-\u{10ffff}]/gu, escaped);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
