import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { childEnvironment, mustRun, type Scratch } from "./children.ts";

/** A registry on loopback, and the project that installs all its packages. */
export interface SlowRegistry extends AsyncDisposable {
  readonly port: number;
  /** The files of the project, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** How many archives it has sent. */
  sent(): number;
}

interface Packed {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly integrity: string;
}

/** Modules of each package. */
const MODULES = 20;

/** Packs `count` packages with npm, and serves each archive `delayMs` after it is asked for, as many at a time as are asked for. */
export async function slowRegistry(
  scratch: Scratch,
  { count, delayMs }: { readonly count: number; readonly delayMs: number },
): Promise<SlowRegistry> {
  const packed = await pack(scratch, count);
  const archives = new Map<string, Buffer>();
  for (const { filename } of packed) archives.set(`/${filename}`, await readFile(join(scratch.path, "archives", filename)));
  let sent = 0;
  const server = createServer(async (request, response) => {
    const archive = archives.get(request.url ?? "");
    if (archive === undefined) return void response.writeHead(404).end("{}");
    await delay(delayMs);
    sent += 1;
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": archive.length }).end(archive);
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    files: projectOf(packed, `http://127.0.0.1:${port}/`),
    sent: () => sent,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((settle) => server.close(settle));
    },
  };
}

async function pack(scratch: Scratch, count: number): Promise<readonly Packed[]> {
  const names = Array.from({ length: count }, (_, n) => `bench-package-${n}`);
  for (const name of names) {
    const folder = join(scratch.path, "packages", name);
    await mkdir(join(folder, "lib"), { recursive: true });
    await writeFile(join(folder, "package.json"), JSON.stringify({ name, version: "1.0.0", main: "lib/0.js" }));
    for (let n = 0; n < MODULES; n += 1) await writeFile(join(folder, "lib", `${n}.js`), `exports.value = ${n};\n`.repeat(40));
  }
  const archives = join(scratch.path, "archives");
  await mkdir(archives);
  const folders = names.map((name) => `./packages/${name}`);
  const argv = ["npm", "pack", "--json", "--pack-destination", archives, ...folders] as const;
  const told: unknown = JSON.parse(await mustRun({ argv, cwd: scratch.path, env: childEnvironment(scratch.path) }));
  if (!Array.isArray(told) || told.length !== count) throw new Error("npm pack has not told of all packages");
  return told as readonly Packed[];
}

function projectOf(packed: readonly Packed[], base: string): Readonly<Record<string, string>> {
  const dependencies = Object.fromEntries(packed.map(({ name, version }) => [name, version]));
  const manifest = { name: "app", version: "1.0.0", dependencies };
  const installed = packed.map(({ filename, integrity, name, version }) => [
    `node_modules/${name}`,
    { version, resolved: `${base}${filename}`, integrity },
  ]);
  const packages = { "": manifest, ...Object.fromEntries(installed) };
  return {
    ".gitignore": "node_modules\n",
    ".npmrc": `registry=${base}\n`,
    "package.json": JSON.stringify(manifest),
    "package-lock.json": JSON.stringify({ name: "app", version: "1.0.0", lockfileVersion: 3, requires: true, packages }),
  };
}
