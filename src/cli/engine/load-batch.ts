import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { displayValue, hintFor } from "@loopdash/values";
import { readBounded } from "@loopdash/values/node";
import { readTicketFolder, type TicketInFolder } from "../../adapters/tracker/folder-read.ts";
import { reportsFoundIn, unreportedCommands, withFoundReports } from "../../domain/batch/found-reports.ts";
import { type FolderTicket, type Standing, trackerStanding } from "../../domain/batch/merge-folder.ts";
import { contractPaths, unselectedTickets } from "../../domain/batch/named-contracts.ts";
import { type AgentSpec, listPrograms, type ReviewerSpec } from "../../domain/batch/party.ts";
import type { Argv, TestCommands } from "../../domain/batch/prepare-command.ts";
import { type BatchProblem, formatProblems, type Locate, problemAt, sortProblems } from "../../domain/batch/problem.ts";
import {
  readBatch,
  readTrackerRequest,
  repoPaths,
  type TrackerRequest,
  ticketFolder,
  untestedRepos,
} from "../../domain/batch/read.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { namesPackages } from "../../domain/batch/test-command.ts";
import type { TrackerSpec } from "../../domain/batch/tracker-spec.ts";
import type { Bounds } from "../../domain/bound/bound.ts";
import { withBounds, withFrozenBounds } from "../../domain/bound/frozen-bound.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { errorCode, errorMessage } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { refuseUndecoded } from "../real-places.ts";
import { closePath } from "../safe-path.ts";
import { stateHome } from "../state-home.ts";
import { readBaseFiles } from "./base-files.ts";
import { contractFilesOf, misplacedContracts, readContractFiles } from "./contract-files.ts";
import { type OutsideTracker, readOutsideTickets, refuseUnread, type TrackerSurroundings } from "./outside-tracker.ts";
import { ownFilesIn } from "./own-files.ts";

/** Bytes of a batch file at most, with the texts of its tickets. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A batch file that was read and is valid. */
export interface LoadedBatch {
  readonly batch: Batch;
  /** Real path of the file: identifies the batch's runs. */
  readonly path: string;
  /** Its folder: relative paths in it start here. */
  readonly folder: string;
  /** The file as the person named it. */
  readonly file: string;
  /** The place of a value in the file or in a file of its ticket folder. */
  readonly locate: Locate;
  /** sha256 of the file's bytes, and of the contracts that its tickets name. */
  readonly sha: string;
  /** The same file for repositories that name these test commands and have these rules. Reads it again. */
  readonly withFrozen: (frozen: Pick<Batch, "testCommands" | "bounds" | "finish" | "tickets">) => Promise<LoadedBatch>;
  /** Allowed settings that are probably not intended; for people. */
  readonly warnings: readonly BatchProblem[];
  /** The tickets that no agent would work on now, if the tracker was asked for them. */
  readonly standings: ReadonlyMap<TicketId, Standing>;
  /** The tracker of its tickets, if a program speaks for it. */
  readonly outside?: OutsideTracker;
}

/** Options of reading a batch file. */
export interface LoadBatchOptions {
  readonly cwd: string;
  /** The environment in which programs, secrets and a tracker's program are found; default: this process's. Its PATH is closed. */
  readonly env?: NodeJS.ProcessEnv;
  readonly workers?: number;
  /** Finds the test commands of repositories whose finish line is the default one; by default none is looked for. */
  readonly findTests?: (repos: Batch["repos"]) => Promise<TestCommands>;
  /** Finds which of these commands start a test runner in one of the repositories; by default none is looked for. */
  readonly findReports?: (repos: Batch["repos"], commands: readonly Argv[]) => Promise<(command: Argv) => boolean>;
  /** Finds the rules of the repositories; by default the batch file's own count alone. */
  readonly findRules?: (repos: Batch["repos"]) => Promise<Bounds>;
  /** The rules that a run has frozen; nothing is read then. */
  readonly frozenBounds?: Bounds | undefined;
}

/**
 * Reads and checks a batch file, and its tickets where the tracker keeps them. Throws a UserError (exit 2; 3 if the tracker cannot be
 * read, 4 if it must not be asked).
 */
