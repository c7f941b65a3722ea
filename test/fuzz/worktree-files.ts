import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { below, makeDeep, makeMany, ODD_FILES, oddName } from "./files.ts";
import type { Random } from "./random.ts";

/** Something that a worker does to its files. `weight` is how often it comes. */
export interface Deed {
  readonly name: string;
  readonly weight: number;
  readonly act: (worktree: string, random: Random) => void;
}

/** Names that git gives a meaning to, or a file system takes for one. */
const MEANT = [
  ".gitignore",
  ".gitattributes",
  ".gitmodules",
  "src/.gitignore",
  "src/.gitattributes",
  ".mailmap",
  ".lfsconfig",
  "new/.gitattributes",
];
const FORBIDDEN = [".GIT", "git~1", ".git.", ".git ", ".g\u200cit", "a/.git", ".git::$INDEX_ALLOCATION", "src/.Git"];

const PATTERNS = [
  "*",
  "!*",
  "**/a*/",
  "[!a-z]*",
  "\\",
  "/",
  "a".repeat(4_000),
  "**/**/**/**/x",
  "[[:alpha:",
  "#",
  " ",
  "*.log",
  "!.git",
  "/src/",
  "?".repeat(300),
];
const ATTRIBUTES = [
  "* text eol=crlf",
  "* text=auto",
  "* ident",
  "* filter=lfs diff=lfs merge=lfs -text",
  "* working-tree-encoding=UTF-16",
  "*.js working-tree-encoding=nosuch",
  "* -diff binary export-ignore",
  "[attr]all text eol=crlf\n* all",
  `${"a".repeat(3_000)} text`,
];

function textFor(name: string, random: Random): string {
  const lines = name.endsWith("attributes") ? ATTRIBUTES : PATTERNS;
  return `${random.list(random.between(1, 20), () => random.pick(lines)).join("\n")}\n`;
}

/** A path in the worktree, without the links that an earlier step left on the way: a worker could not write behind them either. */
function within(worktree: string, name: string): string {
  const parts = name.split("/");
  for (const [n] of parts.entries()) {
    const above = join(worktree, ...parts.slice(0, n));
    if (lstatSync(above, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(above);
  }
  return join(worktree, name);
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Removes what lies there and makes the folder around it. */
function clear(worktree: string, name: string): string {
  const path = within(worktree, name);
  mkdirSync(join(path, ".."), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  return path;
}

function odd(worktree: string, name: string, random: Random): void {
  random.pick(ODD_FILES).make(Buffer.from(clear(worktree, name)), random);
}

/** A pattern that takes exponential time over a path that nearly matches it. */
function exponentialPattern(worktree: string, random: Random): void {
  const times = random.between(5, 22);
  writeFileSync(clear(worktree, ".gitignore"), `${"**/a*/".repeat(times)}x\n`);
  mkdirSync(join(worktree, ...Array.from({ length: times * 2 }, () => "ab")), { recursive: true });
  writeFileSync(join(worktree, ...Array.from({ length: times * 2 }, () => "ab"), "file"), "x");
}

function sparseFile(path: string, bytes: number): void {
  writeFileSync(path, "x");
  truncateSync(path, bytes);
}

/** A repository within the worktree, with whatever in the place of its parts. */
function embedded(worktree: string, random: Random): void {
  const inner = within(worktree, random.pick(["sub/.git", "src/sub/.git"]));
  if (existsSync(inner)) return;
  mkdirSync(join(inner, "refs/heads"), { recursive: true });
  mkdirSync(join(inner, "objects"));
  writeFileSync(
    join(inner, "HEAD"),
    random.pick(["ref: refs/heads/main\n", `${"a".repeat(40)}\n`, "", "ref: refs/heads/../../x\n"]),
  );
  writeFileSync(join(inner, "config"), "[core]\n\tfsmonitor = touch SPRUNG\n\tworktree = /\n[include]\n\tpath = /dev/zero\n");
  writeFileSync(join(inner, "refs/heads/main"), random.pick([`${"a".repeat(40)}\n`, "x", ""]));
  if (random.chance(0.5)) odd(inner, random.pick(["HEAD", "config", "index", "refs/heads/main", "commondir", "objects"]), random);
}

export const FILE_DEEDS: readonly Deed[] = [
  {
    name: "edit",
    weight: 10,
    act: (worktree, random) =>
      writeFileSync(clear(worktree, random.pick(["a.txt", "src/x.js", "new"])), random.bytes(random.below(2_000))),
  },
  {
    name: "odd-file",
    weight: 10,
    act: (worktree, random) => {
      const path = below(worktree, oddName(random));
      if (!existsSync(path)) random.pick(ODD_FILES).make(path, random);
    },
  },
  {
    name: "odd-tracked-file",
    weight: 5,
    act: (worktree, random) => odd(worktree, random.pick(["a.txt", "src", "src/x.js", "link"]), random),
  },
  {
    name: "rules",
    weight: 8,
    act: (worktree, random) => ((name) => writeFileSync(clear(worktree, name), textFor(name, random)))(random.pick(MEANT)),
  },
  { name: "odd-rules", weight: 6, act: (worktree, random) => odd(worktree, random.pick(MEANT), random) },
  { name: "huge-rules", weight: 2, act: (worktree, random) => sparseFile(clear(worktree, random.pick(MEANT)), 10_000_000_000) },
  {
    name: "long-rules",
    weight: 2,
    act: (worktree, random) =>
      writeFileSync(clear(worktree, random.pick(MEANT)), `${random.pick(PATTERNS)} x\n`.repeat(random.between(1_000, 20_000))),
  },
  { name: "exponential-pattern", weight: 0.3, act: exponentialPattern },
  {
    name: "forbidden-name",
    weight: 4,
    act: (worktree, random) => ((path) => writeFileSync(path, "gitdir: /\n"))(clear(worktree, random.pick(FORBIDDEN))),
  },
  { name: "embedded-repository", weight: 5, act: embedded },
  { name: "deep", weight: 4, act: (worktree, random) => makeDeep(worktree, random.between(10, 60)) },
  { name: "many-files", weight: 2, act: (worktree, random) => makeMany(clear(worktree, "many"), 500 + random.size(8_000)) },
  {
    name: "many-folders",
    weight: 1,
    act: (worktree, random) =>
      random.list(random.between(100, 1_000), (n) => mkdirSync(join(worktree, `dir${n}`), { recursive: true })),
  },
  {
    name: "huge-source",
    weight: 1,
    act: (worktree, random) =>
      sparseFile(clear(worktree, "big.js"), random.pick([5_000_000, 50_000_000, 300_000_000, 6_000_000_000])),
  },
  {
    name: "link-for-folder",
    weight: 3,
    act: (worktree, random) => symlinkSync(random.pick(["/", "..", "src", "/proc/self/root"]), clear(worktree, "src")),
  },
  {
    name: "closed-folder",
    weight: 2,
    act: (worktree, random) =>
      chmodSync(random.pick([worktree, join(worktree, "src")].filter(isFolder)), random.pick([0, 0o300, 0o500])),
  },
  {
    name: "nothing-left",
    weight: 1,
    act: (worktree) => {
      for (const name of ["a.txt", "src", "link", ".gitignore"]) rmSync(join(worktree, name), { recursive: true, force: true });
    },
  },
];
