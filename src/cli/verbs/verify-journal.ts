import { existsSync, statSync } from "node:fs";
import { type Findings, findingLines } from "../../domain/bundle/findings.ts";
import { jsonText, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { archiveSource, type BundleSource, folderSource, recordsSource } from "../bundles/bundle-source.ts";
import { checkBundle } from "../bundles/check-bundle.ts";
import { describeChoice, lookUpRun, withStoreOpen } from "../find-run.ts";
import { writeAll, writeNote } from "../print.ts";

/** Checks the journal and the files of a run, an archive of one, or its unpacked folder. Exit 0 if all holds, else 1. */
export async function verifyJournal(name: string | undefined, isJson: boolean): Promise<number> {
  const findings = name !== undefined && isPath(name) ? await checkPath(name) : await checkRecorded(name);
  writeAll(1, isJson ? jsonText({ ok: findings.problems.length === 0, ...findings }, 2) : lines(findings));
  return findings.problems.length === 0 ? EXIT.done : EXIT.notDone;
}

function lines(findings: Findings): string {
  return findingLines(findings)
    .map((line) => `${plainText(line)}\n`)
    .join("");
}

/** A word with a slash or the ending of an archive is a path. No run has such a name. */
function isPath(name: string): boolean {
  return name.includes("/") || name.endsWith(".tar.gz") || name.endsWith(".tgz") || name === "." || name === "..";
}

async function checkRecorded(name: string | undefined): Promise<Findings> {
  const found = lookUpRun(name);
  writeNote(describeChoice(found));
  return withStoreOpen(async (store) => checkBundle(await recordsSource(found, store.rawJournal(found.row.run))));
}

async function checkPath(path: string): Promise<Findings> {
  const refuse = (why: string): UserError =>
    new UserError({
      what: `cannot check ${plainText(path, 300)}`,
      why,
      todo: "Give the .tar.gz of `loopdash report --bundle`, or the folder that it was unpacked to.",
      exitCode: EXIT.usage,
    });
  if (!existsSync(path)) throw refuse("there is nothing at this path");
  const source: BundleSource | string = statSync(path).isDirectory() ? await folderSource(path) : await archiveSource(path);
  if (typeof source === "string") throw refuse(source);
  return checkBundle(source);
}
