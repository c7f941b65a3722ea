import { dirname } from "node:path";
import { SANDBOX_SOCKET } from "@loopdash/guard/server";
import type { GuardProgram } from "../../adapters/agent/guard-files.ts";
import { packageFiles } from "../package-files.ts";
import { installedClient } from "./installed-client.ts";

/** The words that start the guard in a worker, by absolute paths: this program, and the client that asks it first where it is served. */
export function guardProgram(): GuardProgram {
  const { main } = packageFiles();
  const client = installedClient(SANDBOX_SOCKET);
  const served = client.length === 0 ? {} : { client: { argv: client, socket: SANDBOX_SOCKET } };
  return { argv: [process.execPath, main], read: [dirname(main)], ...served };
}
