/** Files and folders (with a slash at the end) whose regular expressions may take more than linear time, each with its reason. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  "components/terminal/frame-diff.ts": "a copy with another flag of one that is checked",
  "packages/model-gateway/src/server/models/platform-routes.ts":
    "anchored, with names of models that are escaped; paths of at most 16 KiB (Node's limit for headers)",
  "packages/model-gateway/src/server/models/routes.ts":
    "anchored, and every repetition but one is bounded; paths of at most 16 KiB (Node's limit for headers)",
  "packages/model-gateway/src/server/prices/prices.ts": "a pattern of the price table or of the batch, on the name of a model",
  "src/adapters/sandbox/bubblewrap/starter.ts": "files of the kernel, in /proc",
  "src/adapters/tracker/github/marks.ts": "made of a mark of our own and one bounded class",
  "src/adapters/tracker/github/read/text-blockers.ts":
    "an open block reaches to the end of the text at once, and no later line begins another",
  "src/adapters/vcs/git/bounded-shell.ts": "our own word and three digits",
  "src/cli/args.ts": "the words of the person who started it",
  "src/domain/batch/api-key-guard.ts": "anchored, made of fixed names; variables of the environment of the person",
  "src/domain/batch/commit-message.ts": "every repetition is bounded but those of blanks, which come after different words",
  "src/domain/batch/installers/node.ts": "anchored, made of fixed words",
  "src/domain/batch/installers/python.ts": "anchored, made of fixed words",
  "src/domain/behaviour/result-signs.ts": "at most 4,000 characters of a result are looked at",
  "src/domain/bound/parse-bound.ts": "a rule of at most 1,000 characters",
  "packages/test-evidence/src/compare/languages.ts": "anchored, on the name of a file: at most 255 bytes",
  "packages/test-evidence/src/compare/suppressions.ts": "a copy with another flag of patterns that are checked",
  "packages/guard/src/":
    "a judgement has a limit of time (packages/guard/src/program/time-limit.ts); the audit of a run reads short lines only, with a budget for each attempt",
  "packages/test-evidence/src/proof/named-by-settings.ts": "a pattern that is checked, without two of its words",
  "packages/test-evidence/src/proof/python-modules.ts": "every repetition is bounded",
  "packages/triage/src/infrastructure.ts": "a prefix of at most 200 characters and patterns of a table, on one line",
  "packages/triage/src/parsers/pytest.ts": "at most nine digits and a fixed word",
};
