import { connectChannel, socketPathOf } from "../../adapters/channel/socket-client.ts";
import { createLocks } from "../../adapters/locks/sqlite-locks.ts";
import { readChange } from "../../adapters/vcs/repository/read-change.ts";
import { isShownWhole } from "../../domain/review/shown-change.ts";
import { admitApproval, otherCommit, whyNoApproval } from "../../domain/run/admit-approval.ts";
import { describeAwaited } from "../../domain/run/approval.ts";
import { approveCommand, Command } from "../../domain/run/command.ts";
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

/** Bytes of a change that can be shown: as text they fit into one string, with every byte written out. */
const MOST_BYTES = 48 * 2 ** 20;

/**
 * `loopdash bound approve RUN TICKET [COMMIT]`: without a commit it shows the whole change and approves nothing (exit 1); with the
 * commit, it approves exactly that change: by the run's engine, or in its journal if none is at work. A run that has ended goes on then.
 */
export async function approveBound({ words: [name, ticket = "", commit] }: BoundFlags): Promise<number> {
  const found = lookUpRun(name);
  writeNote(describeChoice(found));
  const id = TicketId.safeParse(ticket);
  if (!id.success)
    throw usageError(`"${plainText(ticket, 80)}" is not a ticket id`, "it has another form", "See: loopdash status");
  const { run, batchPath } = found.row;
  if (commit === undefined) return showChange(findRun(run).state, id.data);
  if (!Command.safeParse({ type: "approve", ticket: id.data, commit }).success)
    throw usageError(
      `"${plainText(commit, 80)}" is not a commit`,
      "name it by at least 7 of its digits",
      "Look at the change first.",
    );
  const { shown } = await changeOf(findRun(run).state, id.data);
  if (!shown.commit.startsWith(commit)) throw refused(otherCommit(id.data, shown.commit, commit));
  if (found.live) await approveByEngine(found, approveCommand(id.data, shown));
  else approveInJournal(found, approveCommand(id.data, shown));
  const on = found.live ? "it goes on now" : `it goes on with: loopdash ${shellWord(batchPath)}`;
  writeAll(1, `${plainText(`the change of ${ticket} in run ${run} is approved; ${on}`)}\n`);
  return EXIT.done;
}

/** The change that waits, as a person is shown it: whole, or not at all. */
async function changeOf(state: RunState, id: TicketId) {
  const why = whyNoApproval(state, id);
  if (why !== undefined) throw refused(why);
  const { approval } = ticketOf(state, id);
  if (approval === undefined) throw refused(`no change of ${id} waits for an approval`);
  const { path: top = "" } = state.batch.repos[specOf(state.plan, id).repo] ?? {};
  const shown = await readChange({ path: top, from: approval.base, tip: approval.commit, maxBytes: MOST_BYTES });
  if (!shown.ok) throw refused(`the change of ${id} cannot be shown: ${shown.why}`);
  const tooLong = `is longer than ${MOST_BYTES / 2 ** 20} MiB and cannot be shown whole. Merge it by hand, or split the ticket`;
  if (!isShownWhole(shown)) throw refused(`the change of ${id} ${tooLong}`);
  return { approval, shown };
}

/** Prints the whole change, why it needs a person, and the command that approves it. */
async function showChange(state: RunState, id: TicketId): Promise<number> {
  const { approval, shown } = await changeOf(state, id);
  const { commit, why = [] } = approval;
  const approve = `loopdash bound approve ${state.run} ${id} ${commit.slice(0, 12)}`;
  const head = [`${id} waits with ${describeAwaited(approval)}. It needs a person:`, ...why.map((each) => `- ${each}`)];
  writeAll(1, `${head.map((line) => plainText(line)).join("\n")}\n\n${shown.text}`);
  writeAll(1, `\nThis is the whole change; nothing is approved yet. To approve exactly this: ${approve}\n`);
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
