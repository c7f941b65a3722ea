import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createEmbeddedTracker, seedEmbeddedTracker } from "../../src/adapters/tracker/embedded.ts";
import { createFolderTracker } from "../../src/adapters/tracker/folder.ts";
import type { TicketId } from "../../src/domain/values/ids.ts";
import type { Tracker } from "../../src/ports/tracker.ts";

/** One kind of tracker, as the contract drives it. `folder` is a scratch folder of the test. */
export interface TrackerUnderTest {
  readonly kind: string;
  seed(folder: string, ids: readonly TicketId[]): Promise<void>;
  open(folder: string, ids: readonly TicketId[]): Tracker;
  /** The file that holds the ticket. */
  fileOf(folder: string, id: TicketId): string;
  /** The folder in which the adapter writes. */
  placeOf(folder: string): string;
}

export const trackersUnderTest: readonly TrackerUnderTest[] = [
  {
    kind: "embedded",
    seed: (folder, ids) =>
      seedEmbeddedTracker(
        join(folder, "tracker.json"),
        ids.map((id) => ({ id, title: `Title of ${id}`, body: "Some text.\n" })),
      ),
    open: (folder, ids) => createEmbeddedTracker({ file: join(folder, "tracker.json"), ids }),
    fileOf: (folder) => join(folder, "tracker.json"),
    placeOf: (folder) => folder,
  },
  {
    kind: "folder",
    async seed(folder, ids) {
      await mkdir(join(folder, "tickets"));
      for (const id of ids) {
        await writeFile(
          join(folder, "tickets", `${id}.md`),
          `---\nstate: open\nowner: Jo\n---\n# Title of ${id}\n\nSome text.\n`,
        );
      }
    },
    open: (folder, ids) => createFolderTracker({ folder: join(folder, "tickets"), ids }),
    fileOf: (folder, id) => join(folder, "tickets", `${id}.md`),
    placeOf: (folder) => join(folder, "tickets"),
  },
];

/** Every file below the folder with its bytes, to see that nothing changed. */
export async function filesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((e) => e.isFile()).sort((a, b) => a.name.localeCompare(b.name));
  return Object.fromEntries(await Promise.all(files.map(async (e) => [e.name, await readFile(join(folder, e.name), "utf8")])));
}
