import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FAMILIES, RULES } from "../../../src/domain/guard/rule-table.ts";

const PAGE = join(import.meta.dirname, "../../../docs/guard.md");
const BLOCK = /(<!-- rules: [^\n]* -->\n)[\s\S]*?(<!-- end of rules -->)/;

/** The rules by family, as tables. */
function tables(): string {
  return Object.entries(FAMILIES)
    .map(([family, title]) => {
      const rows = Object.entries(RULES)
        .filter(([, rule]) => rule.family === family)
        .map(([id, { reason, alternative }]) => `| \`${id}\` | ${reason} | \`${alternative}\` |`);
      return `### ${title} (\`${family}\`)\n\n| rule | why it blocks | instead |\n|---|---|---|\n${rows.join("\n")}\n`;
    })
    .join("\n");
}

test("docs/guard.md lists the rules of the table (--update=all writes it)", async () => {
  const page = readFileSync(PAGE, "utf8");
  expect(page).toMatch(BLOCK);
  await expect(page.replace(BLOCK, (_, begin: string, end: string) => `${begin}\n${tables()}\n${end}`)).toMatchFileSnapshot(PAGE);
});
