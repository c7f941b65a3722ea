import { describe, expect, test } from "vitest";
import { actionEffect } from "../../../src/domain/behaviour/action-effect.ts";

const effect = (command: string) => actionEffect({ does: "run", command });
const reads = (...paths: readonly string[]) => ({ reads: paths, edits: [], runs: false });
const edits = (...paths: readonly string[]) => ({ reads: [], edits: paths, runs: false });

describe("a shell command", () => {
  test.each<[string, readonly string[]]>([
    ["cat a.ts b.ts", ["a.ts", "b.ts"]],
    ["head -n 20 'my file.ts'", ["my file.ts"]],
    ["sed -n '1,20p' src/a.ts", ["src/a.ts"]],
    ["nl -ba src/a.ts | sed -n '1,5p'", ["src/a.ts"]],
    ["cat a.ts 2>/dev/null || ls", ["a.ts"]],
    ["cd src && cat a.ts", ["a.ts"]],
    ["/bin/bash -lc 'cat src/a.ts'", ["src/a.ts"]],
    ["LC_ALL=C tail -5 log.txt", ["log.txt"]],
  ])("%s reads", (command, paths) => {
    expect(effect(command)).toEqual(reads(...paths));
  });

  test.each([
    "ls -la",
    "rg -n needle src",
    "git diff HEAD~1 -- src",
    "git -C . log --oneline",
    "git status",
    "find . -name '*.ts' | head",
    "grep -rn 'a && b' src; pwd",
    "echo done",
  ])("%s only finds out", (command) => {
    expect(effect(command)).toMatchObject({ edits: [], runs: false });
  });

  test.each<[string, readonly string[]]>([
    ["sed -i s/a/b/ src/a.ts", ["src/a.ts"]],
    ["echo x > src/a.ts", ["src/a.ts"]],
    ["cat > a.ts <<'EOF'\nrm -rf /\nnode x\nEOF", ["a.ts"]],
    ["mv a.ts b.ts", ["a.ts", "b.ts"]],
  ])("%s edits", (command, paths) => {
    expect(effect(command)).toEqual(edits(...paths));
  });

  test.each([
    "npm test",
    "node -e 'x'",
    "cat a.ts && npm test",
    "cat $(node x)",
    "ls `node x`",
    "find . -exec node {} ;",
    "git commit -m x",
    "python3 - <<'EOF'\nprint(1)\nEOF",
    "xargs rm < list",
    `cat ${"a".repeat(30_000)}`,
  ])("%s runs", (command) => {
    expect(effect(command).runs).toBe(true);
  });
});
