import type { Command } from "commander";

/** The list of what needs a person in all runs. */
export interface WatchRequest {
  readonly verb: "watch";
  /** Other machines, as ssh knows them. */
  readonly hosts: readonly string[];
  readonly once: boolean;
  readonly json: boolean;
}

/** Adds `watch`. */
export function addWatch(program: Command, onRequest: (request: WatchRequest) => void): void {
  program
    .command("watch [hosts...]")
    .description("show what needs you in all runs of this machine, and of others that ssh reaches ([user@]host)")
    .option("--once", "print it once; exit code 1 if a machine does not answer")
    .option("--json", "the runs of this machine, for the watch of another")
    .action((hosts: readonly string[], { once, json }: { once?: true; json?: true }) =>
      onRequest({ verb: "watch", hosts, once: once === true, json: json === true }),
    );
}
