import { isHeaderHost } from "@loopdash/model-gateway";
import type { ReviewerParty } from "../../domain/batch/party.ts";
import type { Argv } from "../../domain/batch/prepare-command.ts";
import type { Confinement, Mount } from "../../ports/executor.ts";
import type { OfferedTools } from "../../ports/harness.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { ProgramContext, StepScope } from "./scope.ts";

type Confined = Pick<ProgramContext, "batch" | "confined" | "agentFiles" | "toolsPlace">;

/** The confinement of an agent, and of the commands that prepare its worktree; undefined if the run has no sandbox. */
export async function confineAgent(
  ctx: Confined,
  repo: Repo,
  scope: Pick<StepScope, "files">,
  options: {
    readonly path: string;
    readonly branch: string;
    readonly tools: OfferedTools | undefined;
    /** The change of the attempt before, which its prompt names. */
    readonly patch: string | undefined;
  },
): Promise<Confinement | undefined> {
  const { tools, patch, ...tree } = options;
  const before = patch === undefined ? [] : [patch];
  if (!ctx.confined) return undefined;
  const { write, read, mounts } = await repo.agentView({ ...tree, avoid: [...shownBesides(ctx, scope), ...before] });
  const offered = tools === undefined ? { read: [], mounts: [] } : toolsView(ctx, tools);
  return withPolicy(ctx, {
    write: [...write, scope.files.outbox, scope.files.session],
    read: [...read, scope.files.prompt, ...before, ...ctx.agentFiles, ...offered.read],
    mounts: [...mounts, ...offered.mounts],
    sockets: [],
  });
}

/** The harness's scripts, read-only. They are shown to workers alone: never to a check, a verification or the reviewer. */
function toolsView({ toolsPlace }: Confined, { folder }: OfferedTools): Pick<Confinement, "read" | "mounts"> {
  if (toolsPlace === undefined) return { read: [folder], mounts: [] };
  return { read: [], mounts: [{ from: folder, at: toolsPlace, write: false }] };
}

/** The path of the harness's scripts for an agent. */
export function toolsPath({ confined, toolsPlace }: Confined, { folder }: OfferedTools): string {
  return confined ? (toolsPlace ?? folder) : folder;
}

/** The files that an agent sees at their own paths. */
function shownBesides({ agentFiles, batch }: Confined, { files }: Pick<StepScope, "files">): readonly string[] {
  const { read = [], write = [] } = batch.sandboxPolicy ?? {};
  return [files.outbox, files.session, files.prompt, ...agentFiles, ...read, ...write];
}

/** The confinement of a command in a pristine checkout: its own mounts, and nothing of any worker. */
export function confineCommand(ctx: Confined, repo: Repo, own: Pick<Confinement, "mounts" | "layers">): Confinement | undefined {
  if (!ctx.confined) return undefined;
  const { read, write, mounts } = repo.checkoutView;
  return withPolicy(ctx, { read, write, sockets: [], ...own, mounts: [...mounts, ...own.mounts] });
}

/**
 * The path in the sandbox of a checkout at `outside`: the path of the user's own checkout. If a folder that the batch opens lies
 * in it or around it, one would cover a part of the other; then it is the checkout's own path. Agents have the same rule
 * (agentView).
 */
export function sandboxCheckoutPath(ctx: Pick<ProgramContext, "batch" | "commandEnv">, repo: Repo, outside: string): string {
  const { read = [], write = [] } = ctx.batch.sandboxPolicy ?? {};
  const { HOME: home } = ctx.commandEnv;
  const isWithin = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);
  const inIt = [...read, ...write, outside, ...(home === undefined ? [] : [home])].some((path) => isWithin(repo.place, path));
  return inIt || [...read, ...write].some((path) => isWithin(path, repo.place)) ? outside : repo.place;
}

/** The confinement of a healer: its copy of the harness, and no repository. Folders that the batch opens are read-only for it. */
export function confineHealer(
  ctx: Confined,
  options: { readonly read: readonly string[]; readonly write: readonly string[] },
): Confinement | undefined {
  if (!ctx.confined) return undefined;
  const { read = [], write = [] } = ctx.batch.sandboxPolicy ?? {};
  const live = [...read, ...write];
  const files = [...options.read, ...ctx.agentFiles, ...live];
  return { write: options.write, read: files, live, mounts: [], sockets: [], isJudge: true };
}

/** The confinement of a reviewer: it reads what the question is about, and writes only its own session. */
export function confineReviewer(
  ctx: Pick<ProgramContext, "batch" | "confined" | "reviewerFiles">,
  repo: Repo,
  options: { readonly party: ReviewerParty; readonly read: readonly string[]; readonly write: readonly string[] },
): Confinement | undefined {
  if (!ctx.confined) return undefined;
  const { read, write, mounts } = repo.checkoutView;
  const policy = ctx.batch.sandboxPolicy;
  const forAll = [...(policy?.read ?? []), ...(policy?.write ?? [])];
  const all = [...read, ...write, ...options.read, ...ctx.reviewerFiles[options.party], ...forAll];
  return { write: options.write, read: all, live: forAll, mounts, sockets: [], isJudge: true };
}

/** The confinement of what a reviewer tries out: a copy of the change to write, and nothing of the reviewer. */
export function confineTrial(ctx: Confined, repo: Repo, copy: Mount): Confinement | undefined {
  const none = { ...ctx, reviewerFiles: { reviewer: [], secondReviewer: [] } };
  const confinement = confineReviewer(none, repo, { party: "reviewer", read: [], write: [] });
  return confinement && { ...confinement, mounts: [...confinement.mounts, copy], isJudge: false };
}

/** A confinement in which a command also finds the files of the batch's folder that it names. */
export function withCommandFiles(ctx: Pick<ProgramContext, "commandFiles">, confinement: Confinement, argv: Argv): Confinement {
  const files = ctx.commandFiles(argv);
  return files.length === 0 ? confinement : { ...confinement, read: [...confinement.read, ...files] };
}

/** What a program may do with the hosts that the batch opens to it. */
interface OpenedOptions {
  /** True if a program without open hosts gets an empty list: a gateway refuses its connections, and tells of them. */
  readonly isTold?: boolean;
  /** True for prepare commands and verifications: they alone reach hosts with headers, however a step is named. */
  readonly hasHeaders?: boolean;
}

/**
 * A confinement with the hosts that the batch opens to `who`: a step's name, or the name of a program that is no step.
 */
export function opened(
  ctx: Pick<ProgramContext, "batch">,
  confinement: Confinement | undefined,
  who: string,
  { isTold = false, hasHeaders = false }: OpenedOptions = {},
): Confinement | undefined {
  if (confinement === undefined) return undefined;
  const { hosts } = ctx.batch.sandboxPolicy ?? {};
  const named = hosts !== undefined && Object.hasOwn(hosts, who) ? hosts[who] : undefined;
  const own = hasHeaders ? named : named?.filter((spec) => !isHeaderHost(spec));
  if (own === undefined && !isTold) return { ...confinement, hostsFor: who };
  return { ...confinement, hosts: own ?? [], hostsFor: who };
}

function withPolicy(ctx: Confined, confinement: Confinement): Confinement {
  const { read = [], write = [] } = ctx.batch.sandboxPolicy ?? {};
  return { ...confinement, write: [...confinement.write, ...write], read: [...confinement.read, ...read], live: read };
}
