import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Batch } from "../../domain/batch/schema.ts";
import { TransientSpec } from "../../domain/batch/transient-spec.ts";
import { unfitForTransient } from "../../domain/transient.ts";
import { EXIT, UserError } from "../../domain/user-error.ts";
import { packageFiles } from "../package-files.ts";

/** The harness's own classes. `source`: whose words the pattern looks for. */
const HarnessTransients = z.strictObject({
  about: z.string(),
  classes: z.array(
    TransientSpec.extend({
      pattern: TransientSpec.shape.pattern.superRefine((pattern, check) => {
        const unfit = unfitForTransient(pattern);
        if (unfit !== undefined) check.addIssue(unfit);
      }),
      source: z.string().min(1),
    }),
  ),
});

/**
 * The classes of hiccups of a run: the batch's own, then those of the harness. Throws a UserError where the harness's file cannot
 * be used: a run without its classes would fail where it should not.
 */
export async function transientsOf(
  { transients = [] }: Pick<Batch, "transients">,
  file = join(packageFiles().prompts, "transients.json"),
): Promise<readonly TransientSpec[]> {
  const harness = HarnessTransients.safeParse(await readJson(file));
  if (!harness.success) throw unusable(file, z.prettifyError(harness.error));
  return [...transients, ...harness.data.classes.map(({ source: _, ...spec }) => spec)];
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw unusable(file, error instanceof Error ? error.message : String(error));
  }
}

function unusable(file: string, why: string): UserError {
  return new UserError({
    what: `the harness's classes of hiccups cannot be read from ${file}`,
    why,
    todo: "install loopdash anew, or put the file right",
    exitCode: EXIT.refused,
  });
}
