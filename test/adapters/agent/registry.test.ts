import { expect, test } from "vitest";
import { createEventLineReader, loadProgram, loadPrograms } from "../../../src/adapters/agent/registry.ts";
import { VENDORS, type VendorKind } from "../../../src/domain/batch/vendors.ts";

test.each(Object.keys(VENDORS) as VendorKind[])(
  "%s is the program of its kind, and logs sessions if the schema says so",
  async (kind) => {
    const program = await loadProgram(kind);
    expect(program.kind).toBe(kind);
    expect(program.sessions !== undefined).toBe(VENDORS[kind].logsSessions === true);
    expect(program.prices).not.toEqual([]);
  },
);

test("every type of event is read by its own program's parser, also in a log of several programs", async () => {
  for (const { events, kind } of await loadPrograms())
    for (const [type, [member]] of Object.entries(events.types)) {
      const event = { type, ...(member === undefined ? {} : { [member]: {} }) };
      expect(createEventLineReader()(JSON.stringify(event)), `${kind}: ${type}`).toBeDefined();
    }
});

test("a line that is no event of a known program is none", () => {
  const read = createEventLineReader();
  for (const line of ["words", "{", "[1]", '{"type":"result"}', '{"type":"constructor"}']) expect(read(line)).toBeUndefined();
});
