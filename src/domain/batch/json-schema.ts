import { z } from "zod";
import { BatchFile } from "./schema.ts";

/** JSON Schema (draft 2020-12) of the batch file as a person writes it, for editors. Plain JSON. */
export function batchJsonSchema(): Readonly<Record<string, unknown>> {
  const schema = z.toJSONSchema(BatchFile, {
    io: "input",
    // zod's readonly() concerns our own types. To an editor, `readOnly` would mean that nobody may write the field.
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
    },
  });
  return { title: "loopdash batch", description: "A batch of tickets for coding agents", ...schema };
}
