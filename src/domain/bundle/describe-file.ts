/** Folders of an attempt that its bundle leaves out: a vendor's session, and logs of what runs after the attempt's end. */
export const LEFT_OUT = ["session", "later"] as const;

/** The files of an attempt's change, if a failed one's own patch is not there, and of its lines by file. */
export const CAPTURED_PATCH = "captured.patch";
export const CHANGE_STAT = "change.stat";

/** The entry of an attempt in its ticket's reflective log. */
export const REFLECTION = "reflection.json";

const NAMED: Readonly<Record<string, string>> = {
  "prompt.md": "prompt of the agent",
  "agent.log": "log of the agent",
  "change.patch": "change of the attempt, as a patch",
  [CAPTURED_PATCH]: "change of the attempt, as a patch",
  [CHANGE_STAT]: "changed lines by file",
  [REFLECTION]: "entry of the attempt in the reflective log",
  "fixers.log": "log of the repository's own formatters and linters",
  "candidate.patch": "candidate as the reviewer read it",
  "triage.json": "triage of the failed checks, for programs",
  "priority.json": "failures by identity, worst first",
  "triage.md": "triage of the failed checks",
  "bundle.md": "this list, for people",
};

/** By the beginning of the name and its ending. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/^outbox\//, "left by the agent in its outbox: claims"],
  [/^(?:review|adversary|adjudicate|plan)-.*\.md$/, "question to the reviewer"],
  [/^(?:review|adversary|adjudicate|plan)-.*\.json$/, "answer of the reviewer"],
  [/^(?:review|adversary|adjudicate|plan)-.*\.log$/, "log of the reviewer"],
  [/^check-.*\.log$/, "log of a check"],
  [/^verify-.*\.log$/, "log of a live check"],
  [/^prepare.*\.log$/, "log of prepare commands"],
  [/\.log$/, "log of a command"],
];

/** Describes a file of an attempt in words. `path` is relative to the attempt's folder. */
export function describeFile(path: string): string {
  const named = Object.hasOwn(NAMED, path) ? NAMED[path] : undefined;
  return named ?? PATTERNS.find(([pattern]) => pattern.test(path))?.[1] ?? "other file of the attempt";
}
