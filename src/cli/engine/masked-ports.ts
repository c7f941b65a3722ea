import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import type { LoopContext } from "../../loop/attempt/context.ts";
import type { Masker } from "../../ports/secrets.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { RunSecrets } from "./run-secrets.ts";

/** The ports through which text of a run is written. */
type WritingPorts = Pick<LoopContext, "files" | "repos" | "report">;

/** The same ports, which mask secrets in facts, files and patches. */
export function maskedPorts(runSecrets: RunSecrets | undefined, { files, repos, report }: WritingPorts): WritingPorts {
  if (runSecrets === undefined) return { files, repos, report };
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
    files: { ...files, write: (file, text) => files.write(file, masker.text(text)) },
    repos: new Map([...repos].map(masked)),
    report: (fact) => report(masker.value(fact)),
  };
}

async function maskFile(file: string, masker: Masker): Promise<void> {
  if (!existsSync(file)) return;
  const bytes = await readFile(file);
  const stream = masker.stream();
  const masked = Buffer.concat([stream.push(bytes), stream.end()]);
  if (!masked.equals(bytes)) await writeFile(file, masked);
}
