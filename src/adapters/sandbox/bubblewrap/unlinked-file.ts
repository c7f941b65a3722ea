import { randomUUID } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file without a name: only this process and its children can reach it. It disappears with this process. */
export interface UnlinkedFile {
  readonly fd: number;
  /** The path by which a child process opens it. */
  readonly path: string;
}

/** Makes a file with this content. Throws if the temporary folder takes no file. */
export function unlinkedFile(content: Buffer): UnlinkedFile {
  const name = join(tmpdir(), `loopdash-${randomUUID()}`);
  const fd = openSync(name, "wx+", 0o600);
  try {
    let done = 0;
    while (done < content.length) done += writeSync(fd, content, done);
  } catch (error) {
    closeSync(fd);
    throw error;
  } finally {
    rmSync(name);
  }
  return { fd, path: `/proc/${process.pid}/fd/${fd}` };
}
