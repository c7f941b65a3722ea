import { jsonText } from "../../domain/values/text.ts";
import { EXIT } from "../../domain/values/user-error.ts";
import { type Machine, watchLines, watchList } from "../../store/watch-list.ts";
import { writeAll, writeNote } from "../print.ts";
import { readScreenFiles } from "../screen-files.ts";
import { isInteractive, refuseSmallTerminal } from "../terminal.ts";
import type { WatchRequest } from "../watch/flags.ts";
import { createLocalReader, readMachine, refuseHosts } from "../watch/machines.ts";

/**
 * Shows what needs a person in the runs of this machine and of others; without a terminal, or with `once`, as text; with `json`, the runs
 * of this machine for another one's `watch`. Exit 0; 1 if a machine did not answer, as text.
 */
export async function watchRuns({ hosts: named, once, json }: WatchRequest): Promise<number> {
  refuseHosts(named);
  const hosts = [...new Set(named)];
  if (json || once || !isInteractive()) return printOnce(hosts, json);
  refuseSmallTerminal("loopdash watch --once");
  const files = await readScreenFiles(process.env, process.cwd());
  const { watchOnTerminal } = await import("../watch/watch-on-terminal.ts");
  return watchOnTerminal(hosts, files);
}

async function printOnce(hosts: readonly string[], json: boolean): Promise<number> {
  const here = createLocalReader()();
  const there = json ? [] : await Promise.all(hosts.map((host) => readMachine(host, process.env)));
  const machines: readonly Machine[] = [here, ...there];
  if (json) writeNote(here.problem);
  writeAll(1, json ? jsonText(here.runs ?? []) : `${watchLines(watchList(machines, Date.now())).join("\n")}\n`);
  return machines.some(({ problem }) => problem !== undefined) ? EXIT.notDone : EXIT.done;
}
