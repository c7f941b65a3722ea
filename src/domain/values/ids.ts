import { z } from "zod";

/**
 * A ticket id becomes a branch name, a folder name and an environment value, so only names that are safe in all three are allowed
 * (git check-ref-format; no shell or path meaning).
 */
const SAFE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.))*$/;

/** The reason why `name` cannot be used as an id, or undefined if it can. At most 64 characters. */
export function unfitForBranch(name: string): string | undefined {
  if (name.length === 0) return "it is empty";
  if (name.length > 64) return "it is longer than 64 characters";
  if (!SAFE_NAME.test(name)) {
    return "only letters, digits, '-', '_' and single dots are allowed, and it must start with a letter or digit";
  }
  if (name.endsWith(".") || name.toLowerCase().endsWith(".lock")) return "git refuses branch names that end like this";
  return undefined;
}

const safeName = z.string().superRefine((name, ctx) => {
  const reason = unfitForBranch(name);
  if (reason !== undefined) ctx.addIssue({ code: "custom", message: `"${name}" cannot name a branch: ${reason}` });
});

/** Names a ticket within its batch and its tracker. */
export const TicketId = safeName.brand<"TicketId">();
export type TicketId = z.infer<typeof TicketId>;

/** Names a repository of the batch (the key under `repos`). */
export const RepoId = safeName.brand<"RepoId">();
export type RepoId = z.infer<typeof RepoId>;

/** Names one run permanently: `<batch name>-<yyyymmdd>-<random>`. */
export const RunId = safeName.brand<"RunId">();
export type RunId = z.infer<typeof RunId>;

/** Fencing token of one attempt. It grows by one with each claim of a run. A report with an old fence is late and is dropped. */
export const Fence = z.number().int().positive().brand<"Fence">();
export type Fence = z.infer<typeof Fence>;

/** Names an attempt. The engine drops facts with the fence of an earlier one. */
export interface AttemptRef {
  readonly ticket: TicketId;
  readonly fence: Fence;
}
