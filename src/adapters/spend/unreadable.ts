import { plainText } from "../../domain/values/text.ts";

/** A log, or a folder of logs, that cannot be read for what it is: what it tells of is not known. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
  /** Whether it may be read in a moment: somebody is writing it, or has moved it. */
  readonly passes: boolean;

  constructor(path: string, why: string, { passes = false }: { readonly passes?: boolean } = {}) {
    super(`${plainText(path, 300)}: ${plainText(why, 200)}`);
    this.passes = passes;
  }
}

/** What a failed look at a file says. One that is gone was there a moment before. */
export function unreadable(path: string, cause: unknown): Unreadable {
  if (cause instanceof Unreadable) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = code === "" ? String(cause) : `it cannot be opened (${code})`;
  return new Unreadable(path, why, { passes: code === "ENOENT" });
}
