import { isSafeFile } from "./place.ts";

/** Names of tests that a command may hold: printable, of one line, and no option. */
function isSafeName(name: string): boolean {
  return name.length > 0 && name.length <= 200 && !name.startsWith("-") && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(name);
}

/** A name as a pattern that matches it alone. */
function asPattern(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function ifFile(file: string | undefined, argv: (file: string) => readonly string[]): readonly string[] | undefined {
  return file !== undefined && isSafeFile(file) ? argv(file) : undefined;
}

/** The command that runs a test of vitest or jest; the whole file if its name cannot stand in a command. Titles are joined by blanks. */
export function runJsTest(
  runner: "vitest" | "jest",
  file: string | undefined,
  titles: readonly string[],
): readonly string[] | undefined {
  const name = titles.join(" ");
  const start = runner === "vitest" ? ["npx", "--no", "vitest", "run"] : ["npx", "--no", "jest"];
  return ifFile(file, (safe) => [...start, safe, ...(isSafeName(name) ? ["-t", asPattern(name)] : [])]);
}

/** The command that runs a test of Node's runner. */
export function runNodeTest(file: string | undefined, name: string): readonly string[] | undefined {
  const pattern = isSafeName(name) ? [`--test-name-pattern=^${asPattern(name)}$`] : [];
  return ifFile(file, (safe) => ["node", "--test", ...pattern, safe]);
}

/** The command that runs a test of pytest by its node id; the whole file if the id cannot stand in a command. */
export function runPytest(nodeId: string): readonly string[] | undefined {
  const at = nodeId.indexOf("::");
  const file = at < 0 ? nodeId : nodeId.slice(0, at);
  const rest = at < 0 ? "" : nodeId.slice(at);
  return ifFile(file, (safe) => ["python", "-m", "pytest", isSafeName(rest) ? `${safe}${rest}` : safe]);
}

/** The command that runs a test of Go. `goPackage` is its import path. */
export function runGoTest(goPackage: string | undefined, test: string): readonly string[] | undefined {
  if (goPackage === undefined || !/^[\w.][\w./~-]{0,200}$/.test(goPackage) || !isSafeName(test)) return undefined;
  const pattern = test.split("/").map((name) => `^${asPattern(name)}$`);
  return ["go", "test", goPackage, "-run", pattern.join("/")];
}

/** The command that runs a test of cargo; undefined for an example in the documentation. */
export function runCargoTest(test: string): readonly string[] | undefined {
  return /^[\w:]{1,200}$/.test(test) ? ["cargo", "test", test, "--", "--exact"] : undefined;
}

/** The command that runs a linter on one file. */
export function runOnFile(argv: readonly string[], file: string | undefined): readonly string[] | undefined {
  return ifFile(file, (safe) => [...argv, safe]);
}

/** A command as a person can paste it: each word that a shell could read otherwise stands in single quotes. */
export function shellWords(argv: readonly string[]): string {
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}
