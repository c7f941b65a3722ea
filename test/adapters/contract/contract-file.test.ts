import { linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parseContractText, readContractFile } from "../../../src/adapters/contract/contract-file.ts";
import { tempDir } from "../vcs/real-repo.ts";

const TEXT = "---\ncriteria: []\n---\nWords.\n";

let folder: string;
beforeEach(() => {
  folder = realpathSync(tempDir());
  mkdirSync(join(folder, "batch/contracts"), { recursive: true });
  writeFileSync(join(folder, "batch/contracts/a.md"), TEXT);
  writeFileSync(join(folder, "outside.md"), TEXT);
});
const read = (path: string) => readContractFile(join(folder, "batch"), path);

describe("a contract file", () => {
  it("is read below the batch file's folder", async () => {
    expect(await read("contracts/a.md")).toMatchObject({ ok: true, value: { criteria: [] }, body: "Words." });
  });

  it.each(["../outside.md", "contracts/../../outside.md", "/etc/hostname", "", "contracts//a.md", "./contracts/a.md"])(
    "is refused at %j",
    async (path) => {
      expect(await read(path)).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining("below the batch") }] });
    },
  );

  it.each([
    // The target of a link at the file's place is not even opened: that alone could block, or be told.
    ["soft", "the contract is a link"],
    ["hard", "the contract is a second name of another file"],
    ["folder", "the contract a link leads to it"],
  ])("is refused behind a link (%s)", async (kind, message) => {
    const at = join(folder, "batch/contracts/link.md");
    if (kind === "soft") symlinkSync(join(folder, "outside.md"), at);
    if (kind === "hard") linkSync(join(folder, "outside.md"), at);
    if (kind === "folder") symlinkSync(folder, join(folder, "batch/elsewhere"));
    const found = await read(kind === "folder" ? "elsewhere/outside.md" : "contracts/link.md");
    expect(found).toMatchObject({ ok: false, problems: [{ message }] });
  });

  it.each([
    ["contracts/b.md", "there is no such contract file"],
    ["contracts", "is not a plain file"],
  ])("is refused if it cannot be read: %s", async (path, why) => {
    expect(await read(path)).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining(why) }] });
  });

  it("ends its front matter at the first line of three dashes", () => {
    expect(parseContractText("---\r\na: 1\r\n---\r\nx\r\n---\r\n")).toMatchObject({
      ok: true,
      value: { a: 1 },
      body: "x\r\n---",
    });
  });

  it("reads no value that a person does not see", () => {
    for (const front of ["a: &x 1\nb: *x", "a: !!binary aGk=", "? [a]\n: 1", "__proto__: {}", "a: 1\n...\nb: 2"])
      expect(parseContractText(`---\n${front}\n---\n`)).toMatchObject({ ok: false });
  });
});
