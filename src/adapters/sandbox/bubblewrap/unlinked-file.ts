import { randomUUID } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file that has no name any more: only this process, and what it starts, can reach it. It is gone with this process. */
export interface UnlinkedFile {
  readonly fd: number;
  /** By this a child of ours opens it. */
  readonly path: string;
}

/** Makes one with this content. Throws where the temporary folder takes no file. */
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
