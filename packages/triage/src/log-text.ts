import { plainText, readJson } from "@loopdash/values";

/** The longest text that is read, of a log as of a report; of a longer one, the beginning and the end. Characters. */
const MAX_TEXT = 4 * 1024 * 1024;
const KEPT_HEAD = 512 * 1024;
/** Lines that are read, and characters of one. Patterns see no longer line. */
const MAX_LINES = 60_000;
const HEAD_LINES = 10_000;
export const LINE_CHARS = 1_000;
/** The longest line that is read as JSON: a diagnostic of rustc has its explanation in it. */
const JSON_LINE_CHARS = 128 * 1024;

/** A log in lines. */
export interface LogText {
  /** Plain, cut, without the marks of the service that kept them. */
  readonly lines: readonly string[];
  /** The values of lines that are JSON, in order. */
  readonly json: readonly unknown[];
}

/** A text cut to what is read, in its middle. */
export function boundedText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, KEPT_HEAD)}\n${text.slice(KEPT_HEAD - MAX_TEXT)}`;
}

/** The lines of a log. Linear in its length, and bounded. */
export function readLog(text: string): LogText {
  const all = boundedText(text).split(/\r\n|[\n\r]/);
  const raw = all.length <= MAX_LINES ? all : [...all.slice(0, HEAD_LINES), ...all.slice(HEAD_LINES - MAX_LINES)];
  const bare = raw.map(withoutStamp);
  return {
    lines: withoutLabels(bare.map((line) => plainText(line.slice(0, LINE_CHARS)).trimEnd())),
    json: bare.flatMap((line) => (isJsonLine(line) ? jsonValues(line) : [])),
  };
}

function isJsonLine(line: string): boolean {
  return line.length <= JSON_LINE_CHARS && (line.startsWith("{") || line.startsWith("[{"));
}

/** The job and step before a line in `gh run view --log`, and GitHub's time stamp. */
const STAMP = /^(?:\ufeff|[^\t]{1,200}\t[^\t]{1,200}\t\ufeff?)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z /;

function withoutStamp(line: string): string {
  const stamp = STAMP.exec(line)?.[0];
  return stamp === undefined ? line : line.slice(stamp.length);
}

/**
 * A command as it is begun by what runs several side by side, with its name before each line: `[unit] > tape t.js`, `@a/b:test: > vitest`,
 * `web-1  | > node .`, and pnpm's `packages/a test$ mocha`. Or the traceback of a program whose every line another one marks.
 */
const STARTED =
  /^(?:([^\s>][^>]{0,100}[\]:|]) > [^\s\d]|([^\s>][^>|]{0,100}[>|]) Traceback \(|([\w@./-]{1,100} [\w:.-]{1,60})\$ \S)/;
const MOST_LABELS = 50;

/** Lines without the names of the commands that ran side by side. */
function withoutLabels(lines: readonly string[]): readonly string[] {
  const started = lines.flatMap((line) => {
    const [, command, program, script] = STARTED.exec(line) ?? [];
    return command ?? program ?? (script === undefined ? [] : `${script}:`);
  });
  const labels = [...new Set(started)].slice(0, MOST_LABELS);
  if (labels.length === 0) return lines;
  return lines.map((line) => {
    const label = labels.find((each) => line === each || line.startsWith(`${each} `));
    return label === undefined ? line : line.slice(label.length + 1);
  });
}

/** A text as JSON: a list of its one value, or empty if it is none. */
export function jsonValues(text: string): readonly unknown[] {
  try {
    return [readJson(text)];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
