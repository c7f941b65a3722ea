import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TrackerProgram, trackerProgram } from "../../../../src/adapters/tracker/command/tracker-program.ts";

/** What each program of the tests begins with. */
const PRELUDE = `
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
const verb = process.argv.at(-1);
const print = (...lines) => process.stdout.write(lines.map((line) => JSON.stringify(line) + "\\n").join(""));
const T1 = { id: "T-1", title: "One", body: "Text.", state: "open" };
const T2 = { ...T1, id: "T-2" };
`;

/** A tracker program that runs this script of JavaScript. */
export function aProgram(
  folder: string,
  script: string,
  { environment = async () => ({}), timeoutMs }: Partial<Parameters<typeof trackerProgram>[0]> = {},
): TrackerProgram {
  const file = join(folder, "tracker.mjs");
  writeFileSync(file, `${PRELUDE}${script}`);
  const command = [process.execPath, file];
  return trackerProgram({ command, cwd: folder, environment, ...(timeoutMs !== undefined && { timeoutMs }) });
}
