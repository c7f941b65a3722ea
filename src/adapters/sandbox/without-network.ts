import { findProgram } from "./find-program.ts";
import { SEATBELT } from "./seatbelt/seatbelt-config.ts";

/**
 * The words before a command that take the network from it, and nothing else; empty on a system without a sandbox. File
 * descriptors stay open. `path` is the PATH on which bubblewrap is looked for.
 */
export function withoutNetwork(path: string, platform: NodeJS.Platform = process.platform): readonly string[] {
  if (platform === "darwin") return [SEATBELT, "-p", "(version 1)(allow default)(deny network*)"];
  const program = platform === "linux" ? findProgram("bwrap", { cwd: "/", path }) : undefined;
  return program === undefined ? [] : [program, "--dev-bind", "/", "/", "--unshare-net", "--die-with-parent", "--"];
}
