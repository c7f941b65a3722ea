import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { AgentTask } from "../../src/ports/agent.ts";
import { ticketOf } from "../domain/simulate.ts";
import { endless, oneFile, Stage, type StageOptions } from "./stage.ts";

export const [T1, T2, T3] = [TicketId.parse("T-1"), TicketId.parse("T-2"), TicketId.parse("T-3")];

/** A folder of tickets whose agents wait for `go`, if they are held. */
export async function open(
  over: Partial<StageOptions> & { readonly held?: readonly TicketId[] } = {},
  change?: (ctx: LoopContext) => Partial<LoopContext>,
) {
  const gates = new Map((over.held ?? []).map((id) => [id as string, Promise.withResolvers<void>()]));
  const stage = await Stage.open(
    {
      tickets: [ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] })],
      inFolder: true,
      work: async (task) => {
        const off = new Promise<"off">((end) =>
          task.signal.aborted ? end("off") : task.signal.addEventListener("abort", () => end("off")),
        );
        const ended = await Promise.race([gates.get(task.ticket)?.promise, off]);
        if (ended === "off") return { ending: "aborted", exitCode: null, signal: "SIGKILL" };
        return oneFile(task);
      },
      ...over,
    },
    change,
  );
  return { stage, go: (id: TicketId) => gates.get(id)?.resolve() };
}

/** An agent that leaves a file; the first attempt at T-1 then goes on until it is cancelled. */
export const halfDone: NonNullable<StageOptions["work"]> = (task: AgentTask) => {
  void oneFile(task);
  return task.ticket === T1 && task.attempt === 1 ? endless(task) : undefined;
};

export const fileOf = (stage: Stage, id: TicketId) => join(stage.root, "tickets", `${id}.md`);
export const edit = (stage: Stage, id: TicketId, change: (text: string) => string): void => {
  const file = fileOf(stage, id);
  writeFileSync(file, change(readFileSync(file, "utf8")));
};
export const setTo = (stage: Stage, id: TicketId, state: string): void =>
  edit(stage, id, (text) => text.replace(/^state: .*$/m, `state: ${state}`));
export const drift = (id: TicketId, kind: string) => (event: RunEvent) =>
  event.type === "tracker-drifted" && event.ticket === id && event.change.kind === kind;
export const acts = (stage: Stage) => stage.state.interventions.map((i) => [i.class, i.target, i.observed]);

/** Git as a person runs it, in a process of their own. */
function gitByPerson(folder: string, ...args: readonly string[]): string {
  const who = { GIT_AUTHOR_NAME: "Jo", GIT_AUTHOR_EMAIL: "jo@x", GIT_COMMITTER_NAME: "Jo", GIT_COMMITTER_EMAIL: "jo@x" };
  return execFileSync("git", ["-C", folder, ...args], { env: { ...process.env, ...who }, encoding: "utf8" }).trim();
}

/** A commit that a person makes on the base. */
export function commitOnBase(stage: Stage, subject: string): string {
  gitByPerson(stage.user, "commit", "-q", "--allow-empty", "-m", subject);
  return gitByPerson(stage.user, "rev-parse", "HEAD");
}

/** A commit that a person makes on another branch, from a worktree of their own. It adds the file `byJo.txt`. */
export function commitOnBranch(stage: Stage, branch: string, subject: string): string {
  const folder = join(stage.root, "person");
  gitByPerson(stage.user, "worktree", "add", "-q", "--force", "--detach", folder, branch);
  writeFileSync(join(folder, "byJo.txt"), `${subject}\n`);
  gitByPerson(folder, "add", "-A");
  gitByPerson(folder, "commit", "-q", "-m", subject);
  const sha = gitByPerson(folder, "rev-parse", "HEAD");
  gitByPerson(stage.user, "update-ref", `refs/heads/${branch}`, sha);
  gitByPerson(stage.user, "worktree", "remove", "--force", folder);
  return sha;
}
