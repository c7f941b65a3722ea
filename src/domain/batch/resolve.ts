import { resolve } from "node:path/posix";
import { lineWithReviews } from "../complexity/review-steps.ts";
import { RepoId } from "../values/ids.ts";
import type { BoundSpec } from "./bound-spec.ts";
import { resolveRoutes } from "./complexity-spec.ts";
import { withCriteria } from "./contract-steps.ts";
import { defaultFinish, defaultFinishLine } from "./default-finish.ts";
import { protectedPaths } from "./default-protect.ts";
import type { ForgeSpec } from "./forge-spec.ts";
import type { NotifyRoute } from "./notify-spec.ts";
import type { AgentSpec, ReviewerParty, ReviewerSpec } from "./party.ts";
import type { Argv, PrepareCommand, TestCommands } from "./prepare-command.ts";
import type { ReadContract } from "./read-contract.ts";
import type { RepoSpec } from "./repo-spec.ts";
import type { Batch, BatchFile, SandboxPolicy, Ticket, TicketSpec } from "./schema.ts";
import type { SecretSpecs } from "./secret-spec.ts";
import { BATCH_FOLDER, type StepSpec } from "./step-spec.ts";
import { TOKEN_OF, type TrackerSpec } from "./tracker-spec.ts";

/**
 * The batch as a run freezes it. `file` has passed `checkBatch` and already contains the folder's tickets; `folder` is the
 * absolute path of the batch file's folder, and `testCommands` are what its repositories name. Throws a RangeError for an
 * unchecked file.
 */
export function resolveBatch(
  file: BatchFile,
  {
    folder,
    testCommands = {},
    contracts = new Map(),
  }: {
    readonly folder: string;
    readonly testCommands?: TestCommands;
    /** By ticket. */
    readonly contracts?: ReadonlyMap<string, ReadContract>;
  },
): Batch {
  const { name, oracle, sandbox, limits, tracker } = file;
  const repos = Object.entries(file.repos).map(([id, repo]) => {
    const prepare = repo.prepare.map(
      (entry): PrepareCommand =>
        "command" in entry ? { ...entry, command: atFolder(entry.command, folder) } : atFolder(entry, folder),
    );
    const fixers = repo.fixers && { fixers: repo.fixers.map((fixer) => atFolder(fixer, folder)) };
    return [id, { ...repo, ...resolveForge(repo.forge), ...resolveRepoPaths(repo, folder), prepare, ...fixers }] as const;
  });
  const routes = resolveRoutes(file.complexity);
  const finish = wholeFinishLine(file.finish ?? defaultFinish(file), folder);
  const tested = file.finish === undefined && Object.keys(testCommands).length > 0 ? { testCommands } : {};
  const resolveFinishLine = ({ id, finish: own }: TicketSpec, repo: RepoId) => {
    const line =
      own === undefined
        ? defaultFinishLine({ finish, ...tested, complexity: routes, secondReviewer: file.secondReviewer }, repo)
        : lineWithReviews(wholeFinishLine(own, folder), routes, file.secondReviewer !== undefined);
    const read = contracts.get(id);
    return read === undefined ? line : withCriteria(line, { ...read, checks: stepsAtFolder(read.checks, folder) });
  };
  const tickets = file.tickets.map((ticket) => ({
    ...resolveTicket(ticket, file, resolveFinishLine),
    ...(contracts.has(ticket.id) && { contract: contracts.get(ticket.id)?.contract }),
  }));
  const transients = file.transients.length === 0 ? {} : { transients: file.transients };
  const own = {
    ...reviewersAtFolder(file, folder),
    ...(file.heals && { heals: file.heals }),
    ...(file.discoveries && { discoveries: file.discoveries }),
    ...(oracle && { oracle }),
    ...(file.sandboxPolicy && { sandboxPolicy: resolvePolicy(file.sandboxPolicy, folder) }),
    ...(file.commit && { commit: file.commit }),
    ...(file.bound && { bound: boundAtFolder(file.bound, folder) }),
    ...secretsOfFile(file, folder),
    ...(file.notify && { notify: file.notify.map((route) => notifyAtFolder(route, folder)) }),
    ...(file.live && { live: file.live }),
    ...(file.behaviour && { behaviour: file.behaviour }),
    ...(file.guard !== undefined && { guard: file.guard }),
    ...(routes && { complexity: routes }),
    ...rulesIn(file),
    ...transients,
  };
  return {
    name,
    tracker: resolveTracker(tracker, folder),
    repos: Object.fromEntries(repos),
    agent: programAtFolder(file.agent, folder),
    ...own,
    sandbox,
    limits,
    protect: protectedPaths(file.protect),
    finish,
    ...tested,
    tickets,
  };
}

