import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import type { PrepareCommand } from "../../domain/batch/prepare-command.ts";
import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { TestRun } from "../../domain/evidence/results.ts";
import type { RunFiles } from "../../ports/run-files.ts";
import { orAborted } from "../concurrency/wait.ts";

type Check = Extract<StepSpec, { step: "check" }>;

type Files = Pick<RunFiles, "manifestPath" | "makeFolder" | "write" | "remove">;

/**
 * The result of a check's command on a base: tests, none at all, or an unreadable result. `hasFailed`: the command ran, and did not
 * end with exit code 0.
 */
export type Manifest =
  | { readonly as: "tests"; readonly run: TestRun }
  | { readonly as: "none"; readonly why: string; readonly hasFailed: boolean }
  | { readonly as: "unknown"; readonly why: string; readonly hasFailed?: true };

const Kept = z.object({
  exitCode: z.number().int(),
  tests: z.array(z.tuple([z.string(), z.enum(["passed", "failed", "skipped", "todo"])])),
});

/** Manifests that are kept: many times the number of bases of candidates under way. */
const MOST_KEPT = 256;

/** The key of one command's result on one commit. */
export function manifestKey({
  step,
  repo,
  commit,
  prepare,
}: {
  readonly repo: string;
  readonly commit: string;
  readonly step: Check;
  readonly prepare: readonly PrepareCommand[];
}): string {
  const { name, command, report } = step;
  return createHash("sha256")
    .update(JSON.stringify([repo, commit, name, command, report, prepare]))
    .digest("hex");
}

/**
 * The manifests of a run, each taken once per commit and command. They are files in the run's folder, and only those that this
 * engine wrote are trusted: it remembers the hash of each file, and takes a manifest again if the hash differs.
 */
export class Manifests {
  readonly #files: Files;
  readonly #sums = new Map<string, string>();
  readonly #taking = new Map<string, Promise<Manifest>>();

  constructor(files: Files) {
    this.#files = files;
  }

  /**
   * The manifest of this key: kept, being taken by another caller, or taken now by `measure`. A base without tests is measured
   * each time: an empty result is no proof that there are none. Throws the signal's reason, or what `measure` throws.
   */
  async take(key: string, measure: () => Promise<Manifest>, signal: AbortSignal): Promise<Manifest> {
    for (;;) {
      const kept = await this.#read(key);
      if (kept !== undefined) return { as: "tests", run: kept };
      const taking = this.#taking.get(key);
      if (taking === undefined) return this.#measure(key, measure);
      // The other caller may be cancelled or fail; then this caller takes it.
      const shared = await orAborted(taking, signal).catch(() => undefined);
      signal.throwIfAborted();
      if (shared !== undefined && shared.as !== "unknown") return shared;
    }
  }

  /** The manifest kept under a key; undefined if there is none, or no longer. */
  kept(key: string): Promise<TestRun | undefined> {
    return this.#read(key);
  }

  async #measure(key: string, measure: () => Promise<Manifest>): Promise<Manifest> {
    const taking = measure();
    this.#taking.set(key, taking);
    try {
      const manifest = await taking;
      if (manifest.as === "tests") await this.keep(key, manifest.run);
      return manifest;
    } finally {
      this.#taking.delete(key);
    }
  }

  /** Keeps a measurement. The result of a candidate is the manifest of the base that it becomes. */
  async keep(key: string, { exitCode, tests }: TestRun): Promise<void> {
    const file = this.#files.manifestPath(key);
    const text = JSON.stringify({ exitCode, tests: tests.map(({ id, outcome }) => [id, outcome]) });
    await this.#files.makeFolder(dirname(file));
    await this.#files.write(file, text);
    this.#touch(key, sum(text));
    const [oldest] = this.#sums.keys();
    if (this.#sums.size <= MOST_KEPT || oldest === undefined) return;
    this.#sums.delete(oldest);
    await this.#files.remove(this.#files.manifestPath(oldest));
  }

  /** Marks a hash as the last used. */
  #touch(key: string, text: string): void {
    this.#sums.delete(key);
    this.#sums.set(key, text);
  }

  async #read(key: string): Promise<TestRun | undefined> {
    const expected = this.#sums.get(key);
    if (expected === undefined) return undefined;
    const text = await readFile(this.#files.manifestPath(key), "utf8").catch(() => "");
    if (sum(text) !== expected) return undefined;
    this.#touch(key, expected);
    const { exitCode, tests } = Kept.parse(JSON.parse(text));
    return { exitCode, tests: tests.map(([id, outcome]) => ({ id, outcome })) };
  }
}

function sum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
