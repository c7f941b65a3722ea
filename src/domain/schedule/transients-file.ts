import { z } from "zod";
import { TransientSpec } from "../batch/transient-spec.ts";
import { errorMessage } from "../values/text.ts";
import { unfitForTransient } from "./transient.ts";

/** The harness's own classes. `source` names the program whose output the pattern matches. */
const TransientsFile = z.strictObject({
  about: z.string().max(2_000),
  classes: z
    .array(
      TransientSpec.extend({
        pattern: TransientSpec.shape.pattern.superRefine((pattern, check) => {
          const unfit = unfitForTransient(pattern);
          if (unfit !== undefined) check.addIssue(unfit);
        }),
        source: z.string().min(1).max(500),
      }),
    )
    .max(60),
});

/** Parses the classes of transients in a harness's transients.json, or gives the reason why it cannot. */
export function parseTransients(
  text: string,
): { readonly ok: true; readonly classes: readonly TransientSpec[] } | { readonly ok: false; readonly why: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { ok: false, why: errorMessage(error) };
  }
  const file = TransientsFile.safeParse(json);
  if (!file.success) return { ok: false, why: z.prettifyError(file.error) };
  return { ok: true, classes: file.data.classes.map(({ source: _, ...spec }) => spec) };
}
