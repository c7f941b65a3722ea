import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { Fence, RunId, TicketId } from "../../../src/domain/values/ids.ts";

/** Appends for ever, saying each seq once it is durable. Arguments: file, run. */
const [, , file = "", run = ""] = process.argv;
const journal = openRunStore(file).open(RunId.parse(run));
const ticket = TicketId.parse("T-1");
for (;;) {
  for (let i = 0; i < 3; i++)
    journal.append({ type: "activity", ticket, fence: Fence.parse(1), text: "x".repeat(200), lines: 1 });
  const event = journal.append({ type: "ticket-stalled", ticket, reason: "y".repeat(500) });
  process.stdout.write(`${event.seq}\n`);
}
