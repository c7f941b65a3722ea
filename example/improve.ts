/**
 * `npm run example:improve`: a loop over a small repository of guard scripts, with scripted agents. It works in `example/workspace/improve/`
 * with a state folder of its own, asks no model and reaches no network. Ends as loopdash does.
 */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const HERE = import.meta.dirname;
const PROGRAM = join(HERE, "..", "dist", "loopdash.js");
const place = join(HERE, "workspace", "improve");
const repository = join(place, "guards");

rmSync(place, { recursive: true, force: true });
mkdirSync(place, { recursive: true });
cpSync(join(HERE, "improve"), place, { recursive: true });
cpSync(join(place, "repo"), repository, { recursive: true });
const identity = ["-c", "user.name=example", "-c", "user.email=example@localhost", "-c", "commit.gpgsign=false"];
for (const args of [
  ["init", "-q", "-b", "main"],
  ["add", "-A"],
  [...identity, "commit", "-q", "-m", "Guards"],
])
  execFileSync("git", args, { cwd: repository });

const env = { ...process.env, LOOPDASH_HOME: join(place, "state") };
const run = (...args: readonly string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, "improve", ...args], { cwd: place, env, stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 130));
  });

// The terminal sends Ctrl-C to both; this process waits for loopdash.
process.on("SIGINT", () => undefined);
process.exitCode = await run("goal.md");
await run("goal.md", "--status");
