import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ODD_FILES } from "./files.ts";
import { type MetadataDeed, type MetadataPlace, mutated, ownRef, placeOf, write } from "./metadata-place.ts";
import type { Random } from "./random.ts";
import { OBJECT_DEEDS } from "./worktree-objects.ts";

const IN_RECORD = [
  "HEAD",
  "index",
  "ORIG_HEAD",
  "MERGE_HEAD",
  "rebase-merge/head-name",
  "locked",
  "config.worktree",
  "shallow",
  "commondir",
  "gitdir",
  "info/sparse-checkout",
  "logs/HEAD",
  "index.lock",
  "HEAD.lock",
];
const IN_COMMON = [
  "info/attributes",
  "info/exclude",
  "info/grafts",
  "shallow",
  "config",
  "packed-refs",
  "objects/info/alternates",
  "hooks/pre-commit",
  "refs/heads/main",
  "refs/replace/x",
  "logs/refs/heads/main",
  "objects/info/commit-graph",
];

function mutateIndex({ view }: MetadataPlace, random: Random): void {
  const index = view.outside(join(view.record, "index"));
  if (index === undefined || !existsSync(index) || !lstatSync(index).isFile()) return;
  writeFileSync(index, mutated(readFileSync(index), random));
}

const headTexts = (from: string) => [
  `${from}\n`,
  "ref: refs/heads/main\n",
  "ref: refs/heads/loopdash/r/other\n",
  "ref: refs/heads/../../x\n",
  "ref: ",
  "",
  "x".repeat(5_000),
  "0".repeat(40),
  "ref: refs/heads/a b\n",
];

export const METADATA_DEEDS: readonly MetadataDeed[] = [
  ...OBJECT_DEEDS,
  { name: "index-bytes", weight: 6, act: mutateIndex },
  {
    name: "odd-record",
    weight: 8,
    act: ({ view }, random) => {
      const place = placeOf(view, join(view.record, random.pick(IN_RECORD)));
      if (place !== undefined) random.pick(ODD_FILES).make(Buffer.from(place), random);
    },
  },
  {
    name: "record-text",
    weight: 4,
    act: ({ view, from }, random) =>
      write(
        view,
        join(view.record, random.pick(IN_RECORD)),
        random.pick([...headTexts(from), "/\n", "../../..\n", `${"/etc"}\n`]),
      ),
  },
  {
    name: "head",
    weight: 5,
    act: ({ view, from }, random) => write(view, join(view.record, "HEAD"), random.pick(headTexts(from))),
  },
  {
    name: "common",
    weight: 4,
    act: ({ view, from }, random) =>
      write(
        view,
        join(view.commonDir, random.pick(IN_COMMON)),
        random.pick([...headTexts(from), "* filter=x\n", `${from} ${from}\n`, "[core]\n\tfsmonitor = touch SPRUNG\n"]),
      ),
  },
  {
    name: "odd-branch",
    weight: 4,
    act: (at, random) => {
      const place = placeOf(at.view, ownRef(at));
      if (place !== undefined) random.pick(ODD_FILES).make(Buffer.from(place), random);
    },
  },
  { name: "branch-text", weight: 4, act: (at, random) => write(at.view, ownRef(at), random.pick(headTexts(at.from))) },
  {
    name: "branch-link",
    weight: 1,
    act: (at) => {
      const place = placeOf(at.view, ownRef(at));
      if (place !== undefined) symlinkSync(join(at.view.commonDir, "refs/heads/main"), place);
    },
  },
];
