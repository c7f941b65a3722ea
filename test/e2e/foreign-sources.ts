import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lookup } from "node:dns/promises";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A package's source at a fixed version. */
export interface ForeignSource {
  readonly name: string;
  /** A package of the machine's npm registry, or the path of a file below Debian's mirror. */
  readonly from: { readonly npm: string } | { readonly debian: string };
  /** sha256 of the archive. */
  readonly sha: string;
}

/** Where Debian's packages come from, unless this machine's own sources name a mirror. */
const DEBIAN = "http://deb.debian.org/debian";
const FETCH_MS = 60_000;

/** Fetches a source once into `folder`, and unpacks it to `to`, without the archive's top folder. */
export async function unpackSource(source: ForeignSource, { folder, to }: { folder: string; to: string }): Promise<void> {
  const file = await archiveOf(source, folder);
  const sha = createHash("sha256").update(readFileSync(file)).digest("hex");
  if (sha !== source.sha) throw new Error(`${source.name}: its archive has the sha256 ${sha}, not ${source.sha}`);
  mkdirSync(to, { recursive: true });
  execFileSync("tar", ["-xzf", file, "-C", to, "--strip-components=1", "--no-same-owner"]);
}

async function archiveOf({ name, from }: ForeignSource, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  if ("npm" in from) {
    const [packed] = JSON.parse(npm(["pack", from.npm, "--json", "--pack-destination", folder])) as { filename: string }[];
    return join(folder, packed?.filename ?? "");
  }
  const file = join(folder, basename(from.debian));
  if (existsSync(file)) return file;
  const url = `${debianMirror()}/${from.debian}`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) }).catch((cause: unknown) => {
    throw new Error(`${name}: the mirror of Debian cannot be reached at ${url}: this test needs one`, { cause });
  });
  if (!answer.ok) throw new Error(`${name}: the mirror of Debian answers ${answer.status} for ${url}`);
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  return file;
}

/** The first mirror in this machine's sources of packages. */
function debianMirror(): string {
  const files = ["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"].filter((file) => existsSync(file));
  const texts = files.map((file) => readFileSync(file, "utf8"));
  return texts.map((text) => /^(?:URIs: |deb )(https?:\/\/\S+\/debian)\/?(?:\s|$)/m.exec(text)?.[1]).find(Boolean) ?? DEBIAN;
}

/** The output of npm as this machine has it set up. */
export function npm(args: readonly string[], cwd = "/"): string {
  try {
    return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (cause) {
    throw new Error(`npm ${args[0]} cannot reach this machine's registry: this test needs one`, { cause });
  }
}

/**
 * The entry of `sandboxPolicy.hosts` that opens this machine's npm registry, whatever address its name leads to, and the lines of
 * `.npmrc` that name it. Neither has a password: the registry must be readable without.
 */
export async function npmRegistry(): Promise<{ readonly host: object; readonly npmrc: string }> {
  const url = new URL(npm(["config", "get", "registry"]).trim());
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const npmrc = `registry=${url.origin}${url.pathname}\nfund=false\naudit=false\nupdate-notifier=false\n`;
  return { host: await hostEntry(url.hostname, port), npmrc };
}

/** The entry of `sandboxPolicy.hosts` for a host, whatever address its name leads to on this machine. */
export async function hostEntry(host: string, port = 443): Promise<object> {
  const found = await lookup(host, { all: true });
  // A single address is the narrowest range.
  const addresses = found.map(({ address, family }) => (isOneself(address) ? address : `${address}/${family === 4 ? 32 : 128}`));
  return { host, port, addresses };
}

const isOneself = (address: string): boolean => /^(?:127\.|::1$|169\.254\.|fe80:)/.test(address);
