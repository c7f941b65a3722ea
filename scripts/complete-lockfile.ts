/**
 * Adds npm's omissions to package-lock.json: `node scripts/complete-lockfile.ts [package-lock.json]`, after an npm install.
 *
 * Programs with native parts come as optional packages, one per platform. If the registry in use lacks some of them, npm writes a
 * lockfile without them, and then `npm ci` refuses that lockfile everywhere. An entry with the version that the program itself
 * requires, and with the platform, is enough: npm installs it on the right platform and skips it elsewhere.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

/** One package in a lockfile of version 3: only the fields that are used here. */
interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lockfile {
  readonly packages: Record<string, Entry>;
}

const OS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const CPU = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

/** Optional packages that an entry requires and the lockfile lacks, as `name@version`. */
export function missingFrom({
  packages,
}: Lockfile): readonly { readonly name: string; readonly version: string; readonly parent: Entry }[] {
  return Object.entries(packages).flatMap(([path, parent]) =>
    Object.entries(parent.optionalDependencies ?? {})
      .filter(([name]) => !isHeld(packages, path, name))
      .map(([name, version]) => ({ name, version, parent })),
  );
}

/** True if a package at `path` finds `name` on its way up through the folders. */
function isHeld(packages: Lockfile["packages"], path: string, name: string): boolean {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules/") - 1))) {
    if (`${at === "" ? "" : `${at}/`}node_modules/${name}` in packages) return true;
    if (at === "") return false;
  }
}

/** Platform of a package from the words of its name, as all these projects name theirs. Throws if the name contains none. */
function platformOf(name: string): Pick<Entry, "os" | "cpu" | "libc"> {
  const words = name
    .slice(name.lastIndexOf("/") + 1)
    .split("-")
    .map((word) => (word === "windows" ? "win32" : word));
  const os = OS.find((word) => words.includes(word));
  const cpu = CPU.find((word) => words.includes(word));
  if (os === undefined || cpu === undefined) throw new Error(`${name} names no platform: add it to the lockfile by hand`);
  const libc = words.some((word) => word.startsWith("musl"))
    ? ["musl"]
    : words.some((word) => word.startsWith("gnu"))
      ? ["glibc"]
      : undefined;
  return { os: [os], cpu: [cpu], ...(libc === undefined || os !== "linux" ? {} : { libc }) };
}

function completed(lockfile: Lockfile): Lockfile {
  const added = missingFrom(lockfile).map(({ name, version, parent }): [string, Entry] => {
    if (!/^\d/.test(version)) throw new Error(`${name} is asked for as ${version}, which is no version`);
    const dev = parent.dev === true ? { dev: true } : {};
    return [`node_modules/${name}`, { version, ...dev, optional: true, ...platformOf(name) }];
  });
  const order = ([a]: [string, Entry], [b]: [string, Entry]): number => (a < b ? -1 : 1);
  return { ...lockfile, packages: Object.fromEntries([...Object.entries(lockfile.packages), ...added].sort(order)) };
}

if (import.meta.main) {
  const path = resolve(process.argv[2] ?? "package-lock.json");
  const lockfile: Lockfile = JSON.parse(readFileSync(path, "utf8"));
  console.log(`${missingFrom(lockfile).length} packages added to ${path}`);
  writeFileSync(path, `${JSON.stringify(completed(lockfile), null, 2)}\n`);
}
