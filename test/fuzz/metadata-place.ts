import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NEW } from "./files.ts";
import type { Random } from "./random.ts";
import type { WorkerView } from "./worker-view.ts";

/** Something that a worker writes of what git keeps for it. What it may not write is left out. */
export interface MetadataDeed {
  readonly name: string;
  readonly weight: number;
  readonly act: (at: MetadataPlace, random: Random) => void;
}

/** The parts of a repository that a worker finds, and the commit that it started at. */
export interface MetadataPlace {
  readonly view: WorkerView;
  readonly branch: string;
  readonly from: string;
}

/** Prepares the place of a file that the worker may write; undefined where it may not. */
export function placeOf(view: WorkerView, path: string): string | undefined {
  const place = view.outside(path);
  if (place === undefined) return undefined;
  mkdirSync(dirname(place), { recursive: true });
  rmSync(place, { recursive: true, force: true });
  return place;
}

/** Writes a file that the worker may write. */
export function write(view: WorkerView, path: string, content: string | Buffer): void {
  const place = placeOf(view, path);
  if (place !== undefined) writeFileSync(place, content, NEW);
}

/** The file of the worker's branch, as it sees it. */
export const ownRef = ({ view, branch }: MetadataPlace) => join(view.commonDir, "refs/heads", branch);

/** Bytes with a few of them changed, or cut. */
export function mutated(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  for (let left = random.between(1, 12); left > 0 && changed.length > 0; left--)
    changed[random.below(changed.length)] = random.below(256);
  return random.chance(0.2) ? changed.subarray(0, random.below(changed.length + 1)) : changed;
}
