import { join } from "node:path";
import { ODD_FILES } from "./files.ts";
import { lyingPack, ObjectFolder, packIndex, sparseIndex } from "./git-objects.ts";
import { type MetadataDeed, type MetadataPlace, mutated, ownRef, placeOf, write } from "./metadata-place.ts";
import type { Random } from "./random.ts";

function objects({ view }: MetadataPlace): ObjectFolder | undefined {
  const place = view.outside(join(view.commonDir, "objects"));
  return place === undefined ? undefined : new ObjectFolder(place);
}

/** Puts the worker's branch on a commit that it made by hand. */
function commits(make: (folder: ObjectFolder, at: MetadataPlace, random: Random) => string): MetadataDeed["act"] {
  return (at, random) => {
    const folder = objects(at);
    if (folder !== undefined) write(at.view, ownRef(at), `${make(folder, at, random)}\n`);
  };
}

const ODD_MODES = ["100644", "100755", "120000", "160000", "40000", "100666", "0", "777777", "104755"];
const ODD_NAMES = ["a", ".git", "..", ".", "a/b", "", ".gitmodules", "\u001b[31m", "git~1", "a\n"];

function oddTree(folder: ObjectFolder, random: Random): string {
  const blob = folder.put("blob", random.bytes(random.below(500)));
  const ids = [blob, "0".repeat(40), "a".repeat(40), folder.tree([])];
  return folder.tree(
    random.list(random.below(6), () => ({ mode: random.pick(ODD_MODES), name: random.pick(ODD_NAMES), id: random.pick(ids) })),
  );
}

export const OBJECT_DEEDS: readonly MetadataDeed[] = [
  {
    name: "sparse-index",
    weight: 2,
    act: (at, random) => {
      const folder = objects(at);
      if (folder === undefined) return;
      const bomb = folder.bomb({ mode: "100644", id: folder.put("blob", Buffer.from("x")) }, random.between(1, 9), 10);
      write(at.view, ownRef(at), `${folder.commit(bomb, [at.from])}\n`);
      write(at.view, join(at.view.record, "index"), sparseIndex(bomb));
    },
  },
  {
    name: "commit",
    weight: 6,
    act: commits((folder, { from }, random) =>
      folder.commit(
        folder.tree([{ mode: "100644", name: "made", id: folder.put("blob", random.bytes(50)) }]),
        random.pick([[from], [], [from, from]]),
      ),
    ),
  },
  { name: "odd-tree", weight: 6, act: commits((folder, { from }, random) => folder.commit(oddTree(folder, random), [from])) },
  {
    name: "tree-bomb",
    weight: 2,
    act: commits((folder, { from }, random) =>
      folder.commit(folder.bomb({ mode: "100644", id: folder.put("blob", Buffer.from("x")) }, random.between(5, 9), 10), [from]),
    ),
  },
  {
    name: "empty-tree-bomb",
    weight: 1,
    act: commits((folder, { from }, random) =>
      folder.commit(folder.bomb({ mode: "40000", id: folder.tree([]) }, random.between(5, 11), 10), [from]),
    ),
  },
  {
    name: "bomb-behind",
    weight: 1,
    act: commits((folder, { from }) =>
      folder.commit(folder.tree([]), [folder.commit(folder.bomb({ mode: "40000", id: folder.tree([]) }, 11, 10), [from])]),
    ),
  },
  {
    name: "odd-commit",
    weight: 3,
    act: commits((folder, { from }, random) =>
      folder.commit(
        random.pick([from, "a".repeat(40), folder.tree([])]),
        [random.pick([from, "b".repeat(40)])],
        random.pick(["", "encoding \0\n", "gpgsig x\n", "x".repeat(50_000)]),
      ),
    ),
  },
  {
    name: "long-history",
    weight: 1,
    act: commits((folder, { from }, random) =>
      ((tree) => Array.from({ length: random.between(100, 2_000) }).reduce<string>((tip) => folder.commit(tree, [tip]), from))(
        folder.tree([]),
      ),
    ),
  },
  {
    name: "lying-size",
    weight: 3,
    act: commits((folder, { from }, random) =>
      folder.commit(
        folder.tree([
          {
            mode: "100644",
            name: "big",
            id: folder.put("blob", random.bytes(100), { size: random.pick([0, 1e6, 4e9, 4e11, -1, 1e18]), id: "ab".repeat(20) }),
          },
        ]),
        [from],
      ),
    ),
  },
  {
    name: "zeros",
    weight: 1,
    act: commits((folder, { from }, random) =>
      folder.commit(
        folder.tree([{ mode: "100644", name: "big", id: folder.put("blob", Buffer.alloc(random.pick([1e6, 5e7, 2e8]))) }]),
        [from],
      ),
    ),
  },
  {
    name: "broken-object",
    weight: 3,
    act: commits((folder, { from }, random) =>
      ((id) => (folder.write(id, random.bytes(60)), folder.commit(folder.tree([{ mode: "100644", name: "b", id }]), [from])))(
        "cd".repeat(20),
      ),
    ),
  },
  { name: "base-rewritten", weight: 2, act: (at, random) => objects(at)?.put("commit", random.bytes(100), { id: at.from }) },
  {
    name: "pack",
    weight: 4,
    act: (at, random) => {
      const content = random.bytes(200);
      const id = "ef".repeat(20);
      const pack = lyingPack(content, random.pick([content.length, 1e6, 4e11, 2 ** 52]));
      write(at.view, join(at.view.commonDir, "objects/pack/pack-x.pack"), random.chance(0.3) ? mutated(pack, random) : pack);
      write(
        at.view,
        join(at.view.commonDir, "objects/pack/pack-x.idx"),
        random.chance(0.3) ? mutated(packIndex(pack, id), random) : packIndex(pack, id),
      );
      const folder = objects(at);
      if (folder !== undefined)
        write(at.view, ownRef(at), `${folder.commit(folder.tree([{ mode: "100644", name: "p", id }]), [at.from])}\n`);
    },
  },
  {
    name: "odd-objects",
    weight: 4,
    act: ({ view }, random) => {
      const place = placeOf(
        view,
        join(
          view.commonDir,
          "objects",
          random.pick(["aa", "pack/pack-y.idx", "info/alternates", "pack/multi-pack-index", "ab/cd", "info"]),
        ),
      );
      if (place !== undefined) random.pick(ODD_FILES).make(Buffer.from(place), random);
    },
  },
];
