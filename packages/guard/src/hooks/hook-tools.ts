import type { HookVendor } from "./hook-event.ts";
import { isReadingTool } from "./reading-tool.ts";

/** What a tool would do to files and in a shell, by its input. */
export interface ToolUse {
  /** Command lines for a shell. */
  readonly commands?: readonly string[];
  /** Files and folders that it reads. */
  readonly reads?: readonly string[];
  /** Files that it writes. */
  readonly writes?: readonly string[];
  /** The folder that a command names for itself. */
  readonly folder?: string;
  /** True if the commands may be none of a shell: a tool that is not known has a member of that name. */
  readonly isGuess?: boolean;
}

/** The tool of each vendor that runs a command line, as its hook names it. */
export const SHELL_TOOLS: Readonly<Record<HookVendor, string>> = {
  claude: "Bash",
  codex: "Bash",
  gemini: "run_shell_command",
  opencode: "bash",
};

type Input = Readonly<Record<string, unknown>>;
/** Undefined if the input is not the tool's. */
type ToolReader = (input: Input) => ToolUse | undefined;

/** Tools that are judged, by the names of the versions in hook-event.ts and of earlier ones. */
const TOOLS: Readonly<Record<HookVendor, Readonly<Record<string, ToolReader>>>> = {
  claude: {
    Bash: runs("command"),
    Monitor: (input) => (input["command"] === undefined ? {} : runs("command")(input)),
    Read: reads("file_path"),
    Grep: searches("path"),
    Glob: searches("path"),
    LS: searches("path"),
    LSP: searches("filePath"),
    Edit: writes("file_path"),
    MultiEdit: writes("file_path"),
    Write: writes("file_path"),
    NotebookEdit: writes("notebook_path"),
  },
  codex: {
    // The hook's name for exec_command and the shell tools of earlier versions.
    Bash: runs("command", "cmd"),
    apply_patch: patches("command", "input", "patch"),
    view_image: reads("path"),
  },
  gemini: {
    run_shell_command: runs("command"),
    read_file: reads("file_path", "absolute_path"),
    read_many_files: reads("include", "paths"),
    grep_search: searches("dir_path", "path"),
    search_file_content: searches("dir_path", "path"),
    glob: searches("dir_path", "path"),
    list_directory: searches("dir_path", "path"),
    write_file: writes("file_path"),
    replace: writes("file_path"),
  },
  opencode: {
    bash: runs("command"),
    read: reads("filePath"),
    grep: searches("path"),
    glob: searches("path"),
    list: searches("path"),
    write: writes("filePath"),
    edit: writes("filePath"),
    multiedit: writes("filePath"),
    patch: patches("patchText"),
    apply_patch: patches("patchText"),
  },
};

/** What the use of a tool would do. Undefined if the tool is one that is judged, and its input is not the tool's. */
export function toolUse(vendor: HookVendor, tool: string, input: Input): ToolUse | undefined {
  const table = TOOLS[vendor];
  return Object.hasOwn(table, tool) ? table[tool]?.(input) : guessed(tool, input);
}

/**
 * A tool that is not known, a server's for example: members that usually are command lines or files count as such. Unless it says that it
 * reads, it may write the files, too.
 */
function guessed(tool: string, input: Input): ToolUse {
  const commands = ["command", "cmd"].flatMap((name) => commandIn(input[name]) ?? []);
  const named = ["path", "file_path", "filePath", "paths", "source", "destination"].flatMap((name) => input[name] ?? []);
  const paths = named.filter((path): path is string => typeof path === "string");
  const use: ToolUse = commands.length > 0 ? { ...withPatches(commands, input), isGuess: true } : {};
  if (paths.length === 0) return use;
  const writes = isReadingTool(tool, input) ? [] : paths;
  return { ...use, reads: paths, writes: [...(use.writes ?? []), ...writes] };
}

function runs(...members: readonly string[]): ToolReader {
  return (input) => {
    const [command] = members.flatMap((name) => commandIn(input[name]) ?? []);
    return command === undefined ? undefined : withPatches([command], input);
  };
}

/** Codex sends patches as commands, too: `apply_patch <<'EOF'`. */
function withPatches(commands: readonly string[], input: Input): ToolUse {
  const folder = ["dir_path", "directory", "workdir"].map((name) => input[name]).find((value) => typeof value === "string");
  const patched = commands.flatMap((command) => (command.includes("*** Begin Patch") ? patchedPaths(command) : []));
  return { commands, writes: patched.length > 0 ? patched : undefined, folder };
}

function reads(...members: readonly string[]): ToolReader {
  return (input) => namedPaths(input, members, (paths) => ({ reads: paths }));
}

function writes(...members: readonly string[]): ToolReader {
  return (input) => namedPaths(input, members, (paths) => ({ writes: paths }));
}

/** A search that names no folder searches the current one. */
function searches(...members: readonly string[]): ToolReader {
  return (input) => {
    const paths = members.flatMap((name) => input[name] ?? []);
    return paths.every((path): path is string => typeof path === "string") ? { reads: paths } : undefined;
  };
}

function patches(...members: readonly string[]): ToolReader {
  return (input) => {
    const [patch] = members.flatMap((name) => commandIn(input[name]) ?? []);
    const paths = patch === undefined ? [] : patchedPaths(patch);
    return paths.length === 0 ? undefined : { writes: paths };
  };
}

function namedPaths(input: Input, members: readonly string[], use: (paths: readonly string[]) => ToolUse): ToolUse | undefined {
  const paths = members.flatMap((name) => input[name] ?? []);
  const named = paths.filter((path): path is string => typeof path === "string" && path !== "");
  return paths.length > 0 && named.length === paths.length ? use(named) : undefined;
}

/** A command line, or the words of a command. */
function commandIn(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || value.length === 0 || !value.every((word) => typeof word === "string")) return undefined;
  return value.map((word: string) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

const PATCHED = /^\s*\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)$/gm;

/** The files that a patch in Codex's format changes. */
function patchedPaths(patch: string): readonly string[] {
  return [...patch.matchAll(PATCHED)].map(([, path = ""]) => path.trim());
}
