import { randomBytes, randomInt } from "node:crypto";
import { appendFileSync, existsSync, rmSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasErrorCode } from "../../domain/values/text.ts";
import type { OracleBatch } from "../../ports/oracle.ts";
import type { TrackerKind } from "./canary.ts";
import { oneOf } from "./random.ts";
import type { TrackerLocation } from "./write-tracker.ts";

/** Folders beside those of the runs, named like them, that hold canaries while they are judged. */
export interface DecoyFolders {
  /** A place for a tracker of this kind: its folder exists, the tracker does not. */
  make(kind: TrackerKind): Promise<TrackerLocation>;
  remove(place: TrackerLocation): Promise<void>;
  /** Removes the folders that a killed engine left. */
  sweep(): Promise<void>;
}

const NAMES = ["tickets", "issues", "backlog", "todo", "tasks", "plan"];

/**
 * `list` is a file that records each folder before it is made; `run` is the folder of the run, beside which they are made; `real`
 * is the run's own tracker.
 */
export function createDecoyFolders({
  run,
  list,
  real,
  printer,
}: {
  readonly run: string;
  readonly list: string;
  readonly real: OracleBatch["tracker"];
  /** Freezes a program that prints a file, like that of a tracker; needed if `real` has a program. */
  readonly printer?: ((file: string, folder: string) => Promise<string>) | undefined;
}): DecoyFolders {
  const runs = dirname(run);
  let made = 0;
  return {
    async make(kind) {
      let name = sibling(basename(run));
      while (existsSync(join(runs, name))) name = sibling(basename(run));
      // Synchronous, because two may be made at the same moment.
      appendFileSync(list, `${name}\n`, { mode: 0o600 });
      made += 1;
      await mkdir(join(runs, name), { mode: 0o700 });
      return placeIn(join(runs, name), kind, { real, printer });
    },
    async remove(place) {
      await removeHide(dirname(place.kind === "folder" ? place.folder : place.file));
      made -= 1;
      if (made === 0) rmSync(list, { force: true });
    },
    async sweep() {
      const left = await readFile(list, "utf8").catch((error: unknown) => {
        if (hasErrorCode(error, "ENOENT")) return "";
        throw error;
      });
      // A name without a line break was being recorded when the engine was killed, and its folder was never made.
      for (const name of left.split("\n").slice(0, -1)) {
        if (name !== "" && name === basename(name)) await removeHide(join(runs, name));
      }
      await rm(list, { force: true });
    },
  };
}

/** The place of a tracker of this kind in a folder. */
async function placeIn(
  folder: string,
  kind: TrackerKind,
  { real, printer }: Pick<Parameters<typeof createDecoyFolders>[0], "real" | "printer">,
): Promise<TrackerLocation> {
  if (kind === "embedded") return { kind, file: join(folder, "tracker.json") };
  if (kind === "command") {
    const file = join(folder, "listing.jsonl");
    if (printer === undefined) throw new TypeError("nothing prints a canary");
    return { kind, program: await printer(file, folder), folder, file };
  }
  if (kind === "linear" || kind === "github") {
    const { canceled, repos, repoIds } = "keys" in real ? real : { canceled: "open" as const, repos: {} };
    return { kind, canceled, keys: {}, repos, ...(repoIds && { repoIds }), file: join(folder, "issues.json") };
  }
  const last = real.kind === "folder" ? basename(real.folder) : oneOf(NAMES);
  return { kind, folder: join(folder, last) };
}

/** Names are random: a run that got the same name meanwhile is no decoy, and stays. */
async function removeHide(folder: string): Promise<void> {
  if (existsSync(join(folder, "oracle.cjs")) || existsSync(join(folder, "oracle.json"))) return;
  await rm(folder, { recursive: true, force: true });
}

/** A run's name with another day of the last weeks and other last digits. */
function sibling(run: string): string {
  const day = new Date(Date.now() - randomInt(21) * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "");
  const named = run.replace(/\d{8}(?=-[0-9a-f]+$)/, day);
  const cut = named.lastIndexOf("-");
  const tail = cut === -1 ? 4 : Math.max(4, named.length - cut - 1);
  return `${cut === -1 ? named : named.slice(0, cut)}-${randomBytes(tail).toString("hex").slice(0, tail)}`;
}
