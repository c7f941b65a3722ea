import { existsSync } from "node:fs";
import { packageFiles } from "../package-files.ts";

/** The name of the guard's socket in a worker's sandbox, which has a network of its own and with it its own names. */
export const SANDBOX_SOCKET = "@loopdash-guard";

const PERL = "/usr/bin/perl";

/**
 * The words before those that start loopdash, which ask a guard server first. None where there is no client for it: it needs Linux and
 * Perl. The variables could make Perl load modules, read and write other bytes, or warn of the locale.
 */
export function clientArgv(socket: "own" | typeof SANDBOX_SOCKET, client = packageFiles().guardClient): readonly string[] {
  if (process.platform !== "linux" || !existsSync(PERL) || !existsSync(client)) return [];
  const unset = ["PERL5OPT", "PERL5LIB", "PERLIO", "PERL_UNICODE"].flatMap((name) => ["-u", name]);
  return ["/usr/bin/env", ...unset, "PERL_BADLANG=0", PERL, client, socket];
}
