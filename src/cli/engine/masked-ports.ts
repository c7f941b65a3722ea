import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Masker } from "@loopdash/model-gateway";
import { sumFile } from "../../adapters/file-sum.ts";
import type { LoopContext } from "../../loop/attempt/context.ts";
import type { Listing } from "../../ports/run-files.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { RunSecrets } from "./run-secrets.ts";

/** The ports through which text of a run is written. */
type WritingPorts = Pick<LoopContext, "audit" | "files" | "repos" | "report">;

/** The same ports, which mask secrets in facts, files and patches. */
export function maskedPorts(runSecrets: RunSecrets | undefined, { audit, files, repos, report }: WritingPorts): WritingPorts {
  if (runSecrets === undefined) return { audit, files, repos, report };
  const { masker } = runSecrets;
  const masked = ([name, repo]: readonly [string, Repo]): readonly [string, Repo] => [
    name,
    {
      ...repo,
      async writePatch(options) {
        await repo.writePatch(options);
        await maskFile(options.file, masker);
      },
    },
  ];
  return {
    audit: { append: (entry) => audit.append(masker.value(entry)), flush: () => audit.flush() },
    files: {
      ...files,
      write: (file, text) => files.write(file, masker.text(text)),
      writeWhole: (file, text) => files.writeWhole(file, masker.text(text)),
      list: async (folder, without) => withoutSecrets(await files.list(folder, without), folder, masker),
    },
    repos: new Map([...repos].map(masked)),
    report: (fact) => report(masker.value(fact)),
  };
}

/** The folder of an attempt that its agent writes, and nothing masks. */
const OUTBOX = "outbox/";

/**
 * A listing without the files of an agent that hold a secret, and without those that are named after one: an agent may have found one that
 * this program does not give it, and a list that is masked would name a file that is not there.
 */
async function withoutSecrets(listing: Listing, folder: string, masker: Masker): Promise<Listing> {
  const real = await realpath(folder);
  const whyNot = await Promise.all(
    listing.files.map(async ({ path }) => {
      if (masker.text(path) !== path) return "its name holds a secret";
      return path.startsWith(OUTBOX) && (await mayHoldSecret(join(real, path), masker)) ? "it holds a secret" : undefined;
    }),
  );
  const dropped = listing.files.flatMap(({ path }, i) => {
    const why = whyNot[i];
    return why === undefined ? [] : [{ path, why }];
  });
  return {
    files: listing.files.filter((_, i) => whyNot[i] === undefined),
    leftOut: [...listing.leftOut, ...dropped].map(({ path, why }) => ({ path: masker.text(path), why })),
  };
}

/** Also true if the file cannot be read to its end (law 4). */
async function mayHoldSecret(file: string, masker: Masker): Promise<boolean> {
  const stream = masker.stream();
  const read = createHash("sha256");
  const masked = createHash("sha256");
  const summed = await sumFile(file, {
    each: async (bytes) => {
      read.update(bytes);
      masked.update(stream.push(bytes));
    },
  });
  masked.update(stream.end());
  return summed?.ok !== true || read.digest("hex") !== masked.digest("hex");
}

async function maskFile(file: string, masker: Masker): Promise<void> {
  if (!existsSync(file)) return;
  const bytes = await readFile(file);
  const stream = masker.stream();
  const masked = Buffer.concat([stream.push(bytes), stream.end()]);
  if (!masked.equals(bytes)) await writeFile(file, masked);
}
