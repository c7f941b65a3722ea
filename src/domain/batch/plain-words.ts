import picomatch from "picomatch";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** The reason why a title, a path or an argument cannot be used, or undefined if it can. */
export function unfitForLine(text: string): string | undefined {
  if (CONTROL.test(text)) return "must hold no control characters (line breaks and tabs are such)";
  return text.isWellFormed() ? undefined : "must be whole Unicode: half of a surrogate pair stands in it";
}

/** The reason why a path of a folder cannot be used. Its existence is checked elsewhere. */
export function unfitForPath(path: string): string | undefined {
  if (path.startsWith("~")) return 'must be written out: "~" is not expanded';
  return unfitForLine(path);
}

/** The reason why a branch name cannot be used, by the rules of git check-ref-format. */
export function unfitForBase(base: string): string | undefined {
  const refused = /^[-/.]|[/.]$|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^@$|[\s~^:?*[\\]/.test(base);
  return unfitForLine(base) ?? (refused ? "must be the name of a branch, as git allows it" : undefined);
}

/** The reason why a pattern of protected paths cannot be used. Patterns are matched against paths within a repository. */
export function unfitForGlob(glob: string): string | undefined {
  const unfit = unfitForLine(glob);
  if (unfit !== undefined) return unfit;
  if (/^(?:[/\\]|[A-Za-z]:[/\\])/.test(glob)) return "must be relative to the repository, not absolute";
  if (glob.split(/[/\\{},()|]/).includes("..")) return 'must not contain "..": paths outside the repository are never touched';
  if (/^!(?!\()/.test(glob)) return 'must not start with "!": list what is protected, not what is free';
  try {
    picomatch(glob, { strictBrackets: true, dot: true });
    return undefined;
  } catch (error) {
    return `must be a glob pattern${error instanceof Error ? ` (${error.message})` : ""}`;
  }
}

/**
 * Names that every JavaScript object has from the start. Ids and resources are keys of plain objects in a run's state, in which
 * such a name would seem to exist already.
 */
export function isReserved(name: string): boolean {
  return name in Object.prototype;
}
