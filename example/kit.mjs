import { setTimeout as sleep } from "node:timers/promises";
import { createFiles } from "./files.mjs";
import { basicEnvironment, run } from "./run.mjs";

/** Factor on every pause; the tests set it near 0. */
const pace = Number(process.env.EXAMPLE_PACE ?? "1");

/**
 * A script's tools: the lines it says, the files of its worktree, the tests and git. `evidence` is loopdash's text about earlier
 * attempts, or "" on the first.
 */
export function createKit({ ticket, cwd, evidence }) {
  const say = (line) => console.log(line);
  const event = (type, block) => say(JSON.stringify({ type, message: { role: type, content: [block] } }));
  let calls = 0;

  return {
    ticket,
    cwd,
    evidence,
    say,

    /** Says a line and "thinks" for some milliseconds. */
    async think(line, ms = 400) {
      say(line);
      await sleep(ms * pace);
    },

    ...createFiles(cwd),

    /** Runs the repository's tests and returns true if they pass. */
    async test() {
      say("Run node --test");
      const { code, output } = await run(process.execPath, ["--test"], cwd, say);
      for (const line of output.split("\n").filter((text) => /^\s*(?:✖|ℹ (?:pass|fail))/.test(text))) say(line.trim());
      return code === 0;
    },

    /**
     * Runs a program as a vendor's agent does, and prints it in the events of one (Claude Code's), so that loopdash sees what was done and
     * what came of it. Returns true if it succeeded.
     */
    async tool(program, ...args) {
      calls += 1;
      const id = `call-${calls}`;
      event("assistant", { type: "tool_use", id, name: "Bash", input: { command: [program, ...args].join(" ") } });
      const { code, output } = await run(program, args, cwd, say);
      const content = code === 0 ? output : `Exit code ${code}\n${output}`;
      event("user", { type: "tool_result", tool_use_id: id, is_error: code !== 0, content });
      await sleep(300 * pace);
      return code === 0;
    },

    /** Asks the stop guard before the agent stops. Returns what is unmet, or "" if nothing is or nobody is there to say so. */
    async unmet() {
      const guard = process.env.LOOPDASH_GUARD;
      if (guard === undefined) return "";
      const { code, output } = await run(guard, ["--stop"], cwd, say);
      return code === 2 ? output : "";
    },

    /** Commits everything. If git refuses, says so and leaves the change uncommitted: loopdash commits it. */
    async commit(message) {
      const added = await run("git", ["add", "--all"], cwd, say, gitEnvironment());
      const done = added.code === 0 ? await run("git", ["commit", "--quiet", "-m", message], cwd, say, gitEnvironment()) : added;
      say(done.code === 0 ? `Commit "${message}"` : `git refused to commit, left as it is: ${done.output.trim()}`);
    },
  };
}

function gitEnvironment() {
  return {
    ...basicEnvironment(),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Scripted agent",
    GIT_AUTHOR_EMAIL: "agent@example.invalid",
    GIT_COMMITTER_NAME: "Scripted agent",
    GIT_COMMITTER_EMAIL: "agent@example.invalid",
  };
}
