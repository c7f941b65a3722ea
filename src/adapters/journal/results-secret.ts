import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { systemCode } from "../disk-error.ts";

/** Bytes of the secret: those of an HMAC's hash (RFC 2104, section 3). */
const LENGTH = 32;

/**
 * The secret by which kept results are signed, made if it is not there. Another one takes its place if the file is not a plain file of
 * this length that its owner alone may read: then no kept result counts any more.
 */
export function resultsSecret(file: string): Buffer {
  for (;;) {
    const found = readSecret(file);
    if (found !== undefined) return found;
    rmSync(file, { force: true, recursive: true });
    // Built aside: another engine never reads half of it, and only one of two is linked.
    const aside = `${file}.${randomUUID()}`;
    try {
      writeFileSync(aside, randomBytes(LENGTH), { mode: 0o600, flag: "wx", flush: true });
      linkSync(aside, file);
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    } finally {
      rmSync(aside, { force: true });
    }
  }
}

function readSecret(file: string): Buffer | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || (found.mode & 0o077) !== 0) return undefined;
  const secret = readFileSync(file);
  return secret.length === LENGTH ? secret : undefined;
}
