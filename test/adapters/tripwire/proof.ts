import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { freezeTrackerProgram } from "../../../src/adapters/oracle/frozen-command.ts";
import { freezeProgram } from "../../../src/adapters/oracle/frozen-oracle.ts";
import { printedListing } from "../../../src/adapters/oracle/tracker-listing.ts";
import { createProgramService } from "../../../src/adapters/tracker/command/program-service.ts";
import { trackerProgram } from "../../../src/adapters/tracker/command/tracker-program.ts";
import { createEmbeddedTracker, seedEmbeddedTracker } from "../../../src/adapters/tracker/embedded.ts";
import { createFolderTracker } from "../../../src/adapters/tracker/folder.ts";
import { createServiceTracker } from "../../../src/adapters/tracker/service/service-tracker.ts";
import { type CanaryTripwireOptions, createCanaryTripwire } from "../../../src/adapters/tripwire/canary-tripwire.ts";
import { createCrossCheckedOracle } from "../../../src/adapters/tripwire/cross-checked-oracle.ts";
import { createDecoyFolders } from "../../../src/adapters/tripwire/write-tracker.ts";
import type { FrozenSet } from "../../../src/domain/run/frozen-set.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import type { FrozenProgram, Oracle, OracleBatch, ReadListing, TrackerPlace } from "../../../src/ports/oracle.ts";
import type { Tracker } from "../../../src/ports/tracker.ts";
import type { Tripwire } from "../../../src/ports/tripwire.ts";

export const FROZEN: FrozenSet = { oracle: "1", batch: "2", limits: "3", guard: "4", sandbox: "5", tripwire: "6" };

/** A run with open tickets T-1, T-2 and so on, its tracker, and what judges it. */
export interface Proof {
  readonly run: string;
  readonly program: FrozenProgram;
  readonly tracker: Tracker;
  readonly place: OracleBatch["tracker"];
  readonly oracle: Oracle;
  /** Files an open ticket that a worker found: from then on it is judged with the rest. */
  grow(id: TicketId): Promise<void>;
  tripwire(over?: Partial<CanaryTripwireOptions>): Tripwire;
}

interface Making {
  readonly root: string;
  readonly run: string;
  readonly ids: readonly TicketId[];
  readonly tickets: readonly { readonly id: TicketId; readonly title: string; readonly body: string }[];
}

const SQLITE = resolve(import.meta.dirname, "../../../example/trackers/sqlite.mjs");
const environment = () => Promise.resolve({ PATH: process.env["PATH"] ?? "" });
const RUNS_WITH = { environment, deadlineMs: 60_000 };

/** Makes a tracker of each kind that holds these tickets, all open. */
const TRACKERS: Readonly<
  Record<"embedded" | "folder" | "command", (made: Making) => Promise<{ place: TrackerPlace; tracker: Tracker }>>
> = {
  async embedded({ run, ids, tickets }) {
    const file = join(run, "tracker.json");
    await seedEmbeddedTracker(file, tickets);
    return { place: { kind: "embedded", file }, tracker: createEmbeddedTracker({ file, ids }) };
  },
  async folder({ root, ids, tickets }) {
    const folder = join(root, "project", "tickets");
    mkdirSync(folder, { recursive: true });
    for (const { id, title } of tickets) writeFileSync(join(folder, `${id}.md`), `---\nstate: open\n---\n# ${title}\n`);
    return { place: { kind: "folder", folder }, tracker: createFolderTracker({ folder, ids }) };
  },
  async command({ root, ids, tickets }) {
    const folder = join(root, "project");
    mkdirSync(folder, { recursive: true });
    const command = [process.execPath, SQLITE, join(folder, "tickets.db")] as const;
    const program = trackerProgram({ command, cwd: folder, environment });
    await program.ask("init");
    const filing = createServiceTracker({ service: createProgramService(program), ids: [] });
    for (const ticket of tickets) await filing.file({ ...ticket, repo: RepoId.parse("app"), note: "" });
    const frozen = await freezeTrackerProgram([...command, "snapshot"], { folder, path: "/usr/bin:/bin" });
    return {
      place: { kind: "command", program: frozen, folder },
      tracker: createServiceTracker({ service: createProgramService(program), ids }),
    };
  },
};

export async function proofOf(
  root: string,
  /** The oracle's bytes, or one that runs here. */
  oracle: Uint8Array | FrozenProgram,
  kind: "embedded" | "folder" | "command",
  more: { plain?: boolean; count?: number } = {},
): Promise<Proof> {
  const ids = Array.from({ length: more.count ?? 3 }, (_, at) => TicketId.parse(`T-${at + 1}`));
  const tickets = ids.map((id) => ({ id, title: `Do ${id}`, body: "" }));
  const run = join(root, "home", "runs", "test-20260504-k3f9".replace("k", "a"));
  mkdirSync(join(run, "oracle"), { recursive: true });
  const { place, tracker } = await TRACKERS[kind]({ root, run, ids, tickets });
  const program = oracle instanceof Uint8Array ? freezeProgram({ bytes: oracle, scratch: join(run, "oracle") }) : oracle;
  const late: TicketId[] = [];
  const batch = (): OracleBatch => ({ version: 1, tracker: place, tickets: [...ids, ...late] });
  const printer = (file: string, folder: string) => freezeTrackerProgram(["cat", file], { folder, path: "/usr/bin:/bin" });
  const hides = createDecoyFolders({ run, list: join(run, "canaries"), real: place, printer });
  const listing: ReadListing = (at, _, signal) => {
    if ("keys" in at) throw new TypeError("no service is read here");
    return printedListing(at, { ...RUNS_WITH, signal });
  };
  const common = { program, batch, hides, plain: more.plain === true, listing };
  return {
    run,
    program,
    tracker,
    place,
    oracle: createCrossCheckedOracle(common),
    grow: async (id) => {
      await tracker.file({ id, title: `Do ${id}`, body: "", repo: RepoId.parse("app"), note: "found" });
      late.push(id);
    },
    tripwire: (over = {}) =>
      createCanaryTripwire({
        ...common,
        like: () => ({ tickets }),
        canaries: true,
        recorded: FROZEN,
        frozen: () => FROZEN,
        ...over,
      }),
  };
}
