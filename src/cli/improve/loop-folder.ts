import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Iteration, LoopState } from "../../domain/improve/loop-state.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { StateHome } from "../state-home.ts";
import { writeWhole } from "../write-whole.ts";

/** The folder of a goal's loop, beside the runs: its record, what people have told, and a folder for each iteration. */
export class LoopFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The folder of the loop by this goal file. */
  static of({ root }: StateHome, goalPath: string): LoopFolder {
    return new LoopFolder(join(root, "improve", createHash("sha256").update(goalPath).digest("hex").slice(0, 16)));
  }

  /** An empty folder for a rehearsal, in the place of the last one. */
  rehearsal(now: number): LoopFolder {
    const all = join(this.path, "rehearsal");
    rmSync(all, { recursive: true, force: true });
    return new LoopFolder(join(all, String(now)));
  }

  get #state(): string {
    return join(this.path, "loop.json");
  }

  get #inbox(): string {
    return join(this.path, "told");
  }

  /** The Markdown log of the loop. */
  get log(): string {
    return join(this.path, "log.md");
  }

  /** The folder of an iteration. Its name is never used again: a batch file's path is what its runs are found by. */
  iteration({ n, at }: Pick<Iteration, "n" | "at">): string {
    return join(this.path, `${String(n).padStart(4, "0")}-${at.toString(36)}`);
  }

  /** The record; undefined before the first iteration. Throws a UserError (exit 3) if it cannot be read: nothing is repeated on a guess. */
  read(): LoopState | undefined {
    if (!existsSync(this.#state)) return undefined;
    try {
      return LoopState.parse(JSON.parse(readFileSync(this.#state, "utf8")));
    } catch (cause) {
      const why = `${plainText(this.#state, 300)} was changed or damaged`;
      const todo = "Move the folder away to begin anew; the runs of its iterations are kept.";
      throw new UserError({ what: "the record of this loop cannot be read", why, todo, exitCode: EXIT.unjudged, cause });
    }
  }

  write(state: LoopState): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    writeWhole(this.#state, `${JSON.stringify(state, undefined, 2)}\n`);
  }

  /** Keeps what a person tells the loop. */
  tell(text: string): void {
    mkdirSync(this.#inbox, { recursive: true, mode: 0o700 });
    writeWhole(join(this.#inbox, `${Date.now()}-${process.pid}.txt`), text);
  }

  /** The texts that people have told the loop and no iteration has taken, the oldest first. */
  told(): readonly string[] {
    return this.#toldFiles().map(({ text }) => text);
  }

  /** Removes texts that an iteration has on record. Safe to repeat. */
  forget(taken: readonly string[]): void {
    for (const { file, text } of this.#toldFiles()) if (taken.includes(text)) rmSync(file, { force: true });
  }

  #toldFiles(): readonly { readonly file: string; readonly text: string }[] {
    if (!existsSync(this.#inbox)) return [];
    const names = readdirSync(this.#inbox).filter((name) => name.endsWith(".txt"));
    return names.toSorted().map((name) => {
      const file = join(this.#inbox, name);
      return { file, text: plainText(readFileSync(file, "utf8"), 2000) };
    });
  }
}
