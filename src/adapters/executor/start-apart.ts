import { spawn } from "node:child_process";

/**
 * Starts a program of the system that goes on by itself, whatever becomes of this one: without a shell, in a group of its own, with no
 * input and no output. `failed` gets the reason if it cannot be started, or has ended with another code than 0 while this process runs.
 */
export function startApart(
  [program = "", ...args]: readonly string[],
  { env, failed }: { readonly env: Readonly<Record<string, string>>; readonly failed: (why: string) => void },
): void {
  const child = spawn(program, args, { env: { ...env }, detached: true, stdio: "ignore" });
  child.on("error", (error) => failed(error.message));
  child.on("exit", (code, signal) => {
    if (code !== 0) failed(code === null ? `it was ended by ${signal}` : `it ended with code ${code}`);
  });
  child.unref();
}
