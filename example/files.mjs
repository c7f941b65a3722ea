import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A script's file operations in its worktree. Part of a kit, whose `think` it uses. */
export function createFiles(cwd) {
  return {
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

    /** Replaces one piece of a file, which must occur exactly once. */
    async edit(path, from, to) {
      const text = await readFile(join(cwd, path), "utf8");
      if (text.split(from).length !== 2) throw new Error(`${path} does not hold the text to replace exactly once`);
      await writeFile(
        join(cwd, path),
        text.replace(from, () => to),
      );
      await this.think(`Edit ${path}`, 500);
    },

    /** True if the worktree has the file. */
    has: (path) =>
      access(join(cwd, path)).then(
        () => true,
        () => false,
      ),
  };
}
