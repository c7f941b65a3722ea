import { fileURLToPath } from "node:url";
import { build } from "esbuild";

let bundled: Promise<Uint8Array> | undefined;

/** The shipped bytes of the oracle: oracle/done.ts and all its imports in one script. */
export function bundleOracle(): Promise<Uint8Array> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<Uint8Array> {
  const entry = fileURLToPath(new URL("../../oracle/done.ts", import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node24",
    write: false,
    logLevel: "silent",
  });
  const file = outputFiles[0];
  if (file === undefined) throw new Error("esbuild gave no output");
  return Uint8Array.from(file.contents);
}
