import { type Machine, watchLines, watchList } from "../../store/watch-list.ts";
import { writeAll } from "../print.ts";
import { readScreenFiles } from "../screen-files.ts";
import { isInteractive, refuseSmallTerminal } from "../terminal.ts";
import { readMachine, readThisMachine, refuseHosts } from "../watch/machines.ts";

/** Shows what needs a person in the runs of this machine and of others; without a terminal, or with `once`, as text. Returns 0. */
export async function watchRuns({ hosts, once }: { readonly hosts: readonly string[]; readonly once: boolean }): Promise<number> {
  refuseHosts(hosts);
  if (once || !isInteractive()) {
    const machines: readonly Machine[] = [
      readThisMachine(),
      ...(await Promise.all(hosts.map((host) => readMachine(host, process.env)))),
    ];
    writeAll(1, `${watchLines(watchList(machines, Date.now())).join("\n")}\n`);
    return 0;
  }
  refuseSmallTerminal("loopdash watch --once");
  const files = await readScreenFiles(process.env, process.cwd());
  const { watchOnTerminal } = await import("../watch/watch-on-terminal.ts");
  return watchOnTerminal(hosts, files);
}
