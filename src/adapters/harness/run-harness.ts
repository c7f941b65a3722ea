import { access, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { TransientSpec } from "../../domain/batch/transient-spec.ts";
import type { HarnessFile, HarnessPath, HarnessTool } from "../../domain/run/heal-fact.ts";
import type { RepoId } from "../../domain/values/ids.ts";
import { hasErrorCode, plainText } from "../../domain/values/text.ts";
import type { Harness, HarnessTexts, OfferedTools } from "../../ports/harness.ts";
import {
  changedFiles,
  fillHarness,
  type HarnessChange,
  readChanges,
  readHarness,
  readHarnessFile,
  readTools,
  TOOLS,
  withChange,
  writeChange,
  writeHarness,
} from "./harness-folder.ts";

export interface RunHarnessOptions {
  readonly run: string;
  /** The repositories of the run. */
  readonly repos: readonly RepoId[];
  /** The run's own harnesses: `<repository>/0` is the one that it began with, `<repository>/<n>` the result of its n-th heal. */
  readonly folder: string;
  /** The harness of this machine: files of people, and the records of heals. It need not exist. */
  readonly home: string;
  /** The harness that ships, known to be valid. */
  readonly shipped: HarnessTexts;
  /** The heal whose harness is in use on a repository, by the journal; 0 before the first. */
  readonly version: (repo: RepoId) => number;
  /** The identity of a repository across runs, and its name for people. */
  readonly identity: (repo: RepoId) => Promise<{ readonly key: string; readonly name: string }>;
  /** The reason why a text cannot be this file; undefined if it can. */
  readonly unfit: (path: HarnessPath, text: string) => string | undefined;
  readonly classesOf: (text: string) => readonly TransientSpec[];
  /** Receives each unusable file's problem once. */
  readonly warn: (problem: string) => void;
}

/** Opens the harness of a run. A new one starts from the machine's, or from the one that ships, with the changes kept for it. */
export async function openRunHarness(options: RunHarnessOptions): Promise<Harness> {
  const { folder } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const reader = new Reader(options);
  const versionFolder = (repo: RepoId, n: number) => join(folder, repo, String(n));
  const current = (repo: RepoId) => versionFolder(repo, options.version(repo));
  await begin(options, reader, (repo) => versionFolder(repo, 0));
  return {
    worker: (repo) => reader.text(current(repo), "worker.md"),
    hints: (repo) => reader.text(current(repo), "hints.md"),
    transients: async (repo) => options.classesOf(await reader.text(current(repo), "transients.json")),
    tools: async (repo) => offered(current(repo), await reader.tools(current(repo))),
    async layOut(to, { repo, version }) {
      const texts = await reader.texts(versionFolder(repo, version));
      await fillHarness(to, texts);
      return texts;
    },
    read: readHarness,
    write: (n, { repo, texts }) => writeHarness(versionFolder(repo, n), texts),
    async keep({ base, repo, ...heal }) {
      const id = `${options.run}-${heal.n}`;
      const { changes } = await readChanges(options.home);
      // A person may have decided on it since.
      if (changes.some((change) => change.id === id)) return;
      const [before, after] = [await reader.texts(versionFolder(repo, base)), await reader.texts(versionFolder(repo, heal.n))];
      const { prediction, moved, ...rest } = heal;
      const lists = { prediction: [...prediction], moved: [...moved], files: changedFiles(before, after) };
      await writeChange(options.home, { ...rest, ...lists, id, run: options.run, repository: await options.identity(repo) });
    },
  };
}

/** Writes the first harness of each repository, unless an earlier engine has. */
async function begin(options: RunHarnessOptions, reader: Reader, first: (repo: RepoId) => string): Promise<void> {
  const missing: RepoId[] = [];
  for (const repo of options.repos) if (!(await exists(first(repo)))) missing.push(repo);
  if (missing.length === 0) return;
  const own = await reader.texts(options.home, "home");
  const { changes, unreadable } = await readChanges(options.home);
  for (const { file, why } of unreadable) options.warn(`the harness's record ${plainText(file)} cannot be used: ${why}`);
  for (const repo of missing) await writeHarness(first(repo), await withKept(options, own, { repo, changes }));
}

/** The machine's harness with the changes that runs on this repository begin with. One that no longer fits is left out. */
async function withKept(
  { identity, unfit, warn }: RunHarnessOptions,
  own: HarnessTexts,
  { repo, changes }: { readonly repo: RepoId; readonly changes: readonly HarnessChange[] },
): Promise<HarnessTexts> {
  const kept = changes.filter(({ state }) => state === "kept" || state === "everywhere");
  if (kept.length === 0) return own;
  const { key } = await identity(repo);
  let texts = own;
  for (const change of kept) {
    // Its text may come from agents of that repository, so it reaches no other one unless a person says so.
    if (change.state === "kept" && change.repository.key !== key) continue;
    const next = withChange(texts, change, unfit);
    if (next.ok) texts = next.texts;
    else warn(`the kept change ${plainText(change.id)} of the harness is left out: ${plainText(next.why, 300)}`);
  }
  return texts;
}

/** Characters of a script's first comment. */
const ABOUT_CHARS = 120;

function offered(folder: string, tools: Readonly<Record<HarnessTool, string>>): OfferedTools | undefined {
  const all = Object.entries(tools).map(([path, text]) => {
    const comment = text.split("\n").find((line, i) => i > 0 && /^\s*(?:#|\/\/)\s*\S/.test(line)) ?? "";
    return { name: path.slice(TOOLS.length + 1), about: plainText(comment.replace(/^\s*(?:#|\/\/)\s*/, ""), ABOUT_CHARS).trim() };
  });
  return all.length === 0 ? undefined : { folder: join(folder, TOOLS), tools: all };
}

/** Reads usable files, and the shipped ones in place of the others. */
class Reader {
  readonly #options: RunHarnessOptions;
  readonly #warned = new Set<string>();

  constructor(options: RunHarnessOptions) {
    this.#options = options;
  }

  /** `home`: the machine's harness, which may lack any file. */
  async text(folder: string, file: HarnessFile, home?: "home"): Promise<string> {
    const read = await readHarnessFile(folder, file).catch((error: unknown) => ({ ok: false as const, why: String(error) }));
    if (read === undefined && home !== undefined) return this.#options.shipped[file];
    const why = read?.ok === true ? this.#options.unfit(file, read.text) : (read?.why ?? "is gone");
    if (read?.ok === true && why === undefined) return read.text;
    this.#warn(plainText(`the harness's ${join(folder, file)} cannot be used, the one that ships is: ${why}`, 500));
    return this.#options.shipped[file];
  }

  /** The scripts; none if one of them cannot be used. */
  async tools(folder: string): Promise<Readonly<Record<HarnessTool, string>>> {
    const place = await realpath(folder).catch((error: unknown) => {
      if (hasErrorCode(error, "ENOENT")) return undefined;
      throw error;
    });
    if (place === undefined) return {};
    const read = await readTools(place);
    const unfit = read.ok ? this.#unfitTool(read.tools) : read.why;
    if (read.ok && unfit === undefined) return read.tools;
    this.#warn(plainText(`no script of ${join(folder, TOOLS)} is offered: ${unfit}`, 500));
    return {};
  }

  async texts(folder: string, home?: "home"): Promise<HarnessTexts> {
    const read = (file: HarnessFile) => this.text(folder, file, home);
    return {
      "worker.md": await read("worker.md"),
      "hints.md": await read("hints.md"),
      "transients.json": await read("transients.json"),
      ...(await this.tools(folder)),
    };
  }

  #unfitTool(tools: Readonly<Record<HarnessTool, string>>): string | undefined {
    for (const [path, text] of Object.entries(tools) as [HarnessTool, string][]) {
      const why = this.#options.unfit(path, text);
      if (why !== undefined) return `${path} ${why}`;
    }
    return undefined;
  }

  #warn(problem: string): void {
    if (this.#warned.has(problem)) return;
    this.#warned.add(problem);
    this.#options.warn(problem);
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
