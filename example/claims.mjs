import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./run.mjs";

/** An agent's claims beside its change, as files in its outbox. */
export function createClaims({ cwd, outbox, say, think }) {
  return {
    /** Files a ticket for a finding: `{title, body, reason, blocks}`. */
    async discover(name, discovery) {
      await mkdir(join(outbox, "discovered"), { recursive: true });
      await writeFile(join(outbox, "discovered", `${name}.json`), JSON.stringify(discovery));
      await think(`Found on the way: ${discovery.title}`, 300);
    },

    /** Claims that a blocker outside the code stops it, with the output of this command as evidence. */
    async block({ command, ...claim }) {
      const { code, output } = await run(command[0] === "node" ? process.execPath : command[0], command.slice(1), cwd, say);
      const evidence = [{ command, exitCode: code, output: output.slice(-4_000) }];
      await writeFile(join(outbox, "blocker.json"), JSON.stringify({ ...claim, evidence }));
      await think(`Blocked: ${claim.claim}`, 300);
    },
  };
}
