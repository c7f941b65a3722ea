import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TicketId } from "../../domain/ids.ts";
import type { AttemptFiles, RunFiles } from "../../ports/run-files.ts";
import { removeFolder } from "../remove-folder.ts";

/** Files of one run: `folder` is `runs/<run>`, `worktrees` is `worktrees/<run>`. */
export function createRunFiles(of: { folder: string; worktrees: string }): RunFiles {
  let judged = 0;
  return {
    async attempt(ticket, n): Promise<AttemptFiles> {
      const folder = join(of.folder, "tickets", ticket, `attempt-${n}`);
      const outbox = join(folder, "outbox");
      const session = join(folder, "session");
      for (const each of [outbox, session]) await mkdir(each, { recursive: true, mode: 0o700 });
      return {
        folder,
        outbox,
        session,
        prompt: join(folder, "prompt.md"),
        agentLog: join(folder, "agent.log"),
        patch: join(folder, "change.patch"),
        log: (name) => join(folder, `${name.replace(/[^\w.-]+/g, "-")}.log`),
      };
    },
    makeFolder: async (folder) => void (await mkdir(folder, { recursive: true, mode: 0o700 })),
    write: (file, text) => writeFile(file, text, { mode: 0o600 }),
    exists: (file) =>
      access(file).then(
        () => true,
        () => false,
      ),
    judgePath(ticket: TicketId, purpose) {
      judged += 1;
      return join(of.folder, "judge", `${ticket}-${purpose.replace(/[^\w.-]+/g, "-")}-${process.pid}-${judged}`);
    },
    manifestPath: (key) => join(of.folder, "manifests", `${key}.json`),
    worktreePath: (ticket, n) => join(of.worktrees, `${ticket}-${n}`),
    remove: removeFolder,
  };
}
