import type { Candidate } from "../../ports/vcs.ts";
import type { StepPassed } from "./step.ts";

/** Times that a moving base is followed before the attempt fails. */
export const CHASES = 5;

/** A candidate that could be built. */
export type Built = Extract<Candidate, { ok: true }>;

/** A step that has landed this commit on the base. */
export type Landed = StepPassed & { readonly commit: string };
