import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/build/bundle.ts";

let texts: ReadonlyMap<string, string> | undefined;

/** The path of the only test file that contains a text. Throws if none or several do. */
export function findTestFile(text: string): string {
  texts ??= new Map(
    globSync("{test,packages/*/test}/**/*.test.{ts,tsx}", { cwd: ROOT }).map((path) => [
      path,
      readFileSync(join(ROOT, path), "utf8"),
    ]),
  );
  const [path, ...others] = [...texts].flatMap(([file, source]) => (source.includes(text) ? [file] : []));
  if (path === undefined) throw new Error(`no test is named ${JSON.stringify(text)}`);
  if (others.length > 0) throw new Error(`${[path, ...others].join(", ")} contain ${JSON.stringify(text)}`);
  return join(ROOT, path);
}
