import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { judge } from "../../../oracle/definition.ts";
import { readSnapshot } from "../../../oracle/read.ts";
import { parseTicketText } from "../../../oracle/ticket-file.ts";
import { createFolderTracker } from "../../../src/adapters/tracker/folder.ts";
import { readTicketFolder } from "../../../src/adapters/tracker/folder-read.ts";
import { newTicketText, signedNote } from "../../../src/adapters/tracker/ticket-edit.ts";
import { parseTicketFile } from "../../../src/adapters/tracker/ticket-file.ts";
import { RepoId, TicketId } from "../../../src/domain/values/ids.ts";
import { plainText } from "../../../src/domain/values/text.ts";
import type { FiledTicket } from "../../../src/ports/tracker.ts";
import { withPatchedFs } from "../../helpers/patched-fs.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const scratch = scratchFolder();
const T1 = TicketId.parse("T-1");
const D1 = TicketId.parse("T-1-d1");
const found: FiledTicket = { id: D1, title: "A leak", body: "below", repo: RepoId.parse("app"), note: "found by T-1" };

/** A folder with T-1 in it, and these files. */
function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = join(scratch(), "tickets");
  mkdirSync(folder);
  for (const [name, text] of Object.entries({ "T-1.md": "# One\n", ...files })) writeFileSync(join(folder, name), text);
  return folder;
}

test("a filed ticket is a file that people, later runs and the oracle read alike", async () => {
  const folder = folderOf();
  const tracker = createFolderTracker({ folder, ids: [T1] });
  await tracker.file(found);
  expect(readFileSync(join(folder, "T-1-d1.md"), "utf8")).toBe(
    `---\nid: T-1-d1\ntitle: "A leak"\nrepo: app\nstate: open\nnote: "${signedNote("found by T-1")}"\n---\n\nbelow\n`,
  );
  expect((await readTicketFolder(folder)).find((t) => t.id === D1)).toMatchObject({
    title: "A leak",
    repo: "app",
    body: "\nbelow\n",
  });
  const place = { kind: "folder", folder } as const;
  expect(judge(await readSnapshot(place), [T1, D1])).toMatchObject({ verdict: "not-done", open: 2 });
  for (const id of [T1, D1]) await tracker.set(id, { as: "done" }, "");
  expect(judge(await readSnapshot(place), [T1, D1])).toMatchObject({ verdict: "done", done: 2 });
});

test("whatever the words of a discovery are, its file says open, and nothing else, to us and to the oracle", () => {
  const words = fc.string({ unit: "binary", maxLength: 60 });
  const traps = fc.constantFrom("---", "state: done", '"', "\\", "# x", "humanStep: y", "\n");
  const text = fc.array(fc.oneof(words, traps), { maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, text, (raw, body, note) => {
      const title = plainText(raw, 200).trim();
      fc.pre(title !== "" && body.isWellFormed());
      const file = newTicketText({ ...found, title, body, note });
      expect(parseTicketText("T-1-d1.md", file)).toEqual({ id: D1, state: "open" });
      expect(parseTicketFile("T-1-d1.md", file)).toMatchObject({
        ticket: { id: D1, title, state: { as: "open" } },
        problems: [],
      });
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["a file that is no ticket", "just notes\n"],
  ["another ticket's file", "---\nid: T-9\n---\n# Nine\n"],
])("%s of that name is not overwritten", async (_, text) => {
  const folder = folderOf({ "T-1-d1.md": text });
  const tracker = createFolderTracker({ folder, ids: [T1] });
  expect(await tracker.taken()).toContain("T-1-d1");
  await expect(tracker.file(found)).rejects.toThrow(/T-1-d1.md is there already, and is not T-1-d1/);
  expect(readFileSync(join(folder, "T-1-d1.md"), "utf8")).toBe(text);
  expect(await tracker.snapshot()).toHaveLength(1);
});

test("nor one that comes between looking and writing, nor what a link leads to", async () => {
  const folder = folderOf();
  const tracker = createFolderTracker({ folder, ids: [T1] });
  const filed = withPatchedFs(
    "link",
    (real) => async (from, to) => {
      writeFileSync(join(folder, "T-1-d1.md"), "mine\n");
      await real(from, to);
    },
    () => tracker.file(found),
  );
  await expect(filed).rejects.toThrow(/is there already/);
  expect(readFileSync(join(folder, "T-1-d1.md"), "utf8")).toBe("mine\n");
  const elsewhere = join(scratch(), "elsewhere.md");
  symlinkSync(elsewhere, join(folder, "T-1-d2.md"));
  await expect(tracker.file({ ...found, id: TicketId.parse("T-1-d2") })).rejects.toThrow(/symbolic link|no such file/i);
  expect(() => readFileSync(elsewhere)).toThrow(/ENOENT/);
});
