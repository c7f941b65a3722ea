import { parentFolder, pathWithin } from "./command-line.ts";
import { ARCHIVE } from "./python.ts";

/** A line of a requirement file that names a package of an index, an option about an index, or nothing. */
const REQUIREMENT =
  /^(?:--(?:index-url|extra-index-url)[= ]https?:\/\/\S+|-i https?:\/\/\S+|--(?:require-hashes|prefer-binary|pre)|--(?:no|only)-binary[= ][\w.,:-]+|[A-Za-z0-9][\w.-]*(?:\[[\w,. -]*\])?(?:\s*[=<>!~;,][^@\s]*(?:\s+[^@\s-][^@\s]*)*)?(?:\s+--hash[= ]\S+)*)?$/;

/** A line that names another requirement file. */
const ANOTHER = /^(?:-r|--requirement|-c|--constraint)[= ]\s*(\S+)$/;

/**
 * The reason why pip may read more of the repository than this requirement file; undefined if it does not. Other requirement files
 * are fine if they are inputs too. Lines are joined and comments removed as pip does (utils in req/req_file.py).
 */
export function requirementsTrouble(path: string, text: string, requirementFiles: ReadonlySet<string>): string | undefined {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\\\n/g, "").split("\n");
  const isPlain = (line: string): boolean => {
    const another = ANOTHER.exec(line)?.[1];
    if (another !== undefined) return requirementFiles.has(pathWithin(another, parentFolder(path)) ?? "");
    return REQUIREMENT.test(line) && !ARCHIVE.test(line) && !line.includes("\\");
  };
  return lines.every((line) => isPlain(line.replace(/(?:^|\s)#.*/s, "").trim()))
    ? undefined
    : "names more than packages of an index";
}
