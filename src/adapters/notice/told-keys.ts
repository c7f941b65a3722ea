import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { ToldKeys } from "./notice-sender.ts";

const Kept = z.record(z.string(), z.array(z.string()));

/**
 * The keys that routes were told, in a file of the run that the next engine reads. Throws if the file cannot be read: without it, everything
 * would be told again.
 */
export function openToldKeys(path: string): ToldKeys {
  const kept = existsSync(path) ? Kept.parse(JSON.parse(readFileSync(path, "utf8"))) : {};
  const told = new Map(Object.entries(kept).map(([route, keys]) => [route, new Set(keys)]));
  return {
    has: (route, key) => told.get(route)?.has(key) === true,
    add: (route, keys) => {
      told.set(route, new Set([...(told.get(route) ?? []), ...keys]));
      const text = JSON.stringify(Object.fromEntries([...told].map(([name, all]) => [name, [...all]])));
      writeFileSync(`${path}.new`, text, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    },
  };
}
