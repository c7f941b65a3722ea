/**
 * Makes loopdash one file for Linux, with the Node that it runs on: `node scripts/single-file.ts x64|arm64 <file>`, after a build. The
 * Node is the one that bin/loopdash fetches, from the registry that npm is configured with. The same sources give the same bytes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";

const ROOT = resolve(import.meta.dirname, "..");
/** The processors, as `uname -m` names them. */
const MACHINES = { x64: "x86_64", arm64: "aarch64" } as const;
type Arch = keyof typeof MACHINES;
const MOST_BYTES = 2 ** 30;

function run(cwd: string, program: string, ...args: string[]): Buffer {
  return execFileSync(program, args, { cwd, maxBuffer: MOST_BYTES, stdio: ["ignore", "pipe", "inherit"] });
}

/** Packs a folder or a package of the registry, and unpacks it into `package/` of the folder. Returns the archive's path. */
function unpackPackage(folder: string, name: string): string {
  const args = ["pack", name, "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  const archive = join(
    folder,
    run(folder, "npm", ...args)
      .toString("utf8")
      .trim()
      .split("\n")
      .at(-1) ?? "",
  );
  run(folder, "tar", "-xzf", archive);
  return archive;
}

/** Reads the version and checksum of Node from bin/loopdash. Throws if each does not stand in one line. */
function pinned(name: "version" | Arch): string {
  const value = new RegExp(`^${name}=(\\S+)$`, "m").exec(readFileSync(join(ROOT, "bin/loopdash"), "utf8"))?.[1];
  if (value === undefined) throw new Error(`bin/loopdash has no ${name}`);
  return value;
}

/** The program with its Node below `loopdash/`, as an archive. */
function archiveOf(folder: string, arch: Arch): Buffer {
  const archive = unpackPackage(folder, `node-linux-${arch}@${pinned("version")}`);
  const hash = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
  if (hash !== pinned(arch)) throw new Error(`${archive} is not the Node that bin/loopdash names`);
  renameSync(join(folder, "package"), join(folder, "node"));
  unpackPackage(folder, ROOT);
  renameSync(join(folder, "package"), join(folder, "loopdash"));
  renameSync(join(folder, "node/bin/node"), join(folder, "loopdash/bin/node"));
  renameSync(join(folder, "node/LICENSE"), join(folder, "loopdash/LICENSE.node"));
  const same = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
  return gzipSync(run(folder, "tar", ...same, "-cf", "-", "loopdash"), { level: 9 });
}

/** The script before the archive. The folder that it unpacks to is named after the archive's bytes. */
function scriptOf(archive: Buffer, arch: Arch): Buffer {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const name = `loopdash-${version}-${arch}-${createHash("sha256").update(archive).digest("hex").slice(0, 12)}`;
  const text = readFileSync(join(ROOT, "scripts/single-file.sh"), "utf8")
    .replace("@NAME@", name)
    .replace("@MACHINE@", MACHINES[arch]);
  // As many digits as the mark has letters, so that the script's length does not change.
  const bytes = String(Buffer.byteLength(text) + 1).padStart("@OFFSET@".length, "0");
  return Buffer.from(text.replace("@OFFSET@", bytes));
}

function main([arch = "", file = ""]: readonly string[]): void {
  if (!(arch === "x64" || arch === "arm64") || file === "")
    throw new Error("name a processor, x64 or arm64, and the file to write");
  const folder = mkdtempSync(join(tmpdir(), "loopdash-single-"));
  try {
    const archive = archiveOf(folder, arch);
    mkdirSync(dirname(resolve(file)), { recursive: true });
    writeFileSync(file, Buffer.concat([scriptOf(archive, arch), archive]));
    chmodSync(file, 0o755);
    console.log(`${file}: ${Math.round(archive.length / 2 ** 20)} MiB`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main(process.argv.slice(2));
