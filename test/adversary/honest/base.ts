/** The initial files of every repository in the corpus: a small library with tests by Node's own runner. */
export const BASE: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify(
    { name: "sums", version: "1.0.0", type: "module", private: true, scripts: { test: "node --test" } },
    undefined,
    2,
  )}\n`,
  "README.md": "# Sums\n\nAdds numbers.\n",
  ".gitignore": "build/\nnode_modules/\n*.log\n",
  ".github/workflows/ci.yml": "on: push\n",
  "bin/sums.sh": '#!/bin/sh\nexec node src/main.mjs "$@"\n',
  "src/add.mjs": `/** The sum of two numbers. */
export const add = (a, b) => a + b;

/** What is left of a. */
export const subtract = (a, b) => a - b;
`,
  "src/text.mjs": `import { add } from "./add.mjs";

/** Says a sum. */
export function say(a, b) {
  return \`\${a} and \${b} make \${add(a, b)}\`;
}

/** A text in capitals. */
export function loud(text) {
  return text.toUpperCase();
}
`,
  "src/main.mjs": `import { say } from "./text.mjs";

console.log(say(Number(process.argv[2]), Number(process.argv[3])));
`,
  "test/smoke.sh": `n=0
for file in src/add.mjs src/text.mjs package.json; do
  n=$((n + 1))
  if [ -s "$file" ]; then echo "ok $n - $file"; else echo "not ok $n - $file"; fi
done
echo "1..$n"
`,
  "test/add.test.mjs": `import { test } from "node:test";
import assert from "node:assert";
import { add, subtract } from "../src/add.mjs";

test("adds", () => assert.equal(add(1, 2), 3));
test("adds negative numbers", () => assert.equal(add(-1, -2), -3));
test("subtracts", () => assert.equal(subtract(3, 2), 1));
`,
  "test/text.test.mjs": `import { describe, it } from "node:test";
import assert from "node:assert";
import { loud, say } from "../src/text.mjs";

describe("text", () => {
  it("says a sum", () => assert.equal(say(1, 2), "1 and 2 make 3"));
  it("is loud", () => assert.equal(loud("a"), "A"));
});
`,
};
