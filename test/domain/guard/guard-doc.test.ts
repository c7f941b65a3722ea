import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FAMILIES, RULES } from "@loopdash/guard";
import { expect, test } from "vitest";
import { guardClaims } from "../../agents/guard-matrix.ts";

const PAGE = join(import.meta.dirname, "../../../docs/use/guard.md");
const BLOCKS = [
  [/(<!-- rules: [^\n]* -->\n)[\s\S]*?(<!-- end of rules -->)/, table],
  [/(<!-- measured: [^\n]* -->\n)[\s\S]*?(<!-- end of measured -->)/, guardClaims],
] as const;

/** The ids of the rules by family. */
function table(): string {
  const rows = Object.keys(FAMILIES).map((family) => {
    const ids = Object.entries(RULES).filter(([, rule]) => rule.family === family);
    return `| \`${family}\` | ${ids.map(([id]) => `\`${id}\``).join(", ")} |`;
  });
  return `| family | rules |\n|---|---|\n${rows.join("\n")}\n`;
}

test("docs/use/guard.md lists the rules of the table and the measured programs (--update=all writes both)", async () => {
  let page = readFileSync(PAGE, "utf8");
  for (const [block, text] of BLOCKS) {
    expect(page).toMatch(block);
    page = page.replace(block, (_, begin: string, end: string) => `${begin}\n${text().trimEnd()}\n\n${end}`);
  }
  await expect(page).toMatchFileSnapshot(PAGE);
});
