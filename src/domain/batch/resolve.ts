import { resolve } from "node:path/posix";
import { RepoId } from "../values/ids.ts";
import type { Argv } from "./argv.ts";
import type { Batch, BatchFile, SandboxPolicy, Ticket, TicketSpec } from "./schema.ts";
import { BATCH_FOLDER, DEFAULT_FINISH, type StepSpec } from "./step-spec.ts";

/**
 * The batch as a run freezes it. `file` has passed `checkBatch` and already contains the folder's tickets; `folder` is the
 * absolute path of the batch file's folder. Throws a RangeError for an unchecked file.
 */
export function resolveBatch(file: BatchFile, { folder }: { readonly folder: string }): Batch {
  const { name, agent, oracle, sandbox, limits, protect, tracker } = file;
  const path = tracker.path === undefined ? {} : { path: resolve(folder, tracker.path) };
  const repos = Object.entries(file.repos).map(([id, repo]) => [id, { ...repo, path: resolve(folder, repo.path) }] as const);
  const tickets = file.tickets.map((ticket) => resolveTicket(ticket, file, folder));
  const finish = whole(file.finish ?? defaultFinish(file), folder);
  const transients = file.transients.length === 0 ? {} : { transients: file.transients };
  const own = {
    ...(file.reviewer && { reviewer: file.reviewer }),
    ...(file.heals && { heals: file.heals }),
    ...(oracle && { oracle }),
    ...(file.sandboxPolicy && { sandboxPolicy: atHome(file.sandboxPolicy, folder) }),
    ...transients,
  };
  return {
    name,
    tracker: { ...tracker, ...path },
    repos: Object.fromEntries(repos),
    agent,
    ...own,
    sandbox,
    limits,
    protect,
    finish,
    tickets,
  };
}

/** Paths of the policy are relative to the batch file, like all its paths. */
function atHome(policy: SandboxPolicy, folder: string): SandboxPolicy {
  const absolute = (paths: readonly string[]) => paths.map((path) => resolve(folder, path));
  return { ...policy, read: absolute(policy.read), write: absolute(policy.write) };
}

function resolveTicket(ticket: TicketSpec, file: BatchFile, folder: string): Ticket {
  const { id, title, body } = ticket;
  const [only, another] = Object.keys(file.repos);
  const repo = ticket.repo ?? (another === undefined && only !== undefined ? RepoId.parse(only) : undefined);
  if (title === undefined || repo === undefined) throw new RangeError(`ticket ${id} was not checked`);
  const dependsOn = [...new Set(ticket.dependsOn)];
  const exclusive = [...new Set(ticket.exclusive)];
  const finish = whole(ticket.finish ?? file.finish ?? defaultFinish(file), folder);
  const named = { ...(ticket.allow && { allow: ticket.allow }), ...(ticket.fixes && { fixes: ticket.fixes }) };
  return { id, title, body, repo, dependsOn, exclusive, finish, ...named };
}

/** A batch with a reviewer is reviewed by default. */
function defaultFinish({ reviewer }: BatchFile): readonly StepSpec[] {
  if (reviewer === undefined) return DEFAULT_FINISH;
  return DEFAULT_FINISH.flatMap((step): StepSpec[] =>
    step.step === "merge" ? [{ step: "review", name: "review" }, step] : [step],
  );
}

/** A finish line that ends in `assert`, with the batch file's folder put into its commands. */
function whole(finish: readonly StepSpec[], folder: string): readonly StepSpec[] {
  const steps = finish.map((step): StepSpec => {
    if (step.step === "check" || step.step === "verify") return { ...step, command: atFolder(step.command, folder) };
    return step.step === "adversary" && step.smoke !== undefined ? { ...step, smoke: atFolder(step.smoke, folder) } : step;
  });
  return steps.at(-1)?.step === "assert" ? steps : [...steps, { step: "assert" }];
}

/** A program that judges is best kept where no ticket can change it: beside the batch file. */
function atFolder(command: Argv, folder: string): Argv {
  const [program, ...args] = command.map((word) => word.replaceAll(BATCH_FOLDER, folder));
  return [program ?? "", ...args];
}
