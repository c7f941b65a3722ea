import { access, mkdir, rename, statfs, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { TicketId } from "../../domain/values/ids.ts";
import { errorCode } from "../../domain/values/text.ts";
import type { AttemptFiles, RunFiles } from "../../ports/run-files.ts";
import { namesIn } from "../missing-files.ts";
import { openNoLink, readUpTo } from "../plain-file.ts";
import { removeFolder } from "../remove-folder.ts";
import { copyInto } from "./copy-into.ts";
import { followLines } from "./follow-lines.ts";
import { listFolder } from "./list-folder.ts";
import { writeWhole } from "./write-whole.ts";

/** A disk with less space is full: no worktree and no journal fits. Bytes. */
const LEAST_FREE = 1024 * 1024;

async function tail(file: string, bytes: number): Promise<string> {
  try {
    const handle = await openNoLink(file);
    try {
      const found = await handle.stat();
      if (!found.isFile()) return "";
      const from = Math.max(0, found.size - bytes);
      return (await readUpTo(handle, found.size - from, from)).toString("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) !== undefined) return "";
    throw error;
  }
}

async function attemptFiles(folder: string): Promise<AttemptFiles> {
  const outbox = join(folder, "outbox");
  const session = join(folder, "session");
  for (const each of [outbox, session]) await mkdir(each, { recursive: true, mode: 0o700 });
  return {
    folder,
    outbox,
    session,
    guard: join(session, "guard"),
    guardReport: join(session, "guard-report.jsonl"),
    prompt: join(folder, "prompt.md"),
    agentLog: join(folder, "agent.log"),
    patch: join(folder, "change.patch"),
    log: (name) => join(folder, `${name.replace(/[^\w.-]+/g, "-").replace(/-$/, "")}.log`),
  };
}

/** Files of one run: `folder` is `runs/<run>`, `worktrees` is `worktrees/<run>`. */
export function createRunFiles(options: { folder: string; worktrees: string }): RunFiles {
  let judged = 0;
  const attemptFolder = (ticket: TicketId, n: number) => join(options.folder, "tickets", ticket, `attempt-${n}`);
  return {
    attempt: (ticket, n) => attemptFiles(attemptFolder(ticket, n)),
    reflectiveLog: (ticket) => join(options.folder, "tickets", ticket, "reflective-log.jsonl"),
    afterAttempt: (ticket, n) => attemptFiles(join(attemptFolder(ticket, n), "later")),
    async heal(n) {
      const folder = join(options.folder, "heals", String(n));
      await removeFolder(folder);
      const session = join(folder, "session");
      await mkdir(session, { recursive: true, mode: 0o700 });
      return {
        session,
        harness: join(folder, "harness"),
        prompt: join(folder, "prompt.md"),
        agentLog: join(folder, "agent.log"),
      };
    },
    tail,
    followLines,
    makeFolder: async (folder) => void (await mkdir(folder, { recursive: true, mode: 0o700 })),
    write: (file, text) => writeFile(file, text, { mode: 0o600 }),
    writeWhole,
    list: listFolder,
    copyInto,
    exists: (file) =>
      access(file).then(
        () => true,
        () => false,
      ),
    checkoutPath(ticket: TicketId, purpose) {
      judged += 1;
      return join(options.folder, "judge", `${ticket}-${purpose.replace(/[^\w.-]+/g, "-")}-${process.pid}-${judged}`);
    },
    worktreePath: (ticket, n) => join(options.worktrees, `${ticket}-${n}`),
    ...asideIn(options.worktrees),
    remove: removeFolder,
    async hasRoom() {
      const { bavail, blocks, bsize } = await statfs(options.folder);
      // A file system that does not count blocks reports none.
      return blocks === 0 || bavail * bsize >= LEAST_FREE;
    },
  };
}

/** The beginning of the name of a worktree that is being removed. No ticket's id begins with a dot. */
const PREFIX = ".removed-";

/** Sets worktrees of a run aside, in the folder that holds them all. */
function asideIn(worktrees: string): Pick<RunFiles, "setAside" | "removeSetAside"> {
  let n = 0;
  return {
    async setAside(worktree) {
      if (dirname(worktree) !== worktrees) throw new RangeError(`${worktree} is no worktree of this run`);
      n += 1;
      const aside = join(worktrees, `${PREFIX}${basename(worktree)}-${process.pid}-${n}`);
      try {
        await rename(worktree, aside);
        return aside;
      } catch {
        // A mount, or a full disk that takes no further name, for example. The caller then removes it in place, and that tells the fault.
        return undefined;
      }
    },
    async removeSetAside() {
      const names = (await namesIn(worktrees)).filter((name) => name.startsWith(PREFIX));
      // One that resists keeps none of the others.
      const results = await Promise.allSettled(names.map((name) => removeFolder(join(worktrees, name))));
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };
}
