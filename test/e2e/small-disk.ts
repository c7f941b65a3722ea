import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

type Holder = ChildProcessByStdio<Writable, Readable, null>;

/** Room for a state folder with two small worktrees, and for little more. */
const SIZE = "size=48m,nr_inodes=4k,mode=700";

/** The script of a holder: it mounts a small disk, and mounts it anew with another size when asked. The disk is there until it is killed. */
const HOLDER = `mount -t tmpfs -o "$1" tmpfs "$2" && echo mounted &&
  read -r size && mount -o "remount,size=$size" tmpfs "$2" && echo grown && exec cat`;

/** A small disk at a folder, and what a program is started by to see it there: nobody else does. Any user may make one. */
export class SmallDisk implements Disposable {
  readonly by: readonly string[];
  readonly #holder: Holder;

  private constructor(holder: Holder) {
    this.#holder = holder;
    this.by = ["nsenter", "--target", String(holder.pid), "--user", "--mount", "--preserve-credentials", "--"];
  }

  static async at(folder: string): Promise<SmallDisk> {
    mkdirSync(folder, { recursive: true });
    const namespace = ["--user", "--map-current-user", "--keep-caps", "--mount", "--propagation", "private", "--"];
    const holder = spawn("unshare", [...namespace, "sh", "-c", HOLDER, "sh", SIZE, folder], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const said = await nextWord(holder);
    if (said !== "mounted\n") throw new Error(`no small disk could be mounted: ${said}`);
    return new SmallDisk(holder);
  }

  /** Makes the disk larger, once. */
  async grow(size: `${number}m`): Promise<void> {
    const said = nextWord(this.#holder);
    this.#holder.stdin.write(`${size}\n`);
    if ((await said) !== "grown\n") throw new Error(`the small disk did not grow: ${await said}`);
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

/** The next words of a holder, or its end. */
function nextWord(holder: Holder): Promise<string> {
  return new Promise((settle) => {
    holder.stdout.once("data", (chunk: Buffer) => settle(chunk.toString()));
    holder.once("close", (code) => settle(`it ended with ${code}`));
  });
}
