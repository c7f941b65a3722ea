import fs, { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readSnapshot } from "../../oracle/read.ts";
import { scratchFolder } from "../helpers/scratch.ts";

const folder = scratchFolder();
const real = { lstatSync: fs.lstatSync };
afterEach(() => {
  Object.assign(fs, real);
  syncBuiltinESMExports();
});

test("a tracker that never rests is given up, in bounded time", async () => {
  const tickets = join(folder(), "tickets");
  mkdirSync(tickets);
  writeFileSync(join(tickets, "A.md"), "---\nstate: done\n---\n");
  const file = join(folder(), "tracker.json");
  writeFileSync(file, '{"version":1,"tickets":[]}');
  for (const place of [{ kind: "folder", folder: tickets } as const, { kind: "embedded", file } as const]) {
    const startedAt = performance.now();
    const written = place.kind === "folder" ? join(tickets, "A.md") : file;
    const lstatSync = (path: string, options: { bigint: true }) => {
      writeFileSync(written, readFileSync(written));
      return real.lstatSync(path, options);
    };
    Object.assign(fs, { lstatSync });
    syncBuiltinESMExports();
    await expect(readSnapshot(place)).rejects.toThrow("kept changing");
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
});
