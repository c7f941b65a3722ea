import { TicketId } from "../../../../src/domain/values/ids.ts";
import { batchOf, RunBuilder } from "../../../store/run-builder.ts";

const BRANCHES = [
  ["P-1", "lay out the new schema", []],
  ["P-2", "read from both tables", ["P-1"]],
  ["P-3", "write to both tables", ["P-1"]],
  ["P-4", "copy the old rows", ["P-2", "P-3"]],
  ["P-5", "a dashboard of the copy", ["P-3"]],
  ["P-6", "switch the reads over", ["P-4"]],
  ["P-7", "drop the old table", ["P-6", "P-5"]],
  ["Q-1", "署名鍵を毎週ローテーションする作業", []],
  ["Q-2", "tell the customers", ["Q-1", "P-6"]],
  ["R-1", "tidy the imports", []],
] as const;

/** Branches that part and meet, a ticket that a worker found and that is waited for, and a title of wide characters. */
export function branches(): RunBuilder {
  const tickets = BRANCHES.map(([id, title, dependsOn]) => ({ id, title, dependsOn }));
  const run = new RunBuilder(batchOf({ tickets, name: "move", limits: { workers: 3 } }));
  run.ships("P-1", 60).ships("P-3", 80).working("P-2", "reading").gates("Q-1", "ask the owner of the key");
  const finder = run.state.plan.tickets.find(({ id }) => id === "P-2");
  if (finder === undefined) throw new Error("no P-2");
  const discovered = { ...finder, id: TicketId.parse("P-2-d1"), title: "the reader drops time zones", dependsOn: [] };
  run.of("P-2", {
    type: "ticket-discovered",
    discovered: { ...discovered, foundBy: finder.id },
    reason: "wrong rows",
    blocks: true,
  });
  run.play({ type: "discovery-filed", ticket: discovered.id });
  for (let i = 0; i < 3; i++) run.fails("R-1", "1 of 9: the linter");
  run.play({ type: "ticket-stalled", ticket: TicketId.parse("R-1"), reason: "3 of 3 attempts failed", by: "attempts" });
  return run.working("P-5", "drawing").wait(30);
}
