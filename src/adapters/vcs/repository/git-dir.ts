import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MAYBE_NO_TEXT } from "../../../domain/complexity/path-kinds.ts";

export type ObjectFormat = "sha1" | "sha256";

/**
 * Makes a minimal git folder by hand, like `git init --template=` but without the cost of a process: HEAD, config, refs and
 * objects (gitrepository-layout(5)). Its configuration names no program, and it has no hooks.
 */
export async function makeGitDir(options: {
  readonly dir: string;
  /** A commit (HEAD is detached there), or undefined for none. */
  readonly head: string | undefined;
  readonly format: ObjectFormat;
  readonly bare: boolean;
  /** Object folders of other repositories that this one only reads. */
  readonly borrowed: readonly string[];
}): Promise<void> {
  await mkdir(join(options.dir, "objects", "info"), { recursive: true, mode: 0o700 });
  const files = [
    mkdir(join(options.dir, "refs")),
    writeHead(options.dir, options.head),
    writeFile(join(options.dir, "config"), configText(options.format, options.bare)),
  ];
  if (options.borrowed.length > 0) {
    const lines = options.borrowed.map((dir) => `${alternateLine(dir)}\n`).join("");
    files.push(writeFile(join(options.dir, "objects", "info", "alternates"), lines));
  }
  await Promise.all(files);
}

/**
 * Lets git take every file for text in its diffs and counts, whatever bytes it holds: the attributes of a git folder outrank those of a
 * change (gitattributes(5)). The content decides only if the name may be that of no text.
 */
export async function writeDiffRules(dir: string): Promise<void> {
  const anyCase = (extension: string) => extension.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
  const lines = ["* diff", ...MAYBE_NO_TEXT.map((extension) => `*.${anyCase(extension)} !diff`)];
  await mkdir(join(dir, "info"));
  await writeFile(join(dir, "info", "attributes"), `${lines.join("\n")}\n`);
}

/** Points HEAD at a commit, or at nothing. */
export async function writeHead(dir: string, commit: string | undefined): Promise<void> {
  await writeFile(join(dir, "HEAD"), `${commit ?? "ref: refs/heads/none"}\n`);
}

function configText(format: ObjectFormat, bare: boolean): string {
  const core = (version: number) => `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = ${bare}\n`;
  return format === "sha1" ? core(0) : `${core(1)}[extensions]\n\tobjectformat = sha256\n`;
}

/** One line of objects/info/alternates: git unquotes a line that starts with a double quote, C style. */
function alternateLine(dir: string): string {
  if (!/^["#]|\n/.test(dir)) return dir;
  return `"${dir.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
