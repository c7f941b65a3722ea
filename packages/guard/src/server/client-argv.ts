import { existsSync } from "node:fs";

/** The name of the guard's socket in a worker's sandbox, which has a network of its own and with it its own names. */
export const SANDBOX_SOCKET = "@loopdash-guard";

/** The socket that a client asks: that of this user's own agents, or that of a sandbox. */
export type GuardSocket = "own" | typeof SANDBOX_SOCKET;

const PERL = "/usr/bin/perl";

/**
 * The words before those that start the guard, which ask a guard server first by the script `client`. None where it cannot run: it needs Linux
 * and Perl. The variables could make Perl load modules, read and write other bytes, or warn of the locale.
 */
export function clientArgv(socket: GuardSocket, client: string): readonly string[] {
  if (process.platform !== "linux" || !existsSync(PERL) || !existsSync(client)) return [];
  const unset = ["PERL5OPT", "PERL5LIB", "PERLIO", "PERL_UNICODE"].flatMap((name) => ["-u", name]);
  return ["/usr/bin/env", ...unset, "PERL_BADLANG=0", PERL, client, socket];
}