export async function loadBatch(file: string, options: LoadBatchOptions): Promise<LoadedBatch> {
  const shown = resolve(options.cwd, file);
  const { path, bytes } = await readAt(shown).catch((cause: unknown) => {
    throw cause instanceof UserError ? cause : unreadable(file, cause);
  });
  const text = bytes.toString("utf8");
  const folder = dirname(path);
  const tickets = ticketFolder(text, folder);
  const env = options.env ?? process.env;
  closePath(env, repoPaths(text, folder));
  const testCommands = (await options.findTests?.(untestedRepos(text, folder))) ?? {};
  const request = readTrackerRequest(text, folder);
  const outside = request === undefined ? undefined : await outsideTrackerOf(request, { folder, env });
  const folderTickets =
    outside !== undefined
      ? await readOutsideTickets(outside, request?.tracker.kind ?? "command")
      : tickets === undefined
        ? undefined
        : await readTicketFolder(tickets);
  const contracts = await readContractFiles(contractPaths(text, folderTickets), folder);
  const read = readBatch(text, { folder, testCommands, contracts, folderTickets });
  if (!read.ok) throw invalid(file, read.problems);
  const missing = await missingContractTickets(unselectedTickets(text, folderTickets), {
    ...{ outside, kind: read.batch.tracker.kind, known: read.batch.tickets.map(({ id }) => id), locate: read.locate },
  });
  const state = stateHome(env, options.cwd).root;
  const unusable = [...missing, ...misplacedContracts(read.batch, { folder, state, locate: read.locate })];
  if (unusable.length > 0) throw invalid(file, unusable);
  const limits = options.workers === undefined ? read.batch.limits : { ...read.batch.limits, workers: options.workers };
  const programs = listPrograms(read.batch).map(({ party, spec }) => [party, besideBatch(spec, folder)] as const);
  const named: Batch = { ...read.batch, limits, ...Object.fromEntries(programs) };
  const own = ownFilesIn(named, { file: path, folder, contracts: contractFilesOf(named, folder) });
  const whole: Batch = { ...named, protect: [...new Set([...named.protect, ...own])] };
  const batch = await bounded(await reported(whole, options), options);
  return {
    batch,
    path,
    folder,
    file,
    locate: read.locate,
    sha: shaOf(bytes, named),
    withFrozen: ({ testCommands: tests = {}, bounds, ...frozen }) =>
      loadBatch(file, {
        ...options,
        findTests: () => Promise.resolve(tests),
        findReports: () => Promise.resolve(reportsFoundIn(frozen)),
        frozenBounds: bounds,
      }),
    warnings: sortProblems([
      ...read.warnings,
      ...(outside?.service.notes?.() ?? []).map((note) => problemAt(read.locate, ["tracker"], note)),
    ]),
    standings: standingsOf(folderTickets),
    outside,
  };
}

/** The batch whose checks are made to report, where they say nothing of it and start a known runner. */
async function reported(batch: Batch, { findReports }: LoadBatchOptions): Promise<Batch> {
  const commands = unreportedCommands(batch);
  if (findReports === undefined || commands.length === 0) return batch;
  return withFoundReports(batch, await findReports(batch.repos, commands));
}

/** The batch with the rules of its repositories: those that a run has frozen, or those of now. */
async function bounded(batch: Batch, options: LoadBatchOptions): Promise<Batch> {
  if ("frozenBounds" in options) return withFrozenBounds(batch, options.frozenBounds);
  return withBounds(batch, (await options.findRules?.(batch.repos)) ?? {});
}

/** A contract that changes is a change of the batch. Without contracts, the hash is that of the file. */
function shaOf(bytes: Uint8Array, { tickets }: Batch): string {
  const hash = createHash("sha256").update(bytes);
  for (const { id, contract } of tickets) if (contract !== undefined) hash.update(`\0${id}\0${contract.path}\0${contract.sha}`);
  return hash.digest("hex");
}

function standingsOf(tickets: readonly (FolderTicket | TicketInFolder)[] = []): LoadedBatch["standings"] {
  return new Map(
    tickets.flatMap((ticket) => {
      const standing = "state" in ticket ? trackerStanding(ticket) : ticket.standing;
      return standing === undefined ? [] : [[ticket.id, standing] as const];
    }),
  );
}

const NOT_INSTALLED = "its package.json names packages, and no `prepare` installs them in the worktrees and checks";
const INSTALL = 'add the command that installs them: "prepare": [["npm", "ci"]]';

/** A warning for each repository whose packages nothing installs. Asks git. */
export async function uninstalledWarnings({ batch, locate }: LoadedBatch): Promise<readonly BatchProblem[]> {
  const uninstalled = await uninstalledRepos(batch.repos);
  return uninstalled.map((id) => ({ ...problemAt(locate, ["repos", id], NOT_INSTALLED, INSTALL), atStart: true }));
}

/** Repositories without `prepare` whose package.json names packages, at the tips of their bases. */
async function uninstalledRepos(repos: Batch["repos"]): Promise<readonly string[]> {
  const found = Object.entries(repos).map(async ([id, repo]) => {
    if (repo.prepare.length > 0) return [];
    const manifest = (await readBaseFiles(repo, ["package.json"])).get("package.json");
    return manifest !== undefined && manifest !== "too large" && namesPackages(manifest.text) ? [id] : [];
  });
  return (await Promise.all(found)).flat();
}

