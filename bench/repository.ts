import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { childEnvironment, mustRun } from "./children.ts";

const IDENTITY = {
  GIT_AUTHOR_NAME: "Bench",
  GIT_AUTHOR_EMAIL: "bench@example.invalid",
  GIT_COMMITTER_NAME: "Bench",
  GIT_COMMITTER_EMAIL: "bench@example.invalid",
};

/** Runs git in `cwd` and returns its output. Throws if it fails. */
export function git(scratch: string, cwd: string, ...args: string[]): Promise<string> {
  return mustRun({ argv: ["git", ...args], cwd, env: childEnvironment(scratch, IDENTITY) });
}

/** A repository with base branch main, checked out, and some files in it. */
export async function createRepository(scratch: string, name: string): Promise<string> {
  const path = join(scratch, name);
  await mkdir(join(path, "src"), { recursive: true });
  for (let i = 0; i < 20; i += 1) await writeFile(join(path, "src", `file-${i}.txt`), `file ${i}\n`.repeat(50));
  await git(scratch, path, "init", "--quiet", "--initial-branch=main", "--template=");
  await git(scratch, path, "add", "--all");
  await git(scratch, path, "commit", "--quiet", "--message", "base");
  return path;
}

/**
 * Writes the agent for all timed items and returns its command. It appends a line to one file, commits it, and takes as long in
 * all as its ticket's file says (seconds; without a file only as long as the work).
 */
export async function writeAgent(scratch: string, seconds: Readonly<Record<string, number>> = {}): Promise<[string, string]> {
  const waits = join(scratch, "waits");
  await mkdir(waits, { recursive: true });
  for (const [ticket, value] of Object.entries(seconds)) await writeFile(join(waits, ticket), String(value));
  const script = join(scratch, "agent.sh");
  const lines = [
    "set -e",
    `if [ -f "${waits}/$LOOPDASH_TICKET" ]; then sleep "$(cat "${waits}/$LOOPDASH_TICKET")" & fi`,
    'echo "$LOOPDASH_TICKET" >> "ticket-$LOOPDASH_TICKET.txt"',
    'git add "ticket-$LOOPDASH_TICKET.txt"',
    'git -c user.name=Bench -c user.email=bench@example.invalid commit --quiet --message "$LOOPDASH_TICKET"',
    "wait",
  ];
  await writeFile(script, `${lines.join("\n")}\n`);
  return ["sh", script];
}
