import { z } from "zod";
import { OnFail, Remediations } from "./remedy-spec.ts";

const count = z.number().int().min(1).max(100_000);

function levels(warn: number, fail: number, what: string) {
  return z
    .strictObject({
      warn: count.default(warn).describe("The count from which it warns"),
      fail: count.default(fail).describe("The count from which it fails"),
    })
    .refine((both) => both.warn <= both.fail, "warn must not be more than fail")
    .prefault({})
    .describe(`${what}; default: ${warn}, ${fail}`);
}

/**
 * The thresholds of the behaviour gates. None is calibrated: there is no controlled study of such figures (S3.28). They follow those of
 * the Ouro Loop where it has one, and else leave an ordinary attempt below them in the recordings of test/corpora/behaviour/.
 */
export const BehaviourSpec = z.strictObject({
  // A wrong guess or two is how agents look around; `fail` is a guess.
  missing: levels(3, 8, "EXIST: files and texts that were not there"),
  // S3.9: drift-detector warns at 5 directories.
  folders: count.default(5).describe("RELEVANCE: top-level folders with edits at which it warns"),
  // S3.9: root-cause-tracker warns at 3 edits of a file and strongly at 5; here only edits after a failed command count.
  editsAfterFailure: levels(3, 5, "ROOT_CAUSE: edits of a file, each after a failed command"),
  // One compaction is what long work meets; after three the agent has its orders from a summary of a summary (S3.27).
  compactions: levels(1, 3, "RECALL: times that the context was shortened"),
  blockedAgain: levels(2, 4, "RECALL: rules broken again"),
  // S3.9: momentum-gate looks at 10 actions at a time and warns above three reads to a write; a whole repository takes more reading.
  idle: levels(20, 60, "MOMENTUM: actions in a row that change and run nothing"),
  // S3.18: three alike are stuck.
  repeats: levels(3, 6, "MOMENTUM: equal actions with equal results, with no change between"),
  onFail: OnFail.optional(),
  remediations: Remediations.optional(),
});
export type BehaviourSpec = z.infer<typeof BehaviourSpec>;

/** The thresholds of a batch, by default these. */
export function behaviourThresholds({ behaviour }: { readonly behaviour?: BehaviourSpec | undefined }): BehaviourSpec {
  return behaviour ?? DEFAULTS;
}

const DEFAULTS: BehaviourSpec = BehaviourSpec.parse({});
