/** Expressions for the home folder, in the languages whose one-liners the guard reads. */
const HOME_SOURCE = [
  String.raw`(?:pathlib\.)?Path\.home\(\)`,
  String.raw`(?:os\.path\.)?expanduser\(\s*["']~["']\s*\)`,
  String.raw`(?:require\(\s*["'](?:node:)?os["']\s*\)|\bos|\bSystem)\.homedir\(\)`,
  String.raw`(?:Dir|File)\.home\b(?:\(\))?`,
  String.raw`(?:\bos\.|process\.)?env(?:iron)?(?:\.get\(\s*["']HOME["']\s*\)|\[\s*["']HOME["']\s*\]|\.HOME\b)`,
  String.raw`\bENV(?:\[\s*["']HOME["']\s*\]|\.fetch\(\s*["']HOME["']\s*\))`,
  String.raw`\$ENV\{\s*["']?HOME["']?\s*\}`,
  String.raw`\$_(?:SERVER|ENV)\[\s*["']?HOME["']?\s*\]`,
  String.raw`(?:\bos\.|\bSystem\.)?getenv\(\s*["']HOME["']\s*\)`,
  String.raw`\b(?:Deno\.env\.get|Sys\.getenv|System\.get_env|System\.getenv)\(\s*["']HOME["']\s*\)`,
  String.raw`\bSystem\.getProperty\(\s*["']user\.home["']\s*\)`,
  String.raw`\bhomedir\(\)`,
  String.raw`\bSystem\.user_home!?(?:\(\))?`,
].join("|");
const HOME_INSIDE = new RegExp(
  String.raw`[$#]?\{\s*(?:${HOME_SOURCE})\s*\}|\$ENV\{["']?HOME["']?\}(?=\/)|\$(?:env:)?HOME(?=\/)`,
  "g",
);
const HOME = new RegExp(HOME_SOURCE, "g");

const TEXT = String.raw`(?:"[^"\\\n$]*"|'[^'\\\n]*')`;
/** Two strings that are joined to one. */
const SUM = new RegExp(String.raw`(${TEXT})\s*(?:\+|\.{1,2}|<>)\s*(${TEXT})`);
/** A path that is joined with a name: `Path(a) / b`, `a / b`. */
const DIVISION = new RegExp(String.raw`(?:(?:pathlib\.)?\bPath\(\s*(${TEXT})\s*\)|(${TEXT}))\s*\/\s*(${TEXT})`);
/** A call that joins strings to a path. */
const JOIN = new RegExp(
  String.raw`(?:\bos\.path\.join|\bpath\.join|\bpath\.resolve|require\(\s*["'](?:node:)?path["']\s*\)\.(?:join|resolve)|\bFile\.join|\bjoinpath|\bfile\.path|\bPath\.join|\bjoin|\bPath|\bPaths\.get)\(\s*((?:${TEXT}\s*,\s*)+${TEXT})\s*\)`,
);
/** A list of strings that is joined. */
const LIST_JOIN = new RegExp(
  String.raw`(?:(${TEXT})\.join\(\s*[[(]\s*((?:${TEXT}\s*,\s*)*${TEXT})\s*[\])]\s*\)|\[\s*((?:${TEXT}\s*,\s*)*${TEXT})\s*\]\.join\(?\s*(${TEXT})?\s*\)?)`,
);
/** A string that is turned round. */
const REVERSED = new RegExp(
  String.raw`(${TEXT})\s*(?:\[::-1\]|\.split\(\s*(?:""|'')\s*\)\.reverse\(\)\.join\(\s*(?:""|'')\s*\)|\.reverse\b(?!\())`,
);
const EACH_TEXT = new RegExp(TEXT, "g");
/** Joins in one piece of code; more are left as they are. */
const MOST_FOLDS = 64;
/** Code that is longer is not folded: it is a program, and no one-liner. */
const LONGEST_FOLDED = 20_000;

/** Code with its home folders and joined strings worked out: `Path.home() / "a"` becomes `"/home/dev/a"`. */
export function foldCode(code: string, home: string): string {
  if (code.length > LONGEST_FOLDED) return code;
  let folded = code.replace(HOME_INSIDE, () => home).replace(HOME, () => JSON.stringify(home));
  for (let count = 0; count < MOST_FOLDS; count++) {
    const next = foldOnce(folded);
    if (next === folded) break;
    folded = next;
  }
  return folded;
}

function foldOnce(code: string): string {
  return code
    .replace(REVERSED, (_, text: string) => quoted([...bare(text)].reverse().join("")))
    .replace(JOIN, (_, texts: string) => quoted(textsIn(texts).reduce(joinPaths)))
    .replace(LIST_JOIN, (_, before?: string, tuple?: string, list?: string, between?: string) =>
      quoted(textsIn(tuple ?? list ?? "").join(bare(before ?? between ?? '""'))),
    )
    .replace(DIVISION, (_, inPath: string | undefined, plain: string | undefined, name: string) =>
      quoted(joinPaths(bare(inPath ?? plain ?? '""'), bare(name))),
    )
    .replace(SUM, (_, first: string, second: string) => quoted(bare(first) + bare(second)));
}

function textsIn(list: string): readonly string[] {
  return [...list.matchAll(EACH_TEXT)].map(([text]) => bare(text));
}

function joinPaths(first: string, second: string): string {
  return second.startsWith("/") ? second : `${first.replace(/\/$/, "")}/${second}`;
}

function bare(text: string): string {
  return text.slice(1, -1);
}

function quoted(text: string): string {
  return text.includes('"') ? `'${text.replaceAll("'", "")}'` : `"${text}"`;
}
