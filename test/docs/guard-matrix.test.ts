import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { guardTable } from "../agents/guard-matrix.ts";

const PAGE = join(import.meta.dirname, "../../docs/guard.md");
const BLOCK = /(<!-- matrix: [^\n]* -->\n)[\s\S]*?(<!-- end of matrix -->)/;

test("docs/guard.md shows what was measured with the vendors' programs (--update=all writes it)", async () => {
  const page = readFileSync(PAGE, "utf8");
  expect(page).toMatch(BLOCK);
  await expect(page.replace(BLOCK, (_, begin: string, end: string) => `${begin}\n${guardTable()}\n\n${end}`)).toMatchFileSnapshot(
    PAGE,
  );
});
