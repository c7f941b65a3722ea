import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Attack } from "./suite.ts";

/** An attack, and the test file that proves it. */
export interface Registered extends Attack {
  readonly provenIn: string;
}

/**
 * Every attack that a test in this folder proves: the lists that the test files pass to `proveEach`. So an attack without a test
 * is not in the register, and a new family is in it at once.
 */
export async function registered(): Promise<readonly Registered[]> {
  const files = globSync("*/*.test.ts", { cwd: import.meta.dirname }).toSorted();
  const lists = await Promise.all(files.map(provenIn));
  return lists.flat();
}

async function provenIn(file: string): Promise<readonly Registered[]> {
  const path = join(import.meta.dirname, file);
  const source = readFileSync(path, "utf8");
  const names = [...source.matchAll(/^\s*proveEach\((\w+)(?:, .*)?\);$/gm)].map(([, name = ""]) => name);
  if (names.length !== source.split("proveEach(").length - 1) throw new Error(`${file} hands over a list that has no name`);
  const lists = await Promise.all(names.map((name) => listNamed(name, source, path)));
  return lists.flat().map((attack) => ({ ...attack, provenIn: file }));
}

async function listNamed(name: string, source: string, path: string): Promise<readonly Attack[]> {
  const from = [...source.matchAll(/^import \{([^}]*)\} from "(\.[^"]*)";$/gm)].find(([, names = ""]) =>
    names.split(",").some((each) => each.trim() === name),
  )?.[2];
  if (from === undefined) throw new Error(`${path} imports no ${name}`);
  const list: unknown = (await import(pathToFileURL(join(dirname(path), from)).href))[name];
  if (!Array.isArray(list)) throw new Error(`${name} of ${from} is no list`);
  return list as readonly Attack[];
}
