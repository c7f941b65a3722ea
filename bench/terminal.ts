import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { mustRun } from "./children.ts";
import { loopdashArgv, loopdashEnvironment } from "./loopdash.ts";

/** A dashboard in a terminal of its own. */
export interface Terminal {
  readonly pid: number;
  /** Resolves with the milliseconds from spawn to the first moment the output holds `text`; rejects after a minute. */
  seen(text: string): Promise<number>;
  /** Ends the program and resolves when it is gone. */
  end(): Promise<void>;
}

const LONGEST_WAIT_MS = 60_000;
const SIZE = { cols: 120, rows: 30 } as const;

/** Starts loopdash in a pseudo-terminal of 120 by 30. Its output is read from a screen, not from its bytes. */
export function openTerminal(options: { scratch: string; home: string; args: readonly string[] }): Terminal {
  const [program, ...args] = loopdashArgv(...options.args);
  const startedAt = performance.now();
  const env = loopdashEnvironment(options.scratch, options.home);
  const pty = spawn(program, args, { ...SIZE, cwd: options.scratch, env, name: "xterm-256color" });
  const screen = new xterm.Terminal({ ...SIZE, allowProposedApi: true });
  const watch: { onDrawn?: () => void } = {};
  pty.onData((data) => screen.write(data, () => watch.onDrawn?.()));
  const gone = new Promise<void>((done) => pty.onExit(() => done()));
  return {
    pid: pty.pid,
    seen: (text) =>
      new Promise((done, failed) => {
        const giveUp = () => failed(new Error(`"${text}" was not seen on the terminal:\n${textOf(screen)}`));
        const timer = setTimeout(giveUp, LONGEST_WAIT_MS);
        watch.onDrawn = () => {
          if (!textOf(screen).includes(text)) return;
          clearTimeout(timer);
          delete watch.onDrawn;
          done(performance.now() - startedAt);
        };
        watch.onDrawn();
      }),
    end: async () => {
      pty.kill("SIGKILL");
      await gone;
    },
  };
}

function textOf(screen: xterm.Terminal): string {
  const { active } = screen.buffer;
  return Array.from(
    { length: SIZE.rows },
    (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? "",
  ).join("\n");
}

/** The process id of the engine in this home, from `loopdash status --json`. */
export async function enginePid(scratch: string, home: string): Promise<number> {
  const argv = loopdashArgv("status", "--json");
  const status: unknown = JSON.parse(await mustRun({ argv, cwd: scratch, env: loopdashEnvironment(scratch, home) }));
  const pid: unknown = typeof status === "object" && status !== null ? Reflect.get(status, "pid") : undefined;
  if (typeof pid !== "number") throw new Error(`loopdash status told no pid: ${JSON.stringify(status).slice(0, 300)}`);
  return pid;
}

/** Ends the dashboard and the engine behind it, and waits until both are gone. */
export async function endRun(terminal: Terminal, scratch: string, home: string): Promise<void> {
  let engine: number;
  try {
    engine = await enginePid(scratch, home);
  } finally {
    await terminal.end();
  }
  await stopEngine(engine);
}

/** Asks an engine to stop and waits until its process is gone. */
async function stopEngine(pid: number): Promise<void> {
  process.kill(pid, "SIGTERM");
  const until = performance.now() + LONGEST_WAIT_MS;
  while (isAlive(pid)) {
    if (performance.now() > until) throw new Error(`the engine ${pid} did not stop`);
    await new Promise((next) => setTimeout(next, 50));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}
