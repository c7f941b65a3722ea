import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Findings } from "../../src/domain/bundle/findings.ts";
import type { Stage } from "./stage.ts";

type Result = Findings & { readonly ok: boolean };

/** Runs `verify-journal`. Gives its exit code and its findings. */
export async function verified(stage: Stage, args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await stage.run(["verify-journal", ...args, "--json"], env);
  if (stdout === "") throw new Error(stderr);
  return { code, found: JSON.parse(stdout) as Result };
}

/** The folder of the only run of a state folder. */
export function runFolder(home: string): string {
  const [name = ""] = readdirSync(join(home, "runs"));
  return join(home, "runs", name);
}

/** Changes one byte in the middle of a file. */
export function flip(file: string): void {
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

/** Changes the database of a state folder. */
export function sql(home: string, statement: string): void {
  const db = new DatabaseSync(join(home, "loopdash.db"));
  db.exec(statement);
  db.close();
}
