import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ContractText } from "../../domain/batch/read-contract.ts";
import { readPlainFile } from "../plain-file.ts";
import { readFrontMatterValue } from "./front-matter.ts";

/** The largest contract file, and the longest front matter in it. Bytes, and characters. */
const MAX_CONTRACT_FILE = 64 * 1024;
const MOST_FRONT_CHARS = 32_000;

/** The front matter with its two fences, and the line end behind it. */
const FRONT = /^\ufeff?---[ \t]*\r?\n((?:(?!---[ \t]*\r?$).*\r?\n)*?)---[ \t]*(?:\r?\n|$)/m;

/**
 * Reads a contract file below the batch file's folder, which is a real path. No link is followed there or on the way there, so it is
 * a file of that folder. Every problem is a text of the reading; never throws for the file.
 */
export async function readContractFile(folder: string, path: string): Promise<ContractText> {
  if (!isBelow(path)) return refused("must be a file below the batch file's folder, by its relative path");
  const read = await readPlainFile(folder, join(path), MAX_CONTRACT_FILE);
  if (read === undefined) return refused("there is no such contract file", "its path starts at the batch file's folder");
  if (!read.ok) return refused(`the contract ${read.why}`);
  return parseContractText(read.text);
}

/** Splits the text of a contract file and reads its front matter. */
export function parseContractText(text: string): ContractText {
  const found = FRONT.exec(text);
  if (found === null || found.index !== 0)
    return refused("has no front matter: it must begin with a line `---`, and a line `---` must end it");
  const [whole, front = ""] = found;
  if (front.length > MOST_FRONT_CHARS) return refused(`the front matter is longer than ${MOST_FRONT_CHARS} characters`);
  const value = readFrontMatterValue(front, 2);
  if (!value.ok) return value;
  return { ...value, sha: createHash("sha256").update(text).digest("hex"), body: text.slice(whole.length).trim() };
}

/** True for a relative path that leads no folder up, and is written without any detour. */
function isBelow(path: string): boolean {
  return !path.includes("\0") && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function refused(message: string, hint?: string): ContractText {
  return { ok: false, problems: [{ line: 1, column: 1, message, hint }] };
}
