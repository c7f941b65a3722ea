import { createHash } from "node:crypto";
import { basename } from "node:path";
import { objectId } from "../git/ref-names.ts";
import { baseTip } from "./history.ts";
import type { Store } from "./store.ts";

/**
 * The identity of a repository across runs: the first commit of its base and the name of its folder, hashed. A clone in another
 * place keeps it, and a path alone would give it to whatever is put there later. The name distinguishes repositories that were made
 * from one template. Only first parents are followed, so that merging a foreign history changes nothing.
 */
export async function identityOf(store: Store): Promise<{ readonly key: string; readonly name: string }> {
  const args = ["rev-list", "--max-parents=0", "--first-parent", objectId(await baseTip(store))];
  const { status, stdout, stderr } = await store.tryContent(args);
  const root = stdout.trim().split("\n").at(-1) ?? "";
  if (status !== 0 || root === "") throw new Error(`the first commit of ${store.at.path} cannot be found: ${stderr}`);
  const name = basename(store.place).replace(/\.git$/, "");
  return { key: createHash("sha256").update(`${root}\n${name}`).digest("hex").slice(0, 32), name };
}
