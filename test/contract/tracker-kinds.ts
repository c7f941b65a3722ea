import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { createProgramService } from "../../src/adapters/tracker/command/program-service.ts";
import { trackerProgram } from "../../src/adapters/tracker/command/tracker-program.ts";
import { createEmbeddedTracker, seedEmbeddedTracker } from "../../src/adapters/tracker/embedded.ts";
import { createFolderTracker } from "../../src/adapters/tracker/folder.ts";
import { createServiceTracker } from "../../src/adapters/tracker/service/service-tracker.ts";
import type { TicketId } from "../../src/domain/values/ids.ts";
import type { Tracker } from "../../src/ports/tracker.ts";
import { github } from "./github.ts";

/** One kind of tracker, as the contract drives it. `folder` is a scratch folder of the test. */
export interface TrackerUnderTest {
  readonly kind: string;
  seed(folder: string, ids: readonly TicketId[]): Promise<void>;
  open(folder: string, ids: readonly TicketId[]): Tracker;
  /** The file or folder without which the tracker is away. */
  homeOf(folder: string): string;
  /** Everything that the tracker keeps, to see that nothing changed. */
  contentOf(folder: string): Promise<unknown>;
  /** A person gives the ticket another title. */
  retitle(folder: string, id: TicketId, title: string): Promise<void>;
  /** A person sets a ticket that is done to open, and changes nothing else. */
  reopen(folder: string, id: TicketId): Promise<void>;
}

/** A kind whose tickets are in files that it writes itself. */
export interface FileTrackerUnderTest extends TrackerUnderTest {
  /** The file that holds the ticket. */
  fileOf(folder: string, id: TicketId): string;
  /** The folder in which the adapter writes. */
  placeOf(folder: string): string;
}

const embedded: FileTrackerUnderTest = {
  kind: "embedded",
  seed: (folder, ids) =>
    seedEmbeddedTracker(
      join(folder, "tracker.json"),
      ids.map((id) => ({ id, title: `Title of ${id}`, body: "Some text.\n" })),
    ),
  open: (folder, ids) => createEmbeddedTracker({ file: join(folder, "tracker.json"), ids }),
  homeOf: (folder) => join(folder, "tracker.json"),
  contentOf: (folder) => filesIn(folder),
  retitle: (folder, id, title) => inTrackerFile(folder, id, { title }),
  reopen: (folder, id) => inTrackerFile(folder, id, { state: "open" }),
  fileOf: (folder) => join(folder, "tracker.json"),
  placeOf: (folder) => folder,
};

async function inTrackerFile(place: string, id: TicketId, change: object): Promise<void> {
  const file = join(place, "tracker.json");
  const content: { readonly tickets: readonly { readonly id: string }[] } = JSON.parse(await readFile(file, "utf8"));
  const tickets = content.tickets.map((ticket) => (ticket.id === id ? { ...ticket, ...change } : ticket));
  await writeFile(file, JSON.stringify({ ...content, tickets }));
}

const folder: FileTrackerUnderTest = {
  kind: "folder",
  async seed(place, ids) {
    await mkdir(join(place, "tickets"));
    for (const id of ids) {
      await writeFile(join(place, "tickets", `${id}.md`), `---\nstate: open\nowner: Jo\n---\n# Title of ${id}\n\nSome text.\n`);
    }
  },
  open: (place, ids) => createFolderTracker({ folder: join(place, "tickets"), ids }),
  homeOf: (place) => join(place, "tickets"),
  contentOf: (place) => filesIn(join(place, "tickets")),
  async retitle(place, id, title) {
    const file = join(place, "tickets", `${id}.md`);
    await writeFile(file, (await readFile(file, "utf8")).replace(/^# .*$/m, `# ${title}`));
  },
  async reopen(place, id) {
    const file = join(place, "tickets", `${id}.md`);
    await writeFile(file, (await readFile(file, "utf8")).replace(/^state: done$/m, "state: open"));
  },
  fileOf: (place, id) => join(place, "tickets", `${id}.md`),
  placeOf: (place) => join(place, "tickets"),
};

const SQLITE = fileURLToPath(new URL("../../example/trackers/sqlite.mjs", import.meta.url));

/** The example's program in a process of its own for each request, on a real database. */
const command: TrackerUnderTest = {
  kind: "command",
  async seed(place, ids) {
    execFileSync(process.execPath, [SQLITE, join(place, "tickets.db"), "init"], { env: {} });
    for (const id of ids)
      inDatabase(place, "INSERT INTO tickets (id, title, body) VALUES (?, ?, ?)", id, `Title of ${id}`, "Some text.\n");
  },
  open: (place, ids) =>
    createServiceTracker({
      service: createProgramService(
        trackerProgram({
          command: [process.execPath, SQLITE, "tickets.db"],
          cwd: place,
          environment: async () => ({}),
        }),
      ),
      ids,
    }),
  homeOf: (place) => join(place, "tickets.db"),
  contentOf: async (place) => inDatabase(place, "SELECT * FROM tickets ORDER BY rowid"),
  async retitle(place, id, title) {
    inDatabase(place, "UPDATE tickets SET title = ? WHERE id = ?", title, id);
  },
  async reopen(place, id) {
    inDatabase(place, "UPDATE tickets SET state = 'open' WHERE id = ?", id);
  },
};

function inDatabase(place: string, sql: string, ...values: string[]): unknown {
  const database = new DatabaseSync(join(place, "tickets.db"), { timeout: 30_000 });
  try {
    return database.prepare(sql).all(...values);
  } finally {
    database.close();
  }
}

export const fileTrackersUnderTest: readonly FileTrackerUnderTest[] = [embedded, folder];
export const trackersUnderTest: readonly TrackerUnderTest[] = [...fileTrackersUnderTest, command, github];

/** Every file below the folder with its bytes, to see that nothing changed. */
export async function filesIn(place: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(place, { withFileTypes: true });
  const files = entries.filter((e) => e.isFile()).sort((a, b) => a.name.localeCompare(b.name));
  return Object.fromEntries(await Promise.all(files.map(async (e) => [e.name, await readFile(join(place, e.name), "utf8")])));
}
