import type { TwinnedFile } from "../../../src/proof/twin.ts";
import { twinsFor } from "../../../src/proof/twins/twins-for.ts";
import { seeded } from "./seeded.ts";

/** The options of a twin that tests vary. */
interface Options {
  readonly seed?: number;
  readonly isPassing?: (name: string) => boolean;
  readonly most?: number;
  readonly isFirst?: boolean;
}

/** A text with twins of all its tests, unless told otherwise. */
export function twinned(
  runner: string,
  text: string,
  { seed = 1, isPassing = () => true, most = 99, isFirst = false }: Options = {},
) {
  return twinsFor(runner, { path: "a.test", text }, { draw: seeded(seed), isPassing, most, isFirst });
}

/** The lines of a file with twins that the original does not have. */
export function newLines(text: string, file: TwinnedFile | undefined): readonly string[] {
  const old = new Set(text.split("\n"));
  return (file?.text ?? "").split("\n").filter((line) => !old.has(line));
}
