import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freezeProgram } from "../../../src/adapters/oracle/frozen-oracle.ts";
import { createEmbeddedTracker, seedEmbeddedTracker } from "../../../src/adapters/tracker/embedded.ts";
import { createFolderTracker } from "../../../src/adapters/tracker/folder.ts";
import { type CanaryTripwireOptions, createCanaryTripwire } from "../../../src/adapters/tripwire/canary-tripwire.ts";
import { createCrossCheckedOracle } from "../../../src/adapters/tripwire/cross-checked-oracle.ts";
import { createDecoyFolders } from "../../../src/adapters/tripwire/decoy-folders.ts";
import type { FrozenSet } from "../../../src/domain/run/frozen-set.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import type { FrozenProgram, Oracle, OracleBatch } from "../../../src/ports/oracle.ts";
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

export async function proofOf(
  root: string,
  /** The oracle's bytes, or one that runs here. */
  oracle: Uint8Array | FrozenProgram,
  kind: "embedded" | "folder",
  more: { plain?: boolean; count?: number } = {},
): Promise<Proof> {
  const ids = Array.from({ length: more.count ?? 3 }, (_, at) => TicketId.parse(`T-${at + 1}`));
  const tickets = ids.map((id) => ({ id, title: `Do ${id}`, body: "" }));
  const run = join(root, "home", "runs", "test-20260504-k3f9".replace("k", "a"));
  mkdirSync(join(run, "oracle"), { recursive: true });
  const place =
    kind === "embedded" ? { kind, file: join(run, "tracker.json") } : { kind, folder: join(root, "project", "tickets") };
  if (place.kind === "embedded") await seedEmbeddedTracker(place.file, tickets);
  else {
    mkdirSync(place.folder, { recursive: true });
    for (const { id, title } of tickets) writeFileSync(join(place.folder, `${id}.md`), `---\nstate: open\n---\n# ${title}\n`);
  }
  const tracker =
    place.kind === "embedded"
      ? createEmbeddedTracker({ file: place.file, ids })
      : createFolderTracker({ folder: place.folder, ids });
  const program = oracle instanceof Uint8Array ? freezeProgram({ bytes: oracle, scratch: join(run, "oracle") }) : oracle;
  const late: TicketId[] = [];
  const batch = (): OracleBatch => ({ version: 1, tracker: place, tickets: [...ids, ...late] });
  const hides = createDecoyFolders({ run, list: join(run, "canaries"), real: place });
  const common = { program, batch, hides, plain: more.plain === true };
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
