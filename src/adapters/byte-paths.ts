const SLASH = Buffer.from("/");

/** The path of a name in a folder. Both are bytes: on Linux, names need not be UTF-8. */
export function pathIn(folder: Buffer, name: Buffer): Buffer {
  return folder.length === 0 ? name : Buffer.concat([folder, SLASH, name]);
}
