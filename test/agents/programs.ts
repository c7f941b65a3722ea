import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Where `.ci/run` installs the vendors' programs; another place by LOOPDASH_TEST_AGENTS. */
export function programsFolder(): string {
  return process.env["LOOPDASH_TEST_AGENTS"] ?? resolve(import.meta.dirname, "../../.ci/agents");
}

/** Why the tests with a real program cannot run; undefined where they can. */
export function whyWithout(name: string): string | undefined {
  const program = join(programsFolder(), "node_modules/.bin", name);
  return existsSync(program) ? undefined : `${name} is not installed: run npm ci in .ci/agents (some 1.2 GB)`;
}
