import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { clientArgv, SANDBOX_SOCKET } from "@loopdash/guard/server";
import { build } from "esbuild";
import type { GuardProgram } from "../../src/adapters/agent/guard-files.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MAIN = `import { runGuard } from "./src/cli/guard/run-guard.ts";
Promise.resolve(runGuard(process.argv.slice(2))).then((code) => (process.exitCode = code));`;

/** Bundles the guard into a folder, with the package's own code, beside the client that asks a server of it first. */
export async function bundleGuard(folder: string): Promise<GuardProgram> {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, "guard.cjs");
  const stdin = { contents: MAIN, resolveDir: ROOT, loader: "ts" } as const;
  await build({ absWorkingDir: ROOT, stdin, bundle: true, platform: "node", format: "cjs", target: "node24", outfile });
  const client = join(folder, "client.pl");
  copyFileSync(join(ROOT, "packages/guard/src/server/client.pl"), client);
  const argv = clientArgv(SANDBOX_SOCKET, client);
  return { argv: [process.execPath, outfile], read: [folder], client: { argv, socket: SANDBOX_SOCKET } };
}
