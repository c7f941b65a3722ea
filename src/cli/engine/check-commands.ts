import { existsSync } from "node:fs";
import { isAbsolute, join, normalize, relative, resolve } from "node:path";
import { resolveProgram } from "../../adapters/executor/resolve-program.ts";
import { findInside } from "../../adapters/sandbox/find-inside.ts";
import { type BatchPaths, namedFiles, type UnshownPath } from "../../adapters/sandbox/named-files.ts";
import { type BatchCommand, findNamedScript, listBatchCommands } from "../../domain/batch/commands.ts";
import { isParty } from "../../domain/batch/party.ts";
import { prepareCommands } from "../../domain/batch/prepare-command.ts";
import { madeBy } from "../../domain/batch/prepare-makes.ts";
import { type BatchProblem, formatProblems, problemAt, sortProblems } from "../../domain/batch/problem.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { Sandbox } from "../../ports/executor.ts";
import { type BaseEntry, baseEntries } from "./base-files.ts";
import { dockerProblem } from "./docker.ts";
import type { LoadedBatch } from "./load-batch.ts";

/** What a look at the commands needs beside the batch. */
export interface CheckCommandsOptions {
  readonly sandbox: Sandbox | undefined;
  readonly places: BatchPaths;
  /** The environment of the commands. */
  readonly env: Readonly<Record<string, string>>;
  /** The PATH of a repository's commands, if it is another one. */
  readonly paths: ReadonlyMap<string, string>;
}

/** The programs and scripts that a batch names and that its commands would not find. */
export interface CommandFindings {
  /** They refuse the start. */
  readonly missing: readonly BatchProblem[];
  /** The run starts: something may still make them. */
  readonly warnings: readonly BatchProblem[];
}

/** A file of a repository that a command names. */
interface InRepo {
  readonly command: BatchCommand;
  readonly at: number;
  readonly candidates: readonly string[];
}

/** Records a problem of a command, or of its word `at`. */
type Report = (
  level: keyof CommandFindings,
  place: Pick<BatchCommand, "path" | "foundIn" | "isLaw"> & { readonly at?: number | undefined },
  message: string,
  hint?: string,
) => void;

const OWN_LAW = "correct the law, or make its program available to checks";
const OWN_CHECK = 'install what it needs, or write a "finish" with a check of your own';

/** Makes a path in the batch's folder, or one outside of it, readable in the sandbox. */
const openIt = (path: string) => `add "sandboxPolicy": {"read": [${JSON.stringify(path)}]}`;

/**
 * Looks for every program and script of every command where the command will look for it: on PATH, in the batch's folder, at the
 * tip of its repository's base, and, if there is a sandbox, from inside it. Starts none of them.
 */
export async function checkCommands(loaded: LoadedBatch, options: CheckCommandsOptions): Promise<CommandFindings> {
  const found = { missing: [] as BatchProblem[], warnings: [] as BatchProblem[] };
  const report: Report = (level, { path, foundIn, isLaw, at }, message, hint) => {
    const problem =
      foundIn === undefined
        ? problemAt(loaded.locate, at === undefined ? path : [...path, at], message, hint)
        : problemAt(
            loaded.locate,
            path,
            `${isLaw === true ? "the iron law" : "the test command found"} in ${foundIn}: ${message}`,
            hint ?? (isLaw === true ? OWN_LAW : OWN_CHECK),
          );
    found[level].push(level === "warnings" ? { ...problem, atStart: true } : problem);
  };
  const { batch } = loaded;
  const commands = listBatchCommands(batch);
  for (const command of commands) {
    const isConfined = options.sandbox !== undefined && command.unsandboxed !== true;
    if (isConfined) reportUnshown(command, options, batch, report);
    const docker = isConfined ? dockerProblem(command, batch) : undefined;
    if (docker !== undefined) report(docker.isFatal ? "missing" : "warnings", command, docker.message, docker.hint);
  }
  await reportPrograms(commands, options, report);
  await reportRepoFiles(commands, { ...options, batch, folder: loaded.folder }, report);
  if (options.sandbox !== undefined) await reportInside(commands, { ...options, sandbox: options.sandbox, batch }, report);
  return { missing: sortProblems(found.missing), warnings: sortProblems(found.warnings) };
}

/** The refusal of a start whose commands would not find what they name; exit 4. */
export function refuseMissing(file: string, missing: readonly BatchProblem[]): void {
  if (missing.length === 0) return;
  throw new UserError({
    what: "the batch names programs or files that a run could not use",
    why: formatProblems(file, missing),
    todo: "Correct them, or see docs/use/batch-file.md on the files that a batch names.",
    exitCode: EXIT.refused,
  });
}

const WHY: Readonly<Record<UnshownPath["why"], string>> = {
  missing: "there is no such file",
  hidden: "it is, or holds, the tracker, the oracle or loopdash's state, which no command may see",
  "whole-folder": "it is the batch file's whole folder or a folder around it, which is not shown in the sandbox",
};

