import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "./random.ts";

/** A link that lies there already is never followed: it may lead out of the folder. */
export const NEW = { flag: "wx" } as const;

/** Something that lies in a folder under a name, which need not be text. */
export interface OddFile {
  readonly kind: string;
  readonly make: (path: Buffer, random: Random) => void;
}

const LINK_TARGETS = [
  "/etc/passwd",
  "/dev/zero",
  "/dev/stdin",
  "/proc/self/mem",
  "..",
  ".",
  "loop",
  "/nonexistent",
  "a".repeat(3_000),
];

/** Binds a socket at a path of any length: sockets have at most 107 bytes, relative to the folder that they are made in. */
function makeSocket(path: Buffer): void {
  const slash = path.lastIndexOf("/");
  const script =
    'use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0); chdir($ARGV[0]) or die; bind($s, sockaddr_un($ARGV[1])) or die "$!"';
  execFileSync("perl", ["-e", script, path.toString("latin1", 0, slash), path.toString("latin1", slash + 1)], {
    stdio: "ignore",
  });
}

/** Whatever a program can put in the place of a file. */
export const ODD_FILES: readonly OddFile[] = [
  { kind: "pipe", make: (path) => void execFileSync("mkfifo", ["--", path.toString()], { stdio: "ignore" }) },
  { kind: "socket", make: makeSocket },
  { kind: "link", make: (path, random) => symlinkSync(random.pick(LINK_TARGETS), path) },
  { kind: "own-link", make: (path) => symlinkSync(path.subarray(path.lastIndexOf("/") + 1), path) },
  { kind: "folder", make: (path) => mkdirSync(path) },
  { kind: "closed-folder", make: (path) => (mkdirSync(path), chmodSync(path, 0)) },
  { kind: "closed-file", make: (path) => writeFileSync(path, "x", { mode: 0, flag: "wx" }) },
  { kind: "empty-file", make: (path) => writeFileSync(path, "", NEW) },
  { kind: "binary", make: (path, random) => writeFileSync(path, random.bytes(random.between(1, 5_000)), NEW) },
  {
    kind: "sparse",
    make: (path, random) => {
      writeFileSync(path, "start", NEW);
      truncateSync(path, random.pick([1_000_000, 100_000_000, 10_000_000_000]));
    },
  },
  {
    kind: "second-name",
    make: (path) => {
      const other = Buffer.concat([path, Buffer.from(".other")]);
      writeFileSync(other, "{}", NEW);
      linkSync(other, path);
    },
  },
];

/** A path of bytes below a folder. */
export function below(folder: string, name: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), typeof name === "string" ? Buffer.from(name) : name]);
}

/** Folders within each other, so deep that no system call takes the whole path (PATH_MAX is 4,096 bytes). */
export function makeDeep(folder: string, levels: number): void {
  const before = process.cwd();
  try {
    process.chdir(folder);
    for (let level = 0; level < levels; level++) {
      mkdirSync("d".repeat(200));
      process.chdir("d".repeat(200));
    }
    writeFileSync("bottom", "x", NEW);
  } finally {
    process.chdir(before);
  }
}

/** Many files in a folder of their own. */
export function makeMany(folder: string, count: number): void {
  mkdirSync(folder);
  for (let n = 0; n < count; n++) writeFileSync(join(folder, `f${n}`), n % 10 === 0 ? `${n}\n` : "", NEW);
}

const STEMS = [
  "a",
  "src",
  "Ünïcode",
  "…",
  " ",
  "-rf",
  "--help",
  "con",
  "x".repeat(250),
  "a:b",
  "a\\b",
  "*",
  "[z-a]",
  "!",
  "#",
  "\u202eabc",
  "\u001b[31m",
];

/** A name that a file can have: most often text, sometimes with line breaks or bytes that are none. */
export function oddName(random: Random): Buffer {
  if (random.chance(0.1))
    return Buffer.concat([
      Buffer.from("n"),
      Buffer.from(random.bytes(5).map((byte) => (byte === 0x2f || byte === 0 ? 1 : byte))),
    ]);
  const stem = random.pick(STEMS);
  return Buffer.from(random.chance(0.1) ? `${stem}\n${random.below(100)}`.slice(0, 240) : stem);
}
