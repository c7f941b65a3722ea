import { describe, expect, it } from "vitest";
import { batchJsonSchema } from "../../../src/domain/batch/json-schema.ts";

/** Every schema object below a value, with where it is. */
function* schemas(value: unknown, path = "#"): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== "object" || value === null) return;
  yield [path, value as Record<string, unknown>];
  for (const [key, child] of Object.entries(value)) yield* schemas(child, `${path}/${key}`);
}

describe("batchJsonSchema", () => {
  const schema = batchJsonSchema();

  it("describes every field in a few words", () => {
    const fields = [...schemas(schema)].filter(([path]) => /\/properties\/[^/]+$/.test(path));
    expect(fields.length).toBeGreaterThan(40);
    for (const [path, field] of fields) {
      expect(field.description, path).toEqual(expect.any(String));
      expect(String(field.description).length, path).toBeLessThan(200);
    }
  });

  it("asks only for what has no default, and refuses unknown keys", () => {
    expect(schema.required).toEqual(["name", "repos", "agent"]);
    expect(schema.additionalProperties).toBe(false);
    expect(schema).toHaveProperty("properties.limits.properties.workers", {
      default: 4,
      type: "integer",
      minimum: 1,
      maximum: 64,
      description: "Agents at a time, and commands of check and verify at a time",
    });
  });

  it("says of no field that it cannot be written", () => {
    expect([...schemas(schema)].filter(([, field]) => "readOnly" in field)).toEqual([]);
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });
});
