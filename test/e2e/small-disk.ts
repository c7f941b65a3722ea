import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";

/** Room for a state folder with two small worktrees, and for little more. */
const SIZE = "size=48m,nr_inodes=4k,mode=700";

/** A small disk at a folder, and what a program is started by to see it there: nobody else does. Any user may make one. */
export class SmallDisk implements Disposable {
  readonly by: readonly string[];
  readonly #holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
    this.by = ["nsenter", "--target", String(holder.pid), "--user", "--mount", "--preserve-credentials", "--"];
  }

  static async at(folder: string): Promise<SmallDisk> {
    mkdirSync(folder);
    const namespace = ["--user", "--map-current-user", "--keep-caps", "--mount", "--propagation", "private", "--"];
    const script = 'mount -t tmpfs -o "$1" tmpfs "$2" && echo mounted && exec cat';
    const holder = spawn("unshare", [...namespace, "sh", "-c", script, "sh", SIZE, folder], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const said = await new Promise<string>((settle) => {
      holder.stdout.once("data", (chunk: Buffer) => settle(chunk.toString()));
      holder.once("close", (code) => settle(`it ended with ${code}`));
    });
    if (said !== "mounted\n") throw new Error(`no small disk could be mounted: ${said}`);
    return new SmallDisk(holder);
  }

  /** Runs a program that sees the disk. */
  exec(...argv: readonly string[]): void {
    const [program = "", ...args] = [...this.by, ...argv];
    execFileSync(program, args, { stdio: "ignore" });
  }

  [Symbol.dispose](): void {
    this.#holder.kill("SIGKILL");
  }
}
