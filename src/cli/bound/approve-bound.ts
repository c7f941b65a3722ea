import { shellWord } from "@loopdash/values";
import { readChange } from "../../adapters/vcs/repository/read-change.ts";
import { isShownWhole } from "../../domain/review/shown-change.ts";
import { admitApproval, otherCommit, whyNoApproval } from "../../domain/run/admit-approval.ts";
import { describeAwaited } from "../../domain/run/approval.ts";
import { approveCommand, Command } from "../../domain/run/command.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, type UserError } from "../../domain/values/user-error.ts";
import { describeChoice, findRun, lookUpRun, type RecordedRun } from "../find-run.ts";
import { writeAll, writeNote } from "../print.ts";
import { changeJournal } from "../run-journal.ts";
import { askEngine, refused as commandRefused, parseTicketId } from "../ticket-commands.ts";
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
  const id = parseTicketId(ticket);
  const { run, batchPath } = found.row;
  if (commit === undefined) return showChange(findRun(run).state, id);
  if (!Command.safeParse({ type: "approve", ticket: id, commit }).success)
    throw usageError(
      `"${plainText(commit, 80)}" is not a commit`,
      "name it by at least 7 of its digits",
      "Look at the change first.",
    );
  const { shown } = await changeOf(findRun(run).state, id);
  if (!shown.commit.startsWith(commit)) throw refused(otherCommit(id, shown.commit, commit));
  if (found.live) await approveByEngine(found, approveCommand(id, shown));
  else approveInJournal(found, approveCommand(id, shown));
  const on = found.live ? "it goes on now" : `it goes on with: loopdash ${shellWord(batchPath)}`;
  writeAll(1, `${plainText(`the change of ${ticket} in run ${run} is approved; ${on}`)}\n`);
  return EXIT.done;
}

/** The change that waits, as a person is shown it: whole, or not at all. */
async function changeOf(state: RunState, id: TicketId) {
  const why = whyNoApproval(state, id);
  if (why !== undefined) throw refused(why);
  const { approval } = ticketById(state, id);
  if (approval === undefined) throw refused(`no change of ${id} waits for an approval`);
  const { path: top = "" } = state.batch.repos[plannedTicket(state.plan, id).repo] ?? {};
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
  const { ticket } = command;
  await askEngine(folder, {
    command,
    readAnswer(event) {
      if (event.type === "command-refused" && event.command.type === "approve" && event.command.ticket === ticket)
        throw refused(event.reason);
      return event.type === "change-approved" && event.ticket === ticket ? true : undefined;
    },
    refuse: refused,
  });
}

function approveInJournal(found: RecordedRun, command: Approve): void {
  changeJournal(found, { refuse: refused, reopens: true }, (state) => {
    const facts = admitApproval(state, command, (reason) => {
      throw refused(reason);
    });
    return { facts, result: undefined };
  });
}

function refused(why: string): UserError {
  return commandRefused("nothing was approved", why);
}
