import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFolderTracker } from "../src/adapters/tracker/folder.ts";
import { scratchFolder } from "./children.ts";
import { type Bench, type Figure, noteFigure, valueFigure } from "./figure.ts";
import { PROGRAM } from "./loopdash.ts";

const TICKETS = 1_000;

/** The most that a reading may cost the engine's event loop. Milliseconds. */
const MOST_MS = 5;

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
    const reader = createFolderTracker({ folder, ids: [], thread: { program: PROGRAM, args: ["__tracker"] } });
    const end = reader.watch(() => undefined);
    const busy = async (): Promise<number> => {
      const before = performance.eventLoopUtilization();
      await reader.read();
      return performance.eventLoopUtilization(before).active;
    };
    const first = await busy();
    const again: number[] = [];
    for (let round = 0; round < (quick ? 3 : 20); round += 1) again.push(await busy());
    await writeFile(files[0] ?? "", "---\nstate: done\n---\n# Ticket 0\n");
    const changed = await busy();
    end();
    const figure = (what: string, value: number) => valueFigure({ item: "tracker", what, value, unit: "ms", max: MOST_MS });
    return [
      noteFigure({ item: "tracker", what: "first reading, with the start of the thread", value: first, unit: "ms" }),
      figure("unchanged folder, the slowest reading", Math.max(...again)),
      figure("one ticket changed", changed),
    ];
  },
};