function reportUnshown(command: BatchCommand, { places }: CheckCommandsOptions, { sandboxPolicy }: Batch, report: Report): void {
  const { argv } = command;
  const opened = [...(sandboxPolicy?.read ?? []), ...(sandboxPolicy?.write ?? [])];
  for (const { path: named, why } of namedFiles(argv, places).unshown) {
    if (why === "whole-folder" && opened.some((each) => named === each || named.startsWith(`${each}/`))) continue;
    const at = argv.findIndex((word) => word.includes(named));
    // Missing programs and scripts are reported with those outside the batch's folder.
    if (why === "missing" && (at === 0 || at === findNamedScript(argv)?.at)) continue;
    const hint = why === "whole-folder" ? `name a file or a subfolder, or ${openIt(named)}` : undefined;
    report("missing", { ...command, at }, `${plainText(named, 200)}: ${WHY[why]}`, hint);
  }
}

/** Programs that are not there, and scripts that are named by an absolute path. */
async function reportPrograms(
  commands: readonly BatchCommand[],
  { env, places, paths }: CheckCommandsOptions,
  report: Report,
): Promise<void> {
  for (const command of commands) {
    const { argv, runs, repo = "" } = command;
    reportScript(command, places, report);
    const [program = ""] = argv;
    // The agent's and the reviewers' programs are looked up beside the batch file, before this.
    const isElsewhere = isParty(runs) || (program.includes("/") && !isAbsolute(program));
    if (isElsewhere || isInside(program, places.repos)) continue;
    if ((await resolveProgram(program, { cwd: "/", path: paths.get(repo) ?? env["PATH"] ?? "" })) !== undefined) continue;
    const absent = existsSync(program) ? "it is there, and not executable (chmod +x)" : "there is no such file";
    const message = isAbsolute(program) ? absent : "no folder of PATH has this program";
    report("missing", { ...command, at: 0 }, `${quoted(program)}: ${message}`);
  }
}

function reportScript(command: BatchCommand, { folder, repos }: BatchPaths, report: Report): void {
  const { argv } = command;
  const script = findNamedScript(argv);
  // The commands of secrets run in the batch file's folder.
  const paths = script?.candidates.map((each) => (command.runs === "secret" ? resolve(folder, each) : each)) ?? [];
  const named = paths.filter((each) => isAbsolute(each) && !isInside(each, repos));
  if (script === undefined || named.length === 0 || named.some((each) => existsSync(each))) return;
  report("missing", { ...command, at: script.at }, `${quoted(argv[script.at])}: there is no such file`);
}

/** The program and the script of a command, if they are files of its checkout. */
function repoFilesOf(command: BatchCommand, repos: Batch["repos"]): readonly InRepo[] {
  const { argv, runs, repo } = command;
  if (runs === "secret") return [];
  const top = repo === undefined ? undefined : repos[repo]?.path;
  const inRepo = (paths: readonly string[]) =>
    paths.flatMap((path) => {
      if (!isAbsolute(path)) return [normalize(path)];
      return top !== undefined && path.startsWith(`${top}/`) ? [normalize(relative(top, path))] : [];
    });
  const [program = ""] = argv;
  const isOwn = !isParty(runs) && program.includes("/");
  const script = findNamedScript(argv);
  return [
    ...(isOwn ? [{ command, at: 0, candidates: inRepo([program]) }] : []),
    ...(script === undefined ? [] : [{ command, at: script.at, candidates: inRepo(script.candidates) }]),
  ].filter(({ candidates }) => candidates.length > 0);
}

async function reportRepoFiles(
  commands: readonly BatchCommand[],
  { batch, folder }: { readonly batch: Batch; readonly folder: string },
  report: Report,
): Promise<void> {
  const wanted = commands.flatMap((command) => repoFilesOf(command, batch.repos));
  if (wanted.length === 0) return;
  const names = [...new Set(wanted.flatMap(({ candidates }) => candidates))];
  const found = new Map<string, ReadonlyMap<string, BaseEntry>>();
  for (const [id, repo] of Object.entries(batch.repos)) found.set(id, await baseEntries(repo, names));
  for (const { command, at, candidates } of wanted) {
    const { repo } = command;
    const repos = repo === undefined ? [...found.keys()] : [repo];
    const entries = repos.flatMap((id) => candidates.flatMap((each) => found.get(id)?.get(each) ?? []));
    const place = { ...command, at };
    const [file = ""] = candidates;
    const shown = quoted(command.argv[at]);
    if (entries.length === 0) reportAbsent({ ...command, place, file, shown, folder }, batch, report);
    else if (at === 0 && entries.every(({ executable }) => !executable))
      report(
        "missing",
        place,
        `${shown} is not executable at the base`,
        "make it so (git update-index --chmod=+x) and commit it",
      );
  }
}

