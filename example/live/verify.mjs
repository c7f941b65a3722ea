/**
 * Asks an environment for its running commit: `node verify.mjs dev|prod`, in a checkout of the expected commit. Prints the answer
 * as JSON; the batch states the required values.
 */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ask } from "./ask.mjs";

const [, , name = ""] = process.argv;
const { name: repo } = JSON.parse(await readFile("package.json", "utf8"));
const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
process.chdir(join(import.meta.dirname, "..", "workspace"));
const { status, body } = await ask(`${name}.sock`, `/${repo}?commit=${commit}`, { headers: {} });
if (status === 200) console.log(JSON.stringify(body));
else {
  console.error(body?.error ?? `status ${status}`);
  process.exitCode = 1;
}
