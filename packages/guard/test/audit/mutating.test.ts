import { describe, expect, test } from "vitest";
import { CommandClassifier } from "../../src/audit/mutating.ts";

const isMutating = (command: string): boolean => new CommandClassifier().classify(command) !== "reading";

const READS = [
  "ls -la",
  "cat a b | head -3",
  "git status",
  "git -C x log --oneline -3",
  "git diff HEAD~1 -- a.ts",
  "cd src && grep -rn foo . | sort | uniq -c",
  "sed -n '1,20p' src/a.ts",
  "sed -n '/foo/p' a.ts",
  "find . -name '*.ts' 2>/dev/null",
  "rg foo 2>&1 | head",
  "awk '{print $1}' f",
  "bash -lc 'cat a'",
  "/bin/bash -lc 'ls'",
  "LC_ALL=C sort f",
  "test -f x && echo y",
  "cat <<EOF\nhello\nEOF",
];

/** What the words at the beginning of a line do not tell, and `^(git |npm |rm )` misses (S2.16). */
const HIDDEN = [
  "ls; rm x",
  "ls && git push",
  "env git push",
  "env X=1 git commit",
  "echo $'\\''; rm x; echo $'\\''",
  "cat <<EOF\n$(rm x)\nEOF",
  "cat <<EOF | sh\nrm x\nEOF",
  "echo `rm x`",
  "ls $(git push)",
  "x=$(git push)",
  "[[ $(rm x) ]]",
  "cat <(rm x)",
  'bash -lc "git status && git push"',
  "git status; \\rm x",
  "r''m x",
  "ls(){ rm x; }; ls",
  "alias ls=rm; ls x",
  "PATH=. ls",
  "export PATH=.:$PATH; ls",
  "GIT_EXTERNAL_DIFF=rm git diff",
  "git -c core.pager=rm log",
  "git diff --outp=x",
  "./ls",
  "sort -o a a",
  "sort $X",
  "uniq a b",
  "sed 's/a/b/w out' f",
  "awk 'BEGIN{system(\"rm x\")}'",
  "ls &> out",
  "cat <> f",
  "trap 'rm x' EXIT",
];

/** What is not understood. */
const UNSURE = ["$X", "echo 'unterminated", "sudo ls", "python3 x.py", "source x.sh", `echo ${"a".repeat(20_001)}`];

describe("a command line", () => {
  test.each(READS)("that only reads is not logged: %s", (line) => expect(isMutating(line)).toBe(false));
  test.each(["rm x", "npm test", "cat a > b", "touch a", "git checkout .", "sed -i s/a/b/ f", ...HIDDEN])(
    "that may change something is: %j",
    (line) => expect(isMutating(line)).toBe(true),
  );
  test.each(UNSURE)("that is not understood is, too: %s", (line) => expect(isMutating(line)).toBe(true));
});