/** A file that prepare commands or a ticket may still make does not refuse the start. */
function reportAbsent(
  absent: Pick<BatchCommand, "repo" | "runs"> & {
    readonly place: Parameters<Report>[1];
    readonly file: string;
    readonly shown: string;
    readonly folder: string;
  },
  batch: Batch,
  report: Report,
): void {
  const { repo, runs, place, file, shown, folder } = absent;
  const spec = repo === undefined ? undefined : batch.repos[repo];
  const where =
    spec === undefined ? "neither beside the batch file nor in a repository" : `not at the tip of ${spec.base} in "${repo}"`;
  const message = `${shown} is ${where}`;
  if (existsSync(join(folder, file))) {
    report("missing", place, message, `the batch file's folder has one: write "{batch}/${file}"`);
    return;
  }
  const before = spec === undefined ? 0 : preparedBefore(runs, place, spec);
  const made = madeBy(prepareCommands((spec?.prepare ?? []).slice(0, before)), new Map());
  if (made.some((folder) => file.startsWith(`${folder}/`))) return;
  const base = file.split("/").at(-1) ?? file;
  const isPromised = batch.tickets.some(({ title, body }) => title.includes(base) || body.includes(base));
  if (before > 0)
    report(
      "warnings",
      place,
      message,
      `unless ${runs === "prepare" ? "an earlier prepare command makes" : "the prepare commands make"} it, the command cannot run`,
    );
  else if (isPromised) report("warnings", place, message, "unless a ticket makes it first, the command cannot run");
  else report("missing", place, message, "if a ticket is to make it, name it in the ticket's text");
}

/** The number of prepare commands that have run in a worktree before a command does: for one of these, those before it. */
function preparedBefore(
  runs: BatchCommand["runs"],
  { path }: Parameters<Report>[1],
  { prepare }: Batch["repos"][string],
): number {
  if (runs !== "prepare") return prepare.length;
  const at = path.find((part) => typeof part === "number");
  return typeof at === "number" ? at : 0;
}

/** Looks from inside the sandbox, with everything that the batch opens to its commands. */
async function reportInside(
  commands: readonly BatchCommand[],
  { batch, places, sandbox, ...where }: CheckCommandsOptions & { readonly sandbox: Sandbox; readonly batch: Batch },
  report: Report,
): Promise<void> {
  const { read = [], write = [] } = batch.sandboxPolicy ?? {};
  const env = { ...where.env, PATH: [...new Set([...where.paths.values(), where.env["PATH"] ?? ""])].join(":") };
  const wanted = commands.flatMap((command) => {
    if (command.unsandboxed === true) return [];
    const { argv } = command;
    const script = findNamedScript(argv);
    const paths =
      script === undefined ? [] : [{ command, at: script.at, names: script.candidates.filter((each) => isAbsolute(each)) }];
    const [program = ""] = argv;
    const isNamed = !program.includes("/") && !isParty(command.runs);
    return [...paths, ...(isNamed ? [{ command, at: 0, names: [program] }] : [])].filter(({ names }) => names.length > 0);
  });
  if (wanted.length === 0) return;
  const files = commands.flatMap(({ argv }) => namedFiles(argv, places).read);
  // What naming has not shown is reported already, and so is what is not there.
  const there = wanted.filter(({ names }) =>
    names.some((name) => !isAbsolute(name) || (existsSync(name) && isOutside(name, places))),
  );
  const names = [...new Set(there.flatMap((each) => each.names))];
  const outside = [...new Set(wanted.flatMap(({ command, names: all }) => shownToAgent(command, all)))];
  const inside = await findInside(sandbox, { names, env, read: [...read, ...files, ...outside], write });
  if (!inside.ok) {
    report("missing", { path: ["sandboxPolicy"] }, `the sandbox cannot be set up: ${plainText(inside.why, 300)}`);
    return;
  }
  for (const { command, at, names: all } of there) {
    if (all.some((name) => !inside.missing.has(name))) continue;
    const [name = ""] = all;
    const hint = isAbsolute(name) ? openIt(name) : undefined;
    // A name that no folder of PATH has is reported already.
    if (isAbsolute(name) || (await resolveProgram(name, { cwd: "/", path: env.PATH })) !== undefined)
      report("missing", { ...command, at }, `${quoted(name)} cannot be seen in the sandbox`, hint);
  }
}

/** The files outside the batch's folder that an agent's or a reviewer's command names are shown to it. */
function shownToAgent({ runs }: BatchCommand, names: readonly string[]): readonly string[] {
  return isParty(runs) ? names.filter((name) => existsSync(name)) : [];
}

function isOutside(path: string, { folder, repos }: BatchPaths): boolean {
  return !isInside(path, [folder, ...repos]);
}

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((each) => path.startsWith(`${each}/`));
}

function quoted(word: string | undefined): string {
  return plainText(JSON.stringify(word ?? ""), 200);
}
