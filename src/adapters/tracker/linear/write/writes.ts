import { LinearRefusal } from "../client/failures.ts";

/** Throws unless Linear says that a write succeeded. */
export function requireSuccess({ success }: { readonly success: unknown }): void {
  if (success !== true) throw new Error("Linear did not do what it was asked for, and gave no reason");
}

/**
 * Creates an object of a derived id. If Linear refuses it, it may be there already: the answer to an earlier request was lost, or a
 * reading was stale. Throws what Linear said if it is not.
 */
export async function createOnce(create: () => Promise<void>, isThere: () => Promise<boolean>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!(error instanceof LinearRefusal) || !(await isThere())) throw error;
  }
}
