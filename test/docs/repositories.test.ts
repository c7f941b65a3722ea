import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packagesTable } from "../foreign/packages.ts";
import { allAreas, matrixOf } from "../foreign/shape.ts";

const PAGE = join(import.meta.dirname, "../../docs/repositories.md");
const [BEGIN, END] = [
  "<!-- Shapes: made by `vitest run test/docs/repositories.test.ts --update` -->\n",
  "<!-- End of shapes -->",
];

test("the page of repositories has the shapes and packages that the tests play", async () => {
  const [before, rest = ""] = readFileSync(PAGE, "utf8").split(BEGIN);
  const [, after] = rest.split(END);
  expect(after).toBeDefined();
  await expect(`${before}${BEGIN}\n${matrixOf(await allAreas())}\n${packagesTable()}\n${END}${after}`).toMatchFileSnapshot(PAGE);
});
