import { dirname } from "node:path";
import type { GuardProgram } from "../../adapters/agent/guard-files.ts";
import { clientArgv, SANDBOX_SOCKET } from "../guard-server/client-argv.ts";
import { packageFiles } from "../package-files.ts";

/** The words that start the guard in a worker, by absolute paths: this program, and the client that asks it first where it is served. */
export function guardProgram(): GuardProgram {
  const { main } = packageFiles();
  const client = clientArgv(SANDBOX_SOCKET);
  const served = client.length === 0 ? {} : { client: { argv: client, socket: SANDBOX_SOCKET } };
  return { argv: [process.execPath, main], read: [dirname(main)], ...served };
}
