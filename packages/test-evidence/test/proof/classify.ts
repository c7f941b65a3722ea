import { type ChangedFile, type ClassifiedChange, classifyChange, isReadForProof } from "../../src/proof/code-under-test.ts";

/** Files by their paths; null takes one away. */
export type Files = Readonly<Record<string, string | null>>;

export interface Change {
  readonly command: readonly string[];
  readonly prepare?: readonly (readonly string[])[];
  readonly base: Readonly<Record<string, string>>;
  readonly change: Files;
  readonly modes?: Readonly<Record<string, ChangedFile["mode"]>>;
  readonly isRed?: boolean;
}

/** Sorts a change of files that are given as texts. */
export function classify({ command, prepare = [], base, change, modes = {}, isRed = false }: Change): ClassifiedChange {
  const files = Object.keys(base);
  const texts = new Map(Object.entries(base).filter(([path]) => isReadForProof(path)));
  const changed = Object.entries(change).map(([path, text]): ChangedFile => {
    const how = text === null ? "deleted" : Object.hasOwn(base, path) ? "modified" : "added";
    return { path, how, mode: modes[path] ?? "file", text: text ?? undefined };
  });
  return classifyChange({ command, prepare, base: { files, texts }, changed, isRed });
}

/** The kind of each changed path. */
export function kindsIn(change: Change): Readonly<Record<string, string>> {
  const { code, additions, judges, inert } = classify(change);
  const named = Object.entries({ code, additions, judges, inert });
  return Object.fromEntries(named.flatMap(([kind, paths]) => paths.map((path) => [path, kind])));
}
