import { execFile, spawnSync } from "node:child_process";

/** The options of a brief run. */
export interface BriefRunOptions {
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** It is killed after this. Without it, it may take its time. */
  readonly timeoutMs?: number;
  /** The folder to start it in; default: that of this process. */
  readonly cwd?: string;
  /** The text of its stdin; empty by default. */
  readonly input?: string;
  /** It is killed when this aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** The end of a brief run. */
export interface BriefRunResult {
  /** Undefined where it was killed, or did not start. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** The reason why it did not exit with 0; empty if it did. */
  readonly problem: string;
}

/**
 * Runs a short program of the system, or our own Node, that leaves no process behind: with a given or empty stdin, its output kept up to
 * 1 MiB, SIGKILL at the end of its time. Never throws for what it does.
 */
export function runBriefly(
  [program = "", ...args]: readonly string[],
  { env, timeoutMs, cwd, input = "", signal }: BriefRunOptions,
): Promise<BriefRunResult> {
  const options = { env: { ...env }, cwd, timeout: timeoutMs ?? 0, killSignal: "SIGKILL", signal } as const;
  return new Promise((settle) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      settle({ exitCode: typeof code === "number" ? code : undefined, stdout, stderr, problem: error?.message ?? "" });
    });
    // One that ends before it could read says so here.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

/** The same where the engine cannot go on before it knows: whether the program exited with 0. Its output is not kept. */
export function runsWell([program = "", ...args]: readonly string[], { env, timeoutMs }: BriefRunOptions): boolean {
  const options = { env: { ...env }, timeout: timeoutMs, killSignal: "SIGKILL", stdio: "ignore" } as const;
  return spawnSync(program, args, options).status === 0;
}
