import { describe, expect, it } from "vitest";
import { NotAZip, readZip } from "../../../../src/adapters/forge/github/zip-reader.ts";
import { zipOf } from "../../../stand-ins/github/forge/zip.ts";

const BOUNDS = { wants: (name: string) => name.endsWith(".xml"), mostFiles: 3, mostBytes: 1000 };
const FILES = { "a/b.xml": Buffer.from("<b/>".repeat(20)), "c.txt": Buffer.from("no report") };

/** The offset of the first of these bytes. */
function at(bytes: Buffer, signature: readonly number[], from = 0): number {
  return bytes.indexOf(Buffer.from(signature), from);
}

const LOCAL = [0x50, 0x4b, 3, 4];
const ENTRY = [0x50, 0x4b, 1, 2];

/** An archive of `files` that was changed. */
function changed(change: (zip: Buffer) => void, files: Readonly<Record<string, Buffer>> = FILES): Buffer {
  const zip = zipOf(files);
  change(zip);
  return zip;
}

describe("readZip", () => {
  it("reads the files that are wanted, as many and as large as the bounds allow", () => {
    expect(readZip(zipOf(FILES), BOUNDS)).toEqual([{ name: "a/b.xml", bytes: FILES["a/b.xml"] }]);
    const many = Object.fromEntries([1, 2, 3, 4, 5].map((each) => [`${each}.xml`, Buffer.alloc(each === 2 ? 1001 : 10, "x")]));
    expect(readZip(zipOf(many), BOUNDS).map(({ name }) => name)).toEqual(["1.xml", "3.xml", "4.xml"]);
    expect(readZip(zipOf({}), BOUNDS)).toEqual([]);
  });

  it("reads files that are stored as they are, and archives with a comment", () => {
    const zip = changed(
      (bytes) => {
        for (const begin of [at(bytes, LOCAL) + 8, at(bytes, ENTRY) + 10]) bytes.writeUInt16LE(0, begin);
        for (const begin of [at(bytes, LOCAL) + 18, at(bytes, ENTRY) + 20])
          bytes.writeUInt32LE(bytes.readUInt32LE(begin + 4), begin);
      },
      { "a.xml": Buffer.from("") },
    );
    // An empty file, deflated, takes two bytes more than none.
    expect(readZip(zip, BOUNDS)).toEqual([{ name: "a.xml", bytes: Buffer.alloc(0) }]);
    const comment = Buffer.concat([zipOf(FILES), Buffer.from("hello")]);
    comment.writeUInt16LE(5, comment.length - 5 - 2);
    expect(readZip(comment, BOUNDS)).toHaveLength(1);
  });

  it.each([
    ["nothing", () => Buffer.alloc(0)],
    ["text", () => Buffer.from("<html>Not found</html>".repeat(10))],
    ["half an archive", () => zipOf(FILES).subarray(0, 60)],
    ["an archive with more behind it", () => Buffer.concat([zipOf(FILES), Buffer.from("more")])],
    ["a file that unpacks to more than it says", () => changed((zip) => zip.writeUInt32LE(10, at(zip, ENTRY) + 24))],
    ["a file that unpacks to less than it says", () => changed((zip) => zip.writeUInt32LE(900, at(zip, ENTRY) + 24))],
    ["a file that is not what it was", () => changed((zip) => zip.writeUInt32LE(7, at(zip, ENTRY) + 16))],
    ["a file beyond the end", () => changed((zip) => zip.writeUInt32LE(1_000_000, at(zip, ENTRY) + 42))],
    ["a file that goes beyond the end", () => changed((zip) => zip.writeUInt32LE(1_000_000, at(zip, ENTRY) + 20))],
    ["a file with two names", () => changed((zip) => zip.write("A", at(zip, LOCAL) + 30))],
    ["a file that is encrypted", () => changed((zip) => zip.writeUInt16LE(0x0801, at(zip, ENTRY) + 8))],
    ["a file that is packed in another way", () => changed((zip) => zip.writeUInt16LE(12, at(zip, ENTRY) + 10))],
    ["ZIP64", () => changed((zip) => zip.writeUInt32LE(0xffffffff, at(zip, ENTRY) + 42))],
    ["a part of several", () => changed((zip) => zip.writeUInt16LE(9, zip.length - 12))],
    ["a directory that is elsewhere", () => changed((zip) => zip.writeUInt32LE(3, zip.length - 6))],
    ["a directory beyond the end", () => changed((zip) => zip.writeUInt32LE(0xfffffff0, zip.length - 6))],
    ["a name beyond the directory", () => changed((zip) => zip.writeUInt16LE(0xffff, at(zip, ENTRY) + 28))],
  ])("refuses %s", (_what, zip) => {
    expect(() => readZip(zip(), BOUNDS)).toThrow(NotAZip);
  });

  it("unpacks no more than a file says", () => {
    const bomb = changed((zip) => zip.writeUInt32LE(10, at(zip, ENTRY) + 24), { "a.xml": Buffer.alloc(1_000_000) });
    const error = (() => {
      try {
        return readZip(bomb, BOUNDS);
      } catch (reason) {
        return reason;
      }
    })();
    expect(error).toMatchObject({ name: "NotAZip", cause: { code: "ERR_BUFFER_TOO_LARGE" } });
  });

  it("never fails otherwise, whatever byte is another", () => {
    const whole = zipOf(FILES);
    for (let index = 0; index < whole.length; index += 1)
      for (const value of [0, 0x7f, 0xff]) {
        const zip = Buffer.from(whole);
        zip[index] = value;
        try {
          readZip(zip, BOUNDS);
        } catch (error) {
          expect(error).toBeInstanceOf(NotAZip);
        }
      }
  });
});