/** A repository's folder and the files to copy there are relative to the batch file. */
function resolveRepoPaths({ path, copy }: Pick<RepoSpec, "path" | "copy">, folder: string): Pick<RepoSpec, "path" | "copy"> {
  const from = copy?.map((each) => ({ ...each, from: resolve(folder, each.from) }));
  return { path: resolve(folder, path), ...(from && { copy: from }) };
}

/** A receiver whose program may lie beside the file that names it. */
export function notifyAtFolder(route: NotifyRoute, folder: string): NotifyRoute {
  return route.kind === "command" ? { ...route, command: resolveCommand(route.command, folder) } : route;
}

/** Pull requests need a token. */
function resolveForge(forge: ForgeSpec | undefined): { readonly forge?: ForgeSpec } {
  if (forge?.kind !== "github" && forge?.kind !== "github-branch") return {};
  return { forge: { ...forge, token: forge.token ?? TOKEN_OF.github.secret } };
}

/** A folder is relative to the batch file, and a program may lie beside it. */
export function resolveTracker(tracker: TrackerSpec, folder: string): TrackerSpec {
  if (tracker.kind === "command") return { ...tracker, command: resolveCommand(tracker.command, folder) };
  if (tracker.kind !== "local") return { ...tracker, token: tracker.token ?? TOKEN_OF[tracker.kind].secret };
  return tracker.path === undefined ? tracker : { ...tracker, path: resolve(folder, tracker.path) };
}

/** A command with the batch file's folder put in, and a program that is named by a relative path made absolute. */
function resolveCommand(command: Argv, folder: string): Argv {
  const [program = "", ...args] = atFolder(command, folder);
  return [program.includes("/") ? resolve(folder, program) : program, ...args];
}

/** Paths of the policy are relative to the batch file, like all its paths. */
export function resolvePolicy(policy: SandboxPolicy, folder: string): SandboxPolicy {
  const absolute = (paths: readonly string[]) => paths.map((path) => resolve(folder, path));
  return { ...policy, read: absolute(policy.read), write: absolute(policy.write) };
}

/** The secrets of a batch file, and the tokens of its tracker and its forges if the file does not say where those come from. */
export function secretsOfFile(
  { tracker, repos, secrets }: Pick<BatchFile, "tracker" | "repos" | "secrets">,
  folder: string,
): Pick<Batch, "secrets"> {
  const kinds = [tracker, ...Object.values(repos).map(({ forge }) => forge)].flatMap((each) => {
    if (each?.kind !== "linear" && each?.kind !== "github" && each?.kind !== "github-branch") return [];
    const service = each.kind === "linear" ? "linear" : "github";
    return each.token === undefined ? ([service] as const) : [];
  });
  const tokens = kinds.map((kind) => [TOKEN_OF[kind].secret, { env: TOKEN_OF[kind].variable }] as const);
  const all = { ...Object.fromEntries(tokens), ...(secrets && resolveSecrets(secrets, folder)) };
  return secrets === undefined && tokens.length === 0 ? {} : { secrets: all };
}

/** Commands of secrets with the batch file's folder put in, and a program that is named by a relative path made absolute. */
function resolveSecrets(secrets: SecretSpecs, folder: string): SecretSpecs {
  const entries = Object.entries(secrets).map(([name, { command, file, ...rest }]) => {
    const named = file === undefined || file.startsWith("~/") ? file : resolve(folder, file);
    const argv = command === undefined ? {} : { command: resolveCommand(command, folder) };
    return [name, { ...rest, ...(named === undefined ? {} : { file: named }), ...argv }];
  });
  return Object.fromEntries(entries);
}

