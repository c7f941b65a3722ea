import { crc32, inflateRawSync } from "node:zlib";

/** A file of an archive. */
export interface ZipFile {
  /** As the archive has it. It is never used as a path. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** Bounds on what is read of an archive. */
export interface ZipBounds {
  readonly wants: (name: string) => boolean;
  readonly mostFiles: number;
  /** Of one file. Larger ones are left out. */
  readonly mostBytes: number;
}

/** The bytes are no archive of the plain kind. */
export class NotAZip extends Error {
  override readonly name = "NotAZip";
}

/** Signatures and lengths of records: PKWARE's APPNOTE 6.3.10, 4.3.7, 4.3.12 and 4.3.16. */
const END = { signature: 0x06054b50, length: 22 };
const ENTRY = { signature: 0x02014b50, length: 46 };
const LOCAL = { signature: 0x04034b50, length: 30 };
const MOST_COMMENT = 0xffff;
const [STORED, DEFLATED] = [0, 8];
const ENCRYPTED = 1;
/** Stands for a number that is in a record of ZIP64. */
const ELSEWHERE = 0xffffffff;

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

/**
 * Reads files of a zip archive in memory, in its order. Throws a NotAZip for anything odd: parts, encryption, ZIP64, sizes or checksums
 * that do not hold. Only the files that are wanted are unpacked.
 */
export function readZip(bytes: Buffer, { wants, mostFiles, mostBytes }: ZipBounds): readonly ZipFile[] {
  const wanted = readZipEntries(bytes).filter(({ name, size }) => wants(name) && size <= mostBytes);
  return wanted.slice(0, mostFiles).map((entry) => ({ name: entry.name, bytes: unpackEntry(bytes, entry) }));
}

function readZipEntries(bytes: Buffer): readonly Entry[] {
  const end = findEndRecord(bytes);
  const count = bytes.readUInt16LE(end + 10);
  const isOnePart = bytes.readUInt32LE(end + 4) === 0 && bytes.readUInt16LE(end + 8) === count;
  if (!isOnePart) throw new NotAZip("it has several parts");
  let at = bytes.readUInt32LE(end + 16);
  const entries: Entry[] = [];
  for (let index = 0; index < count; index += 1) {
    must(at + ENTRY.length <= end && bytes.readUInt32LE(at) === ENTRY.signature, "its directory is broken");
    const nameEnd = at + ENTRY.length + bytes.readUInt16LE(at + 28);
    must(nameEnd <= end, "its directory is broken");
    entries.push({
      name: bytes.toString("utf8", at + ENTRY.length, nameEnd),
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    });
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  must(at === end, "its directory is broken");
  return entries;
}

/** The offset of the archive's last record; a comment may follow. */
function findEndRecord(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - END.length - MOST_COMMENT);
  for (let at = bytes.length - END.length; at >= first; at -= 1)
    if (bytes.readUInt32LE(at) === END.signature && at + END.length + bytes.readUInt16LE(at + 20) === bytes.length) return at;
  throw new NotAZip("it has no end record");
}

function unpackEntry(bytes: Buffer, { name, flags, method, crc, packed, size, at }: Entry): Buffer {
  must((flags & ENCRYPTED) === 0, "it is encrypted");
  must(![packed, size, at].includes(ELSEWHERE), "it is ZIP64");
  must(at + LOCAL.length <= bytes.length && bytes.readUInt32LE(at) === LOCAL.signature, "a file is not where it should be");
  const nameEnd = at + LOCAL.length + bytes.readUInt16LE(at + 26);
  must(bytes.toString("utf8", at + LOCAL.length, nameEnd) === name, "a file has two names");
  const from = nameEnd + bytes.readUInt16LE(at + 28);
  must(from + packed <= bytes.length, "a file is cut off");
  const content = unpacked(bytes.subarray(from, from + packed), method, size);
  must(content.length === size && crc32(content) === crc, "a file is not what it should be");
  return content;
}

function unpacked(packed: Buffer, method: number, size: number): Buffer {
  if (method === STORED) return packed;
  must(method === DEFLATED, "it is packed in a way that is not known");
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch (cause) {
    throw new NotAZip("a file cannot be unpacked", { cause });
  }
}

function must(isSo: boolean, problem: string): asserts isSo {
  if (!isSo) throw new NotAZip(problem);
}
