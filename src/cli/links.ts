import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { pathToFileURL } from "node:url";
import { hyperlink } from "../store/hyperlink.ts";
import type { LinkedLine } from "../store/links.ts";
import { terminalCapabilities } from "../store/terminal-capabilities.ts";

/**
 * The address of a folder on this machine; undefined if there is none. It names the machine, so that the terminal of another one, as
 * over ssh, does not look for the folder there ("Hyperlinks in Terminal Emulators", file:// URIs and the hostname). Browsers want no
 * name: "".
 */
export function folderUrl(folder: string, host = hostname()): string | undefined {
  if (!existsSync(folder)) return undefined;
  return `file://${/^[A-Za-z0-9.-]+$/.test(host) ? host : ""}${pathToFileURL(folder).pathname}`;
}

/** True if what is written to standard output may have hyperlinks. */
export function printsLinks(): boolean {
  const { env, stdout } = process;
  return terminalCapabilities({ env, isTTY: stdout.isTTY === true, depth: 1 }).links;
}

/** A line as text for standard output, with its links if the terminal shows them. */
export function printedLine(line: LinkedLine, links = printsLinks()): string {
  return line
    .map((piece) => (typeof piece === "string" ? piece : links ? hyperlink(piece.text, piece.url) : piece.text))
    .join("");
}
