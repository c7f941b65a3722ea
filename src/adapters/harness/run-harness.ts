import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TransientSpec } from "../../domain/batch/transient-spec.ts";
import { HARNESS_FILES, type HarnessFile } from "../../domain/run/heal-fact.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Harness, HarnessTexts } from "../../ports/harness.ts";
import { fillHarness, readHarness, readHarnessFile, replaceFile, writeHarness } from "./harness-folder.ts";

export interface RunHarnessOptions {
  readonly run: string;
  /** The run's own harnesses, one folder each: `0` is the one that it began with, `n` the result of its n-th heal. */
  readonly folder: string;
  /** The harness of this machine, which accepted heals change; it need not exist. */
  readonly home: string;
  /** The harness that ships, known to be valid. */
  readonly shipped: HarnessTexts;
  /** The heal whose harness is in use, by the journal. */
  readonly version: () => number;
  /** The reason why a text cannot be this file; undefined if it can. */
  readonly unfit: (file: HarnessFile, text: string) => string | undefined;
  readonly classesOf: (text: string) => readonly TransientSpec[];
  /** Receives each unusable file's problem once. */
  readonly warn: (problem: string) => void;
}

/** Opens the harness of a run. A new one starts from the machine's, or from the one that ships. */
export async function openRunHarness(options: RunHarnessOptions): Promise<Harness> {
  const first = join(options.folder, "0");
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const reader = new Reader(options);
  if (!(await exists(first))) await writeHarness(first, await reader.texts(options.home, "home"));
  const current = () => join(options.folder, String(options.version()));
  return {
    worker: () => reader.text(current(), "worker.md"),
    hints: () => reader.text(current(), "hints.md"),
    transients: async () => options.classesOf(await reader.text(current(), "transients.json")),
    async layOut(folder) {
      const texts = await reader.texts(current());
      await fillHarness(folder, texts);
      return texts;
    },
    read: readHarness,
    write: (n, texts) => writeHarness(join(options.folder, String(n)), texts),
    keep: () => keep(options, reader),
  };
}

/** Reads usable files, and the shipped ones in place of the others. */
class Reader {
  readonly #of: RunHarnessOptions;
  readonly #warned = new Set<string>();

  constructor(options: RunHarnessOptions) {
    this.#of = options;
  }

  /** `home`: the machine's harness, which may lack any file. */
  async text(folder: string, file: HarnessFile, home?: "home"): Promise<string> {
    const read = await readHarnessFile(folder, file).catch((error: unknown) => ({ ok: false as const, why: String(error) }));
    if (read === undefined && home !== undefined) return this.#of.shipped[file];
    const why = read?.ok === true ? this.#of.unfit(file, read.text) : (read?.why ?? "is gone");
    if (read?.ok === true && why === undefined) return read.text;
    this.#warn(plainText(`the harness's ${join(folder, file)} cannot be used, the one that ships is: ${why}`, 500));
    return this.#of.shipped[file];
  }

  async texts(folder: string, home?: "home"): Promise<HarnessTexts> {
    const read = (file: HarnessFile) => this.text(folder, file, home);
    return {
      "worker.md": await read("worker.md"),
      "hints.md": await read("hints.md"),
      "transients.json": await read("transients.json"),
    };
  }

  #warn(problem: string): void {
    if (this.#warned.has(problem)) return;
    this.#warned.add(problem);
    this.#of.warn(problem);
  }
}

/**
 * Copies the files that the run's heals have changed into the machine's harness. The run's own folder records it, so that a run
 * which is resumed later does not undo another run's change.
 */
async function keep(options: RunHarnessOptions, reader: Reader): Promise<void> {
  const version = options.version();
  const note = join(options.folder, `kept-${version}`);
  if (version === 0 || (await exists(note))) return;
  const [first, now, home] = [
    await reader.texts(join(options.folder, "0")),
    await reader.texts(join(options.folder, String(version))),
    await reader.texts(options.home, "home"),
  ];
  const before = join(options.home, `before-${options.run}-${version}`);
  await mkdir(options.home, { recursive: true, mode: 0o700 });
  // If an earlier engine began this and was lost, half of the files may be there by now.
  if (!(await exists(before))) await writeHarness(before, home);
  for (const file of HARNESS_FILES) if (now[file] !== first[file]) await replaceFile(options.home, file, now[file]);
  await writeFile(note, "", { mode: 0o600 });
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
