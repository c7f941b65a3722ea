import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { RunReport } from "../../src/domain/results/report.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** The program as it ships; `npm test` builds it first. A test of a defence sets another one. */
export const PROGRAM = process.env["LOOPDASH_TEST_PROGRAM"] ?? join(ROOT, "dist", "loopdash.js");

/**
 * The same without the proof of the oracle, which is half the work of a run with one ticket. It is for tests of something else;
 * `build-without-proof.ts` makes it before the long tests.
 */
export const PROGRAM_WITHOUT_PROOF = process.env["LOOPDASH_TEST_PROGRAM"] ?? join(ROOT, ".ci/out/without-proof/dist/loopdash.js");

/** What a finished process left. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process of the real program. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout(): string;
  /** Settles once stdout holds a match; rejects, with what it holds, where the process ends or three minutes pass before. */
  until(pattern: RegExp): Promise<void>;
  /** The same for stderr. */
  untilError(pattern: RegExp): Promise<void>;
}

/** A private place with its own LOOPDASH_HOME, repositories, agent scripts and batch files. It runs the program without the proof. */
export class Stage implements Disposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-e2e-")));
  readonly home = join(this.root, "home");
  readonly #children = new Set<ChildProcess>();
  /** The program that `start` runs. */
  readonly program: string;

  constructor(program = PROGRAM_WITHOUT_PROOF) {
    this.program = program;
  }

  get env(): Record<string, string> {
    const { PATH = "/usr/bin:/bin" } = process.env;
    return { PATH, HOME: this.root, LANG: "C.UTF-8", LOOPDASH_HOME: this.home };
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts);
  }

  write(name: string, text: string, mode = 0o644): string {
    const file = this.path(name);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text, { mode });
    return file;
  }

  git(repo: string, ...args: string[]): string {
    const who = { GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@t", GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@t" };
    const env = { ...this.env, ...who, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    return execFileSync("git", ["-C", this.path(repo), ...args], {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  }

  /** A repository with a base branch `main` and these files. */
  repo(name: string, files: Readonly<Record<string, string>> = { "README.md": "# test\n" }): string {
    mkdirSync(this.path(name), { recursive: true });
    this.git(name, "init", "-q", "-b", "main");
    for (const [file, text] of Object.entries(files)) this.write(join(name, file), text);
    this.git(name, "add", "-A");
    this.git(name, "commit", "-q", "-m", "start");
    return this.path(name);
  }

  /** An agent: the body of an async function over `{ticket, attempt, heal, prompt, fs, say, wait, sh}`. */
  agent(body: string): string {
    return this.write(
      "agent.mjs",
      `import * as fs from "node:fs";
import { execFileSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
const ticket = process.env.LOOPDASH_TICKET, attempt = Number(process.env.LOOPDASH_ATTEMPT);
const heal = process.env.LOOPDASH_HEAL;
const prompt = fs.readFileSync(process.env.LOOPDASH_PROMPT, "utf8");
const say = (line) => console.log(line);
const sh = (...argv) => execFileSync(argv[0], argv.slice(1), { encoding: "utf8" });
${body}
`,
    );
  }

  /**
   * A batch over the repository `app` with plain tickets and without heals, unless `over` says otherwise. `ownFinish`: a finish line of
   * each ticket's own, whose checks do not run on the base before the first agent.
   */
  batch(tickets: readonly (string | Record<string, unknown>)[], over: Record<string, unknown> = {}): string {
    const { limits, ownFinish, ...rest } = over;
    const finish = ownFinish === undefined ? {} : { finish: ownFinish };
    const file = {
      name: "test",
      repos: { app: { path: "app" } },
      agent: { kind: "command", command: [process.execPath, "agent.mjs"] },
      sandbox: "off",
      limits: {
        workers: 3,
        attempts: 2,
        heals: 0,
        minutesPerAttempt: 1,
        silenceMinutes: 1,
        outageMinutes: 0.1,
        ...(limits as object),
      },
      live: { repeats: 0 },
      tickets: tickets.map((ticket) =>
        typeof ticket === "string"
          ? { id: ticket, title: `Do ${ticket}`, ...finish }
          : { title: `Do ${ticket.id}`, ...finish, ...ticket },
      ),
      ...rest,
    };
    return this.write("batch.json", JSON.stringify(file, undefined, 2));
  }

  /** Starts the program, by way of others that become it. It is killed with the stage. */
  start(args: readonly string[], env: Record<string, string> = {}, program = this.program, by: readonly string[] = []): Started {
    return this.execute([...by, process.execPath, program, ...args], env);
  }

  /** Starts a command line. It is killed with the stage. */
  execute([command = "", ...rest]: readonly string[], env: Record<string, string> = {}): Started {
    const child = spawn(command, rest, {
      cwd: this.root,
      env: { ...this.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.add(child);
    let stdout = "";
    let stderr = "";
    const watchers = new Set<() => void>();
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk;
      for (const look of watchers) look();
    });
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      stderr += chunk;
      for (const look of watchers) look();
    });
    const ended = new Promise<Ended>((settle, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => settle({ code, signal, stdout, stderr }));
    });
    const untilIn = (text: () => string, pattern: RegExp): Promise<void> =>
      new Promise((settle, reject) => {
        const give = (outcome: () => void): void => {
          watchers.delete(look);
          clearTimeout(timer);
          outcome();
        };
        const look = (): void => {
          if (pattern.test(text())) give(settle);
        };
        const timer = setTimeout(
          () => give(() => reject(new Error(`no ${pattern} within 180 s in:\n${stdout}\n${stderr}`))),
          180_000,
        );
        watchers.add(look);
        void ended.then(() =>
          pattern.test(text()) ? give(settle) : give(() => reject(new Error(`ended without ${pattern}:\n${stdout}\n${stderr}`))),
        );
        look();
      });
    const until = (pattern: RegExp) => untilIn(() => stdout, pattern);
    const untilError = (pattern: RegExp) => untilIn(() => stderr, pattern);
    return { child, ended, until, untilError, stdout: () => stdout };
  }

  run(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    return this.start(args, env).ended;
  }

  /** Runs a batch to its end, every event parsed. */
  async events(batch: string, ...args: string[]): Promise<Ended & { events: RunEvent[] }> {
    const ended = await this.run([batch, "--json", ...args]);
    return { ...ended, events: eventsOf(ended.stdout) };
  }

  async report(run?: string): Promise<RunReport> {
    const { stdout, stderr } = await this.run(["report", ...(run === undefined ? [] : [run]), "--json"]);
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout) as RunReport;
  }

  /** Ticket ids in the order in which they landed on main, from the trailers of the commits. */
  landed(repo = "app"): string[] {
    const format = "--format=%(trailers:key=Loopdash-Ticket,valueonly,separator=)";
    const out = this.git(repo, "log", "--reverse", format, "refs/heads/main");
    return out.split("\n").filter((id) => id !== "");
  }

  /** All that the program has kept in its home, as one text: what must never be kept is not in it. */
  everything(): string {
    const files = readdirSync(this.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files.map((entry) => textOf(join(entry.parentPath, entry.name))).join("\n");
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    for (const pid of pidsUnder(this.root)) kill(pid);
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The bytes of a file as text; empty if a program that still runs has removed it meanwhile. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw thrown;
  }
}

export function eventsOf(stdout: string): RunEvent[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RunEvent);
}

/** Processes whose environment names this stage: whatever a test left running. */
export function pidsUnder(root: string): number[] {
  const listed = execFileSync("ps", ["-eo", "pid="], { encoding: "utf8" }).split("\n");
  return listed.map(Number).filter((pid) => {
    if (!(pid > 1) || pid === process.pid) return false;
    const file = `/proc/${pid}/environ`;
    try {
      return existsSync(file) && readFileSync(file, "utf8").includes(`HOME=${root}`);
    } catch {
      // The process ended, or is another user's, between the listing and the look.
      return false;
    }
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** An agent that writes one file per ticket and stops. */
export const HONEST = `fs.writeFileSync(ticket + ".txt", "done\\n"); say("wrote " + ticket);`;
