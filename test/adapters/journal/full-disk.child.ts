import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { Fence, RunId, TicketId } from "../../../src/domain/values/ids.ts";

/**
 * Runs in its own mount namespace on a small disk (argument: its folder) that a ballast file nearly fills.
 * Appends until the disk refuses, then makes room and appends again. Prints what it saw as JSON.
 */
const [, , folder = ""] = process.argv;
const file = join(folder, "loopdash.db");
const run = RunId.parse("small-disk");
const ticket = TicketId.parse("T-1");
const ballast = join(folder, "ballast");
writeFileSync(ballast, Buffer.alloc(512 * 1024, 1));
const store = openRunStore(file);
const journal = store.create({ run, name: "n", batchPath: "/b", batchFileSha: "0", startedAt: 1 });

function appendUntilRefused(): { last: number; error: string } {
  let last = 0;
  for (;;) {
    try {
      journal.append({ type: "activity", ticket, fence: Fence.parse(1), text: "x".repeat(100), lines: 1 });
      last = journal.append({ type: "ticket-stalled", ticket, reason: "y".repeat(3_000) }).seq;
    } catch (error) {
      return { last, error: String(error) };
    }
  }
}

const refused = appendUntilRefused();
let opening = "";
try {
  openRunStore(join(folder, "second.db")).close();
} catch (error) {
  opening = String(error);
}
const durable = [...store.openForReading(run).read()].length;
rmSync(ballast);
const after = journal.append({ type: "ticket-stalled", ticket, reason: "room again" }).seq;
const events = [...journal.read()].map((event) => event.seq);
store.close();
process.stdout.write(JSON.stringify({ ...refused, opening, durable, after, count: events.length, tail: events.at(-1) }));
