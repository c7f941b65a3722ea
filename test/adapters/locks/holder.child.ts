import { createLocks } from "../../../src/adapters/locks/sqlite-locks.ts";

/** Takes resources when told to, and holds them until it dies. Arguments: folder, resource…; a line on stdin is the word to go. */
const [, , folder = "", ...resources] = process.argv;
const locks = createLocks(folder);
process.stdout.write("ready\n");
process.stdin.on("data", () => {
  const taken = locks.take(resources, { pid: process.pid, run: `run-${process.pid}`, since: 5 });
  process.stdout.write(taken.ok ? "held\n" : "refused\n");
});
