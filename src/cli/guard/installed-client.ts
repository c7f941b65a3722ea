import { clientArgv, type GuardSocket } from "@loopdash/guard/server";
import { packageFiles } from "../package-files.ts";

/** The words that ask a guard server by the installed client; none where there is no client. */
export function installedClient(socket: GuardSocket): readonly string[] {
  return clientArgv(socket, packageFiles().guardClient);
}
