import { accessSync, constants, existsSync, readdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { diskProblem } from "../../adapters/disk-error.ts";
import { runBriefly } from "../../adapters/executor/brief-run.ts";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import { createLocks } from "../../adapters/locks/sqlite-locks.ts";
import { plural } from "../../domain/values/text.ts";
import { UserError } from "../../domain/values/user-error.ts";
import { prove, refuseShared, type StateHome } from "../state-home.ts";
import { bad, type CheckResult, ok, warn } from "./check-result.ts";
import { nearestExisting, withProbeFolder } from "./probe-folder.ts";
import { lookIntoRecords } from "./records.ts";

/** A run keeps logs, patches and worktrees; with less free space it may stop midway. Bytes. */
const ENOUGH = 1_000_000_000;

const ELSEWHERE = "Name a folder that this user can write in LOOPDASH_HOME.";
const LOCAL_DISK = "Name a folder on a local disk in LOOPDASH_HOME; network file systems often have no locks.";

/** Checks that a run can use the state folder, which may not exist yet. */
export async function checkStateFolder(home: StateHome): Promise<readonly CheckResult[]> {
  const there = existsSync(home.root);
  try {
    const parent = nearestExisting(home.root);
    if (there) refuseShared(home.root);
    return await withProbeFolder(parent, async (probe) => {
      for (const folder of [probe, home.runs, home.worktrees, home.locks]) if (existsSync(folder)) prove(folder);
      const where = ok("state-folder", there ? home.root : `${home.root} (made by the first run)`);
      return [where, space(parent), database(home, probe), await lock(join(probe, "locks"))];
    });
  } catch (error) {
    return [unusable("state-folder", `cannot keep state in ${home.root}`, error)];
  }
}

function space(folder: string): CheckResult {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const found = `${(free / 1e9).toFixed(1)} GB free`;
  if (free >= ENOUGH) return ok("state-space", found);
  return warn(
    "state-space",
    `${found}, which logs and worktrees may fill`,
    "Free at least 1 GB, or set LOOPDASH_HOME elsewhere.",
  );
}

/** Checks the existing records, or a new database of the same kind on the same disk. */
function database(home: StateHome, probe: string): CheckResult {
  try {
    if (!existsSync(home.db)) {
      openRunStore(join(probe, "loopdash.db")).close();
      return ok("state-database", "a database can be made and opened");
    }
    accessSync(home.db, constants.W_OK);
    const runs = lookIntoRecords(home.db, (db) => Number(db.prepare("SELECT count(*) AS n FROM runs").get()?.["n"]));
    return ok("state-database", `${home.db} opens, ${plural(runs, "run")} on record`);
  } catch (error) {
    return unusable("state-database", `cannot use ${home.db}`, error);
  }
}

/** Prints the state of a lock as seen by another process: "held" or "free". */
const OTHER_PROCESS = `const { DatabaseSync } = require("node:sqlite");
  try { new DatabaseSync(process.argv[1], { timeout: 0 }).exec("BEGIN IMMEDIATE"); process.stdout.write("free"); }
  catch (error) { process.stdout.write((error.errcode & 0xff) === 5 ? "held" : String(error.message)); }`;

/** Two engines on one batch would undo each other. This tests the lock that prevents it with a second process. */
async function lock(folder: string): Promise<CheckResult> {
  const taken = createLocks(folder).take(["doctor"], { pid: process.pid, run: "doctor", since: Date.now() });
  if (!taken.ok) return bad("state-lock", "a lock that nobody holds cannot be taken", LOCAL_DISK);
  const file = readdirSync(folder).find((name) => name.endsWith(".lock")) ?? "";
  const whileHeld = await askOther(join(folder, file));
  for (const each of taken.locks) each[Symbol.dispose]();
  const afterwards = await askOther(join(folder, file));
  if (whileHeld === "held" && afterwards === "free")
    return ok("state-lock", "a second process is kept out, and let in afterwards");
  const found =
    whileHeld === "free" ? "a lock does not keep a second process out" : `locks do not work (${whileHeld}, ${afterwards})`;
  return bad("state-lock", found, LOCAL_DISK);
}

async function askOther(file: string): Promise<string> {
  const argv = [process.execPath, "-e", OTHER_PROCESS, file];
  const { stdout, stderr } = await runBriefly(argv, { env: {}, timeoutMs: 20_000 });
  return stdout || stderr.trim().slice(0, 200) || "no answer";
}

function unusable(check: string, what: string, error: unknown): CheckResult {
  if (error instanceof UserError) return bad(check, `${error.what}: ${error.why}`, error.todo);
  const problem = diskProblem(error);
  if (problem === undefined) throw error;
  return bad(check, `${what}: ${problem.why}`, problem.todo || ELSEWHERE);
}
