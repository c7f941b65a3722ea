import { spawn } from "node:child_process";

/** Interval of output while a program runs (milliseconds), so that a slow machine does not look like a hang. */
const SIGN_OF_LIFE_MS = 1_000;

/** Runs a program to its end with bounded silence; resolves with its exit code and its output. */
export function run(program, args, cwd, say, env = basicEnvironment()) {
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

export function basicEnvironment() {
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    ...(process.env.LOOPDASH_FENCE && { LOOPDASH_FENCE: process.env.LOOPDASH_FENCE }),
  };
}
