import { expect, test } from "vitest";
import { batchJsonSchema } from "../../src/domain/batch/json-schema.ts";
import { type Schema, SettingsPage } from "./settings-page.ts";

const INTRO = `# Settings of the batch file

[How a batch file is built](../use/batch-file.md) has an example. A setting whose type has a value in brackets has that default; one without
a default is off, unless its text says more. Paths are relative to the batch file. A command is a list of words, such as
\`["npm", "test"]\`; no shell reads it. An unknown setting is an error that names the nearest known one. For completion in an editor, set
\`$schema\` to \`dist/batch.schema.json\` of the package.
`;

test("docs/reference/settings.md tells every setting of the batch file", async () => {
  const page = new SettingsPage(batchJsonSchema() as Schema);
  expect(page.untold).toEqual([]);
  await expect(`${INTRO}\n${page.text()}`).toMatchFileSnapshot("../../docs/reference/settings.md");
});
