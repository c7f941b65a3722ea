import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Bytes of a file of settings that are read: the largest that people have is far smaller. */
export const SETTINGS_BYTES = 4 * 1024 * 1024;

/** Why a file is not read although it could be opened. */
export class UnusableFile extends Error {
  override readonly name = "UnusableFile";
}

/**
 * All bytes of a plain file. Waits for no pipe, and reads no device and no more than `most` bytes, whatever a link at its place leads to. Throws
 * UnusableFile, or the system's error.
 */
export function readBounded(file: string, most = SETTINGS_BYTES): Buffer {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const found = fstatSync(fd);
    const { size } = found;
    if (!found.isFile()) throw new UnusableFile(found.isDirectory() ? "it is a folder" : "it is no plain file");
    if (size > most) throw new UnusableFile(`it is larger than ${most} bytes`);
    // A file of /proc tells no size, and another may grow meanwhile.
    const bytes = Buffer.alloc(size === 0 ? most + 1 : size + 1);
    let length = 0;
    for (let more = 1; more > 0 && length < bytes.length; length += more)
      more = readSync(fd, bytes, length, bytes.length - length, length);
    if (length > most) throw new UnusableFile(`it is larger than ${most} bytes`);
    if (size > 0 && length > size) throw new UnusableFile("it changed while it was read");
    return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}
