import { join } from "node:path";
import type { Triage } from "@loopdash/triage";
import type { RunFiles } from "../../ports/run-files.ts";
import type { StepScope } from "../programs/scope.ts";

/** Keeps the triage of an attempt where people find it. */
export async function keepTriage(
  files: Pick<RunFiles, "write">,
  { files: { folder } }: Pick<StepScope, "files">,
  { json, priority, markdown }: Triage,
): Promise<void> {
  await files.write(join(folder, "triage.json"), `${JSON.stringify(json, undefined, 2)}\n`);
  await files.write(join(folder, "priority.json"), `${JSON.stringify(priority, undefined, 2)}\n`);
  await files.write(join(folder, "triage.md"), markdown);
}
