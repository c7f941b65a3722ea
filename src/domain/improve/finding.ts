import { z } from "zod";
import { plainText } from "../values/text.ts";

export const FINDING_SEVERITIES = ["P0", "P1", "P2"] as const;

const line = (most: number) => z.string().trim().min(1).max(most);

/** A defect that a finder claims. */
export const Finding = z.strictObject({
  severity: z.enum(FINDING_SEVERITIES),
  /** The kind of defect in a few words. The file and the kind tell two findings apart. */
  kind: line(60),
  title: line(160),
  file: line(400),
  line: z.number().int().min(1),
  why: line(8000),
});
export type Finding = z.infer<typeof Finding>;

/** The answer of a finder: one finding, or that it has none. */
const Proposal = z.union([z.strictObject({ none: z.literal(true), why: line(2000) }), Finding]);
export type Proposal = z.infer<typeof Proposal>;

/** Reads a finder's file. Gives the reason if it is no answer. */
export function readProposal(text: string): Proposal | { readonly invalid: string } {
  try {
    const parsed = Proposal.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    return { invalid: plainText(`${issue?.path.join(".") ?? ""} ${issue?.message ?? "is no finding"}`, 200) };
  } catch (error) {
    if (error instanceof SyntaxError) return { invalid: "is not JSON" };
    throw error;
  }
}

/** The same for two findings of one kind at one place, wherever its line has moved to. */
export function findingKey({ file, kind }: Pick<Finding, "file" | "kind">): string {
  return JSON.stringify([
    file,
    kind
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim(),
  ]);
}
