import type { LineListener } from "../../ports/run-files.ts";
import { followToEnd } from "./follow-file.ts";

/** Bytes that are read at a time, ten times a second at most: far more than programs report that do not flood it. */
const AT_A_TIME = 262_144;
/** Bytes that are read in all. */
const MOST = 64 * 2 ** 20;
/** Characters of a line. A longer one is left out. */
const LINE_CHARS = 65_536;

/** Follows a file to which programs append lines. See RunFiles.followLines. */
export function followLines(file: string, listener: LineListener): () => Promise<void> {
  let [rest, isCut, read, begun, isLost] = ["", false, 0, false, false];
  const lose = (why: string): void => {
    if (isLost) return;
    isLost = true;
    listener.lost(why);
  };
  const take = (text: string): void => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const [i, line] of lines.entries()) if (!(isCut && i === 0) && line.length <= LINE_CHARS) listener.line(line);
    isCut = (isCut && lines.length === 0) || rest.length > LINE_CHARS;
    if (rest.length > LINE_CHARS) rest = "";
  };
  return followToEnd(
    file,
    {
      begin({ skipped }) {
        if (begun) lose("it was cut or replaced, or grew faster than it is read");
        else if (skipped > 0) lose("it grew faster than it is read");
        begun = true;
      },
      text(text) {
        if (isLost) return;
        read += text.length;
        if (read > MOST) lose("it grew beyond 64 MiB");
        else take(text);
      },
      looked(state) {
        if (state === "absent" && begun) lose("it was deleted");
        else if (typeof state === "object") lose(state.refused);
      },
    },
    { most: AT_A_TIME },
  );
}
