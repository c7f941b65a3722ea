import { connectChannel } from "../../adapters/channel/socket-client.ts";
import { socketPathOf } from "../../adapters/channel/socket-path.ts";
import { createLocks } from "../../adapters/locks/sqlite-locks.ts";
import { mustGit } from "../../adapters/vcs/git/run-git.ts";
import { gitDirOf } from "../../adapters/vcs/repository/locate.ts";
import { zoneMatcher } from "../../domain/bound/zone-match.ts";
import { admitApproval, whyNoApproval } from "../../domain/run/admit-approval.ts";
import { describeAwaited } from "../../domain/run/approval.ts";
import { Command } from "../../domain/run/command.ts";
import { type RunState, ticketOf } from "../../domain/run/state.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import { TicketId } from "../../domain/values/ids.ts";
import { shellWord } from "../../domain/values/shell-word.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { lastRun } from "../engine/carry-over.ts";
import { batchLock } from "../engine/engine-locks.ts";
import { stateFromJournal } from "../engine/journal-state.ts";
import { describeChoice, findRun, lookUpRun, type RecordedRun, withStore } from "../find-run.ts";
import { writeAll, writeNote } from "../print.ts";
import { usageError } from "../usage-error.ts";
import type { BoundFlags } from "./flags.ts";

type Approve = Extract<Command, { type: "approve" }>;

/** Characters of a diff that are printed. */
const MOST_DIFF = 200_000;

/**
 * `loopdash bound approve RUN TICKET [COMMIT]`: without a commit it shows the change of the zones and approves nothing (exit 1); with the
 * commit, it approves exactly that change: by the run's engine, or in its journal if none is at work. A run that has ended goes on then.
 */
export async function approveBound({ words: [name, ticket = "", commit] }: BoundFlags): Promise<number> {
  const found = lookUpRun(name);
  writeNote(describeChoice(found));
  const id = TicketId.safeParse(ticket);
  if (!id.success)
    throw usageError(`"${plainText(ticket, 80)}" is not a ticket id`, "it has another form", "See: loopdash status");
  if (commit === undefined) return showChange(findRun(found.row.run).state, id.data);
  const command = Command.safeParse({ type: "approve", ticket: id.data, commit });
  if (!command.success || command.data.type !== "approve")
    throw usageError(
      `"${plainText(commit, 80)}" is not a commit`,
      "name it by at least 7 of its digits",
      "Look at the change first.",
    );
  const { run, batchPath } = found.row;
  if (found.live) await approveByEngine(found, command.data);
  else approveInJournal(found, command.data);
  const on = found.live ? "it goes on now" : `it goes on with: loopdash ${shellWord(batchPath)}`;
  writeAll(1, `${plainText(`the change of ${ticket} in run ${run} is approved; ${on}`)}\n`);
  return EXIT.done;
}

/** Prints the change of the zones, and the command that approves it. */
async function showChange(state: RunState, id: TicketId): Promise<number> {
  const why = whyNoApproval(state, id);
  if (why !== undefined) throw refused(why);
  const { approval } = ticketOf(state, id);
  if (approval === undefined) throw refused(`no change of ${id} waits for an approval`);
  const { commit, base, zones } = approval;
  const { path: top = "" } = state.batch.repos[specOf(state.plan, id).repo] ?? {};
  const gitDir = await gitDirOf(top);
  const listed = await mustGit(top, { gitDir, args: ["diff", "--name-only", "--no-renames", "-z", base, commit] });
  const relations = zones.map(zoneMatcher);
  const isShown = (file: string) => zones.length === 0 || relations.some((relation) => relation(file) !== undefined);
  const paths = listed.split("\0").filter((file) => file !== "" && isShown(file));
  const args = [
    "diff",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    base,
    commit,
    "--",
    ...paths.map((file) => `:(literal)${file}`),
  ];
  const diff = (await mustGit(top, { gitDir, args })).slice(0, MOST_DIFF);
  const lines = diff.split("\n").map((line) => plainText(line, 2_000));
  const approve = `loopdash bound approve ${state.run} ${id} ${commit.slice(0, 12)}`;
  const head = `${id} waits with ${describeAwaited(approval)}; the whole change: git -C ${shellWord(top)} show ${commit.slice(0, 12)}`;
  writeAll(
    1,
    `${[plainText(head, 600), "", ...lines, `Nothing is approved yet. To approve exactly this: ${approve}`].join("\n")}\n`,
  );
  return EXIT.notDone;
}

async function approveByEngine({ folder }: RecordedRun, command: Approve): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const client = await connectChannel({
    socketPath: socketPathOf(folder),
    onMessage: (message) => {
      if (message.kind !== "event") return;
      const { event } = message;
      if (event.type === "change-approved" && event.ticket === command.ticket) resolve();
      const isOurs =
        event.type === "command-refused" && event.command.type === "approve" && event.command.ticket === command.ticket;
      if (isOurs) reject(refused(event.reason));
    },
    onClose: (reason) => reject(refused(plainText(reason, 300))),
  });
  client.send(command);
  await promise.finally(() => client.close());
}

/** No engine is at work: the lock on the batch makes this process the journal's only writer. */
function approveInJournal({ row: { run, batchPath, endedAt } }: RecordedRun, command: Approve): void {
  withStore((store, home) => {
    const taken = createLocks(home.locks).take([batchLock(batchPath)], { pid: process.pid, run, since: Date.now() });
    if (!taken.ok) throw refused("the run's engine started meanwhile: give the same command again");
    try {
      const last = lastRun(store, batchPath)?.run;
      if (last !== undefined && last !== run) throw refused(`the run ${run} is not the last one of its batch: ${last} is`);
      const state = stateFromJournal(store.openForReading(run), run);
      const facts = admitApproval(state, command, (reason) => {
        throw refused(reason);
      });
      const journal = store.open(run);
      for (const fact of facts) journal.append(fact);
      journal.close();
      if (endedAt !== undefined) store.reopen(run);
    } finally {
      for (const lock of taken.locks) lock[Symbol.dispose]();
    }
  });
}

function refused(why: string): UserError {
  return new UserError({ what: "nothing was approved", why, todo: "See: loopdash status", exitCode: EXIT.refused });
}