/**
 * Agents and reviewers run in other folders. So an argument that names a file beside the batch file is made absolute, and so is a
 * program given by a relative path.
 */
function besideBatch<T extends AgentSpec | ReviewerSpec>(agent: T, folder: string): T {
  if (agent.kind !== "command") {
    const { program } = agent;
    return program?.includes("/") && !isAbsolute(program) ? { ...agent, program: join(folder, program) } : agent;
  }
  const command = agent.command.map((word, i) => {
    if (isAbsolute(word)) return word;
    const beside = join(folder, word);
    if (i === 0) return word.includes("/") ? beside : word;
    return !word.startsWith("-") && existsSync(beside) ? beside : word;
  });
  return { ...agent, command };
}

/** The real path and the bytes of the batch file. A clone may have a pipe of that name. */
async function readAt(file: string): Promise<{ readonly path: string; readonly bytes: Buffer }> {
  const path = await realpath(file);
  refuseUndecoded("the batch file", path);
  return { path, bytes: readBounded(path, MOST_BYTES) };
}

function unreadable(file: string, cause: unknown): UserError {
  const code = errorCode(cause) ?? "";
  const words: Record<string, string> = {
    ENOENT: "there is no such file",
    EISDIR: "it is a folder",
    EACCES: "it may not be read",
  };
  const why = words[code] ?? errorMessage(cause);
  const todo = code === "ENOENT" ? "Name another file, or write one: loopdash init" : "Name a batch file.";
  return new UserError({ what: `cannot read the batch file ${file}`, why, todo, exitCode: EXIT.usage, cause });
}

/** The file with the problems, as a subject with its verb. */
function whereOf(file: string, problems: readonly BatchProblem[]): string {
  const files = new Set(problems.map((problem) => problem.file ?? file));
  const [first = file] = files;
  if (first.startsWith("ticket ")) return files.size > 1 ? `the batch file ${file} and its tickets are` : `${first} is`;
  // Only a contract has problems with a line of their own.
  const kind = problems.some((problem) => problem.file !== undefined && problem.line !== undefined) ? "contract" : "ticket";
  if (files.size > 1) return `the batch file ${file} and its ${kind} files are`;
  return problems.some((problem) => problem.file === undefined) ? `the batch file ${file} is` : `the ${kind} file ${first} is`;
}

function invalid(file: string, problems: readonly BatchProblem[]): UserError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const what = `${whereOf(file, problems)} not valid (${count})`;
  return new UserError({
    what,
    why: formatProblems(file, problems),
    todo: "Fix the file and run the command again.",
    exitCode: EXIT.usage,
  });
}

/**
 * The tracker that a batch names, which has not been asked anything yet. Only the code of its kind is loaded. Throws a UserError
 * (exit 4) if its program is one that agents' changes could rewrite.
 */
async function outsideTrackerOf(request: TrackerRequest, surroundings: TrackerSurroundings): Promise<OutsideTracker> {
  const { tracker } = request;
  if (tracker.kind === "command") {
    const { programTrackerOf } = await import("./program-tracker.ts");
    return programTrackerOf({ ...request, tracker }, surroundings);
  }
  const { serviceTrackerOf } = await import("./service-tracker.ts");
  return serviceTrackerOf({ ...request, tracker }, surroundings);
}

/**
 * A problem for each of these tickets, which have contracts and are not selected by the batch's query, that the tracker does not have at all:
 * its id is mistyped. Closed and archived ones are there. Asks the tracker if there are any. Throws a UserError (exit 3) if it does not answer.
 */
export async function missingContractTickets(
  unselected: readonly TicketId[],
  { outside, kind, known, locate }: MissingOptions,
): Promise<readonly BatchProblem[]> {
  if (outside === undefined || unselected.length === 0) return [];
  const { service } = outside.serviceOf(unselected);
  const found = await service.snapshot("whole").catch((cause: unknown) => refuseUnread(cause, kind));
  // A reading leaves archived tickets out; their keys are known.
  const keys = service.keys?.() ?? new Map<TicketId, string>();
  const missing = unselected.filter((id) => !found.has(id) && (keys.get(id) ?? "") === "");
  return missing.map((id) =>
    problemAt(locate, ["contracts", id], `${service.name} has no ticket ${displayValue(id)}`, hintFor(id, known, "known here")),
  );
}

interface MissingOptions {
  /** Undefined if the tickets are on this machine. */
  readonly outside: OutsideTracker | undefined;
  readonly kind: TrackerSpec["kind"];
  /** Ids of the batch's tickets. */
  readonly known: readonly string[];
  readonly locate: Locate;
}
