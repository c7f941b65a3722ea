import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** While a program runs, this often (milliseconds) something is said, so that a slow machine does not look like a hang. */
const SIGN_OF_LIFE_MS = 1_000;

/** Factor on every pause; the tests set it near 0. */
const pace = Number(process.env.EXAMPLE_PACE ?? "1");

/**
 * What a script works with: the lines it says, the files of its worktree, the tests and git.
 * `evidence` is what loopdash wrote about earlier tries, or "" on the first.
 */
export function createKit({ ticket, cwd, evidence }) {
  const say = (line) => console.log(line);

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

    async read(path) {
      const text = await readFile(join(cwd, path), "utf8");
      await this.think(`Read ${path} (${text.split("\n").length - 1} lines)`, 300);
      return text;
    },

    async write(path, text) {
      await mkdir(dirname(join(cwd, path)), { recursive: true });
      await writeFile(join(cwd, path), text);
      await this.think(`Write ${path} (${text.split("\n").length - 1} lines)`, 500);
    },

    /** Replaces one piece of a file; it must be there exactly once. */
    async edit(path, from, to) {
      const text = await readFile(join(cwd, path), "utf8");
      if (text.split(from).length !== 2) throw new Error(`${path} does not hold the text to replace exactly once`);
      await writeFile(
        join(cwd, path),
        text.replace(from, () => to),
      );
      await this.think(`Edit ${path}`, 500);
    },

    /** Runs the repository's tests and tells whether they pass. */
    async test() {
      say("Run node --test");
      const { code, output } = await run(process.execPath, ["--test"], cwd, say);
      for (const line of output.split("\n").filter((text) => /^\s*(?:✖|ℹ (?:pass|fail))/.test(text))) say(line.trim());
      return code === 0;
    },

    /** Commits everything. Where git refuses, says so and leaves the change uncommitted: loopdash commits it. */
    async commit(message) {
      const added = await run("git", ["add", "--all"], cwd, say, gitEnvironment());
      const done = added.code === 0 ? await run("git", ["commit", "--quiet", "-m", message], cwd, say, gitEnvironment()) : added;
      say(done.code === 0 ? `Commit "${message}"` : `git refused to commit, left as it is: ${done.output.trim()}`);
    },
  };
}

/** Runs a program to its end with bounded silence; resolves with its exit code and everything it printed. */
function run(program, args, cwd, say, env = basicEnvironment()) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const startedAt = Date.now();
    const alive = setInterval(() => say(`… still running, ${Math.round((Date.now() - startedAt) / 1_000)} s`), SIGN_OF_LIFE_MS);
    let output = "";
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    child.once("error", (error) => {
      clearInterval(alive);
      reject(error);
    });
    child.once("close", (code) => {
      clearInterval(alive);
      resolve({ code, output });
    });
  });
}

function basicEnvironment() {
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    ...(process.env.LOOPDASH_FENCE && { LOOPDASH_FENCE: process.env.LOOPDASH_FENCE }),
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
