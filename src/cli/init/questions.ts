import { basename } from "node:path";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { readBatch } from "../../domain/batch/read.ts";
import type { RepoSpec } from "../../domain/batch/repo-spec.ts";
import { RepoId, TicketId } from "../../domain/values/ids.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { Answers, TrackerAnswer } from "./answers.ts";
import { batchText } from "./batch-text.ts";
import type { InitFlags } from "./flags.ts";
import { findInstalledAgents } from "./installed-agents.ts";
import type { Interview } from "./interview.ts";
import { PUBLIC_REGISTRIES } from "./prepare-commands.ts";
import { askAgent, askReviewer } from "./program-questions.ts";
import { type FoundRepository, findRepository, nameFor } from "./repository.ts";
import { askHooks, askRepositories, askTest, pathFrom, readPrepare, repoSpecs, repositoryLines } from "./repository-questions.ts";
import { askSource, type Source } from "./source-question.ts";
import { askTicketFolder, ticketFolderNear } from "./ticket-folder.ts";
import { askGitHub, askLinear } from "./tracker-questions.ts";

/** Where answers are looked for. */
export interface QuestionOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The real path of the folder that the batch file will be in. */
  readonly folder: string;
}

/** The answers, and what must be made before the batch can be read. */
export interface Answered {
  readonly answers: Answers;
  /** The folder that needs an example ticket, as an absolute path. */
  readonly emptyFolder: string | undefined;
}

/**
 * Asks for everything that a batch file needs. Writes nothing. Throws a UserError (exit 2) if an answer is missing or cannot be
 * used.
 */
export async function askQuestions(interview: Interview, flags: InitFlags, options: QuestionOptions): Promise<Answered> {
  const { cwd, env, folder } = options;
  const here = await findRepository({ name: undefined, path: ".", base: undefined }, { cwd, env });
  const current = "value" in here ? here.value : undefined;
  const source = await askSource(interview, flags, { ...options, current });
  const repos = await askRepositories(interview, flags, { cwd, env, current });
  const prepare = await readPrepare(interview, flags);
  for (const line of await repositoryLines(repos ?? [], prepare)) interview.tell(line);
  const specs = repoSpecs(repos ?? [], prepare);
  const tracker = repos && source && (await askTracker(interview, flags, { ...options, source, repos, specs }));
  const path = allowedEnvironment(env, {})["PATH"] ?? "";
  const test = repos && (await askTest(interview, flags, { repos, path }));
  const hooks = await askHooks(interview, flags, { repos, test });
  const surroundings = { installed: await findInstalledAgents(env), env, path, folder };
  const agent = await askAgent(interview, flags, surroundings);
  if (repos === undefined || tracker === undefined || test === undefined || agent === undefined)
    return interview.refuseUnanswered();
  const hosts = repos.flatMap(({ preparation }) => preparation.hosts);
  const answers: Answers = {
    name: flags.name ?? nameFor(basename(repos[0]?.path ?? cwd)),
    tracker: tracker.spec,
    repos: Object.fromEntries(
      Object.entries(specs).map(([name, spec]) => [name, { ...spec, path: pathFrom(folder, spec.path) }]),
    ),
    hosts: prepare?.length === 0 ? [] : [...new Set(hosts)].filter((host) => PUBLIC_REGISTRIES.has(host)),
    ...{ test, hooks, agent, reviewer: undefined },
  };
  const refusal = (reviewer: Answers["reviewer"]) => problemOf({ ...answers, reviewer }, folder);
  const reviewer = await askReviewer(interview, flags, { ...surroundings, agent, refusal });
  if (reviewer === undefined || interview.isUnanswered) return interview.refuseUnanswered();
  const whole = { ...answers, reviewer: reviewer === "none" ? undefined : reviewer };
  refuseUnfit(whole, folder);
  return { answers: whole, emptyFolder: tracker.emptyFolder };
}

interface TrackerOptions extends QuestionOptions {
  readonly source: Source;
  readonly repos: readonly FoundRepository[];
  /** The same repositories, with absolute paths. */
  readonly specs: Readonly<Record<string, RepoSpec>>;
}

async function askTracker(
  interview: Interview,
  flags: InitFlags,
  { source, repos, specs, cwd, folder }: TrackerOptions,
): Promise<{ readonly spec: TrackerAnswer; readonly emptyFolder: string | undefined } | undefined> {
  if (source !== "folder") {
    const spec = source === "linear" ? await askLinear(interview, flags) : await askGitHub(interview, flags, repos);
    return spec && { spec, emptyFolder: undefined };
  }
  const { proposed } = await ticketFolderNear(cwd, specs);
  const tickets = await askTicketFolder(interview, flags, { cwd, repos: specs, fallback: proposed });
  if (tickets === undefined) return undefined;
  const spec = { kind: "local", path: pathFrom(folder, tickets.path) } as const;
  return { spec, emptyFolder: tickets.tickets === 0 ? tickets.path : undefined };
}

/** The first problem of the batch that these answers give; undefined if it can be read once it has tickets. */
function problemOf(answers: Answers, folder: string): string | undefined {
  const [repo = ""] = Object.keys(answers.repos);
  const ticket = { id: TicketId.parse("T-1"), title: "T-1", body: "", repo: RepoId.parse(repo) };
  const folderTickets = [{ ...ticket, dependsOn: [], exclusive: [], file: "T-1.md" }];
  const read = readBatch(batchText(answers), { folder, folderTickets });
  if (read.ok) return undefined;
  const [problem] = read.problems;
  return [problem?.path, problem?.message, problem?.hint].filter((part) => part !== undefined && part !== "").join(": ");
}

/** Throws a UserError (exit 2) if the answers do not fit together. */
function refuseUnfit(answers: Answers, folder: string): void {
  const why = problemOf(answers, folder);
  if (why === undefined) return;
  const todo = "Correct that answer; nothing was written.";
  throw new UserError({ what: "these answers do not make a batch", why, todo, exitCode: EXIT.usage });
}
