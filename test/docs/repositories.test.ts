import { join } from "node:path";
import { expect, test } from "vitest";
import { packagesTable } from "../foreign/packages.ts";
import { allAreas, matrixOf } from "../foreign/shape.ts";

const PAGE = join(import.meta.dirname, "../foreign/README.md");
const HEAD = `# Repositories and machines that runs are played on

Each row is a whole run with the sandbox on (\`npm run foreign\`). What is refused is refused before an agent starts, with this line.
test/docs/repositories.test.ts writes this page (\`--update=all\`).
`;

test("the list of shapes and packages has those that the tests play", async () => {
  await expect(`${HEAD}\n${matrixOf(await allAreas())}\n${packagesTable()}`).toMatchFileSnapshot(PAGE);
});
