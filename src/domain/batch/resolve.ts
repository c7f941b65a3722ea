import { resolve } from "node:path/posix";
import { RepoId } from "../ids.ts";
import {
  type Batch,
  type BatchFile,
  DEFAULT_FINISH,
  type SandboxPolicy,
  type StepSpec,
  type Ticket,
  type TicketSpec,
} from "./schema.ts";

/**
 * The batch as a run freezes it. `file` has passed `checkBatch` and holds the folder's tickets already; `folder` is the
 * absolute path of the folder the batch file is in. Throws a RangeError on a file that was not checked.
 */
export function resolveBatch(file: BatchFile, of: { readonly folder: string }): Batch {
  const { name, agent, oracle, sandbox, limits, protect, tracker } = file;
  const path = tracker.path === undefined ? {} : { path: resolve(of.folder, tracker.path) };
  const repos = Object.entries(file.repos).map(([id, repo]) => [id, { ...repo, path: resolve(of.folder, repo.path) }] as const);
  const tickets = file.tickets.map((ticket) => resolveTicket(ticket, file));
  const own = { ...(oracle && { oracle }), ...(file.sandboxPolicy && { sandboxPolicy: atHome(file.sandboxPolicy, of.folder) }) };
  return {
    name,
    tracker: { ...tracker, ...path },
    repos: Object.fromEntries(repos),
    agent,
    ...own,
    sandbox,
    limits,
    protect,
    tickets,
  };
}

/** Paths of the policy are relative to the batch file, as all its paths are. */
function atHome(policy: SandboxPolicy, folder: string): SandboxPolicy {
  const absolute = (paths: readonly string[]) => paths.map((path) => resolve(folder, path));
  return { ...policy, read: absolute(policy.read), write: absolute(policy.write) };
}

function resolveTicket(ticket: TicketSpec, file: BatchFile): Ticket {
  const { id, title, body } = ticket;
  const [only, another] = Object.keys(file.repos);
  const repo = ticket.repo ?? (another === undefined && only !== undefined ? RepoId.parse(only) : undefined);
  if (title === undefined || repo === undefined) throw new RangeError(`ticket ${id} was not checked`);
  const dependsOn = [...new Set(ticket.dependsOn)];
  const exclusive = [...new Set(ticket.exclusive)];
  const finish = whole(ticket.finish ?? file.finish ?? DEFAULT_FINISH);
  return { id, title, body, repo, dependsOn, exclusive, finish, ...(ticket.allow && { allow: ticket.allow }) };
}

/** A finish line that ends in `assert`. */
function whole(finish: readonly StepSpec[]): readonly StepSpec[] {
  return finish.at(-1)?.step === "assert" ? finish : [...finish, { step: "assert" }];
}
