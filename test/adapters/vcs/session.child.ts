import { execFileSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { moveRef, readCommitPart } from "../../../src/adapters/vcs/git/git-queries.ts";
import { locate } from "../../../src/adapters/vcs/repository/locate.ts";
import { openStore } from "../../../src/adapters/vcs/repository/store.ts";

/** Asks sessions of git in a new repository in `root`, and says what a test must know. Arguments: mode, root. */
const [, , mode = "", root = ""] = process.argv;
const user = join(root, "user");
const who = ["-c", "user.name=p", "-c", "user.email=p@example.org"];
execFileSync("git", ["init", "-q", "-b", "main", user]);
execFileSync("git", [...who, "commit", "-q", "--allow-empty", "-m", "first"], { cwd: user });
const first = execFileSync("git", ["rev-parse", "main"], { cwd: user, encoding: "utf8" }).trim();
const store = await openStore(await locate(user), "main", { scratch: root });
const say = (text: string | number | undefined): void => void process.stdout.write(`${text}\n`);

/** The one process that this one has started and that still runs. */
function session(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/children`, "utf8"));
}

if (mode === "files") {
  const open: number[] = [];
  try {
    for (;;) open.push(openSync("/dev/null", "r"));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EMFILE")) throw error;
  }
  const outcome = await readCommitPart(store, first, "tree").catch((error: unknown) => `${error}`);
  for (const fd of open) closeSync(fd);
  say(outcome);
  say(`answered ${await readCommitPart(store, first, "tree")}`);
} else if (mode === "idle") {
  await readCommitPart(store, first, "tree");
  say(session());
} else if (mode === "open") {
  await readCommitPart(store, first, "tree");
  const pid = session();
  process.kill(pid, "SIGSTOP");
  const answer = readCommitPart(store, first, "tree");
  setImmediate(() => say(pid));
  say(`answered ${await answer}`);
} else {
  await moveRef(store, "refs/heads/x", { to: first });
  const pid = session();
  process.kill(pid, "SIGSTOP");
  const next = execFileSync("git", [...who, "commit-tree", "main^{tree}", "-m", "next"], { cwd: user, encoding: "utf8" }).trim();
  const moved = moveRef(store, "refs/heads/x", { to: next });
  setImmediate(() => say(pid));
  await moved;
}
