import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { LARGEST_TICKET_FILE, readSnapshot } from "../../oracle/read.ts";
import { scratchFolder } from "../helpers/scratch.ts";

const folder = scratchFolder();
const tickets = () => join(folder(), "tickets");
const tracker = () => join(folder(), "tracker.json");
const put = (name: string, text: string) => writeFileSync(join(tickets(), name), text);
const fromFolder = () => readSnapshot({ kind: "folder", folder: tickets() });
const ticket = (over: object = {}) => ({ id: "A", title: "t", body: "b", state: "done", ...over });

function fromFile(value: unknown) {
  writeFileSync(tracker(), typeof value === "string" ? value : JSON.stringify(value));
  return readSnapshot({ kind: "embedded", file: tracker() });
}
const fromTickets = (...list: readonly unknown[]) => fromFile({ version: 1, tickets: list });

beforeEach(() => mkdirSync(tickets()));

describe("a folder of tickets", () => {
  test("is its ticket files, by name", async () => {
    for (const name of ["c", "a", "B", "a-1", "Z", "0"]) put(`${name}.md`, "# T\n");
    put("x.md", "---\nstate: human-gated\nhumanStep: press it\n---\n");
    put("notes.md", "no heading\n");
    put("README.md", "# no ticket\n");
    put(".hidden.md", "# no ticket\n");
    put("y.txt", "# no ticket\n");
    mkdirSync(join(tickets(), "sub.md"));
    const open = { state: "open" };
    expect(await fromFolder()).toStrictEqual([
      { id: "0", ...open },
      { id: "B", ...open },
      { id: "Z", ...open },
      { id: "a-1", ...open },
      { id: "a", ...open },
      { id: "c", ...open },
      { id: "x", state: "human-gated", step: "press it" },
    ]);
  });

  test("with a link, a file too large or one that cannot be understood is no tracker, and the file is named", async () => {
    put("A.md", "---\nstate: done\n");
    await expect(fromFolder()).rejects.toThrow(
      expect.objectContaining({
        name: "CannotJudge",
        message: `${JSON.stringify(join(tickets(), "A.md"))}: its front matter is not closed by a \`---\` line`,
        cause: expect.any(Error) as Error,
      }),
    );
    put("A.md", "x".repeat(LARGEST_TICKET_FILE + 1));
    await expect(fromFolder()).rejects.toThrow("is larger than 1048576 bytes");
    rmSync(join(tickets(), "A.md"));
    symlinkSync(tracker(), join(tickets(), "A.md"));
    await expect(fromFolder()).rejects.toThrow("ELOOP");
  });
});

describe("the embedded tracker", () => {
  test("is its tickets", async () => {
    expect(
      await fromTickets(
        ticket({ note: "n" }),
        ticket({ id: "B", state: "Closed?", humanStep: " " }),
        ticket({ id: "C", state: "human-gated", humanStep: ` ${"x".repeat(500)} ` }),
      ),
    ).toStrictEqual([
      { id: "A", state: "done" },
      { id: "B", state: "Closed?" },
      { id: "C", state: "human-gated", step: "x".repeat(500) },
    ]);
    expect(await fromTickets()).toEqual([]);
  });

  test.each<[unknown, string]>([
    ["[", "TRACKER is not JSON: it is damaged or only partly written"],
    [[], "TRACKER is not an object"],
    [{ version: 1 }, 'TRACKER has no "tickets"'],
    [{ tickets: [] }, 'TRACKER has no "version"'],
    [{ version: 1, tickets: [], x: 1 }, 'TRACKER has an unknown key "x"'],
    [{ version: 2, tickets: [] }, "TRACKER is of another version than 1"],
    [{ version: 1, tickets: {} }, "the list of tickets in TRACKER is not a list"],
    [{ version: 1, tickets: [ticket(), null] }, "ticket 2 in TRACKER is not an object"],
    ...["id", "title", "body", "state"].map((key): [unknown, string] => [
      { version: 1, tickets: [{ ...ticket(), [key]: undefined }] },
      `ticket 1 in TRACKER has no "${key}"`,
    ]),
    ...["title", "body", "state", "id", "note", "humanStep"].map((key): [unknown, string] => [
      { version: 1, tickets: [ticket({ [key]: 7 })] },
      `${key} of ticket 1 in TRACKER is not a text`,
    ]),
    [{ version: 1, tickets: [ticket({ done: true })] }, 'ticket 1 in TRACKER has an unknown key "done"'],
    [{ version: 1, tickets: [ticket({ id: "a b" })] }, 'id of ticket 1 in TRACKER is not a ticket id: "a b"'],
    ...["a\nb", "a\u0000b", "a\u009fb", "x".repeat(501)].map((humanStep): [unknown, string] => [
      { version: 1, tickets: [ticket({ humanStep })] },
      "humanStep of ticket 1 in TRACKER is not one line of at most 500 characters",
    ]),
  ])("%j: %s", async (value, problem) => {
    const message = problem.replace("TRACKER", JSON.stringify(tracker()));
    await expect(fromFile(value)).rejects.toThrow(expect.objectContaining({ name: "CannotJudge", message }));
  });
});
