import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFolderTracker } from "../src/adapters/tracker/folder.ts";
import { RepoId, TicketId } from "../src/domain/values/ids.ts";
import { scratchFolder } from "./children.ts";
import { type Bench, type Figure, noteFigure, valueFigure } from "./figure.ts";
import { PROGRAM } from "./loopdash.ts";

const TICKETS = 1_000;

/** The most that a reading may cost the engine's event loop. Milliseconds. */
const MOST_MS = 5;

/** Milliseconds of the event loop's own time. */
async function busy(act: () => Promise<unknown>): Promise<number> {
  const before = performance.eventLoopUtilization();
  await act();
  return performance.eventLoopUtilization(before).active;
}

/** The cost of reading the tracker during the run: the event loop's own time, while a thread reads the files. */
export const tracker: Bench = {
  name: "tracker",
  about: `a snapshot of a folder of ${TICKETS} tickets: time of the event loop`,
  async run({ quick }): Promise<readonly Figure[]> {
    await using scratch = await scratchFolder("tracker");
    const folder = join(scratch.path, "tickets");
    await mkdir(folder);
    const files = Array.from({ length: TICKETS }, (_, i) => join(folder, `B-${i}.md`));
    await Promise.all(
      files.map((file, i) => writeFile(file, `---\nstate: open\n---\n# Ticket ${i}\n\n${"Some words. ".repeat(100)}\n`)),
    );
    const long = new Date(Date.now() - 60_000);
    await Promise.all(files.map((file) => utimes(file, long, long)));
    const ids = files.map((_, i) => TicketId.parse(`B-${i}`));
    const reader = createFolderTracker({ folder, ids, thread: { program: PROGRAM, args: ["__tracker"] } });
    const end = reader.watch(() => undefined);
    const first = await busy(() => reader.read());
    const again: number[] = [];
    for (let round = 0; round < (quick ? 3 : 20); round += 1) again.push(await busy(() => reader.read()));
    await writeFile(files[0] ?? "", "---\nstate: done\n---\n# Ticket 0\n");
    const changed = await busy(() => reader.read());
    const snapshot = await busy(() => reader.snapshot());
    const found = { id: TicketId.parse("F-1"), title: "Found", body: "", repo: RepoId.parse("app"), note: "found" };
    const filed = await busy(() => reader.file(found));
    end();
    const resumed = createFolderTracker({ folder, ids, thread: { program: PROGRAM, args: ["__tracker"] } });
    const endResumed = resumed.watch(() => undefined);
    await resumed.read();
    const set = await busy(() => resumed.set(TicketId.parse("B-1"), { as: "done" }, "merged"));
    endResumed();
    const figure = (what: string, value: number) => valueFigure({ item: "tracker", what, value, unit: "ms", max: MOST_MS });
    return [
      noteFigure({ item: "tracker", what: "first reading, with the start of the thread", value: first, unit: "ms" }),
      figure("unchanged folder, the slowest reading", Math.max(...again)),
      figure("one ticket changed", changed),
      figure("a snapshot for the last re-verification", snapshot),
      noteFigure({ item: "tracker", what: "a ticket is filed", value: filed, unit: "ms" }),
      noteFigure({ item: "tracker", what: "the first write of a resumed engine", value: set, unit: "ms" }),
    ];
  },
};