function resolveTicket(
  ticket: TicketSpec,
  file: BatchFile,
  lineOf: (ticket: TicketSpec, repo: RepoId) => readonly StepSpec[],
): Ticket {
  const { id, title, body } = ticket;
  const [only, another] = Object.keys(file.repos);
  const repo = ticket.repo ?? (another === undefined && only !== undefined ? RepoId.parse(only) : undefined);
  if (title === undefined || repo === undefined) throw new RangeError(`ticket ${id} was not checked`);
  const dependsOn = [...new Set(ticket.dependsOn)];
  const exclusive = [...new Set(ticket.exclusive)];
  const finish = lineOf(ticket, repo);
  const named = {
    ...(ticket.allow && { allow: ticket.allow }),
    ...(ticket.fixes && { fixes: ticket.fixes }),
    ...(ticket.redFirst && { redFirst: true }),
  };
  const complexity = ticket.complexity && { complexity: ticket.complexity };
  return { id, title, body, repo, dependsOn, exclusive, finish, ...named, ...complexity };
}

/** A finish line that ends in `assert`, with the batch file's folder put into its commands. */
export function wholeFinishLine(finish: readonly StepSpec[], folder: string): readonly StepSpec[] {
  const steps = stepsAtFolder(finish, folder);
  return steps.at(-1)?.step === "assert" ? steps : [...steps, { step: "assert" }];
}

function stepsAtFolder(steps: readonly StepSpec[], folder: string): readonly StepSpec[] {
  return steps.map((step): StepSpec => {
    if (step.step === "check" || step.step === "verify") return { ...step, command: atFolder(step.command, folder) };
    if (step.step !== "adversary") return step;
    const { smoke, replay } = step;
    return {
      ...step,
      ...(smoke !== undefined && { smoke: atFolder(smoke, folder) }),
      ...(replay !== undefined && { replay: replayAtFolder(replay, folder) }),
    };
  });
}

type Replay = NonNullable<Extract<StepSpec, { step: "adversary" }>["replay"]>;

function replayAtFolder({ command, before, ...replay }: Replay, folder: string): Replay {
  const first = before && { before: { ...before, command: atFolder(before.command, folder) } };
  return { ...replay, command: atFolder(command, folder), ...first };
}

/** An agent or a reviewer with the batch file's folder put into its command, if it is one. */
function programAtFolder<T extends AgentSpec | ReviewerSpec>(spec: T, folder: string): T {
  return spec.kind === "command" ? { ...spec, command: atFolder(spec.command, folder) } : spec;
}

function reviewersAtFolder(
  { reviewer, secondReviewer }: Pick<BatchFile, ReviewerParty>,
  folder: string,
): Pick<Batch, ReviewerParty> {
  return {
    ...(reviewer && { reviewer: programAtFolder(reviewer, folder) }),
    ...(secondReviewer && { secondReviewer: programAtFolder(secondReviewer, folder) }),
  };
}

function boundAtFolder(bound: BoundSpec, folder: string): BoundSpec {
  const at = (law: BoundSpec["ironLaws"][number]) =>
    typeof law === "string" ? law : { ...law, command: atFolder(law.command, folder) };
  return { ...bound, ironLaws: bound.ironLaws.map(at) };
}

/** A program that judges is best kept where no ticket can change it: beside the batch file. */
function atFolder(command: Argv, folder: string): Argv {
  const [program, ...args] = command.map((word) => word.replaceAll(BATCH_FOLDER, folder));
  return [program ?? "", ...args];
}

const RULES = ["onBroken", "proof", "judge", "flaky", "gated"] as const;

/** What the batch file says about broken bases, proofs, flaky tests and human gates. */
function rulesIn(file: BatchFile): Pick<Batch, (typeof RULES)[number]> {
  return Object.fromEntries(RULES.flatMap((key) => (file[key] === undefined ? [] : [[key, file[key]]])));
}
