/** A branch at the remote that could not be moved, whatever is pushed: a lock, a full disk. Reasons of git-receive-pack. */
export const IMMOVABLE = /failed to (?:lock|update ref|write)|cannot lock ref/i;

/** A fault of the remote itself, unless it is this push that brings it about. Reasons of git-receive-pack and of GitHub. */
export const OWN_FAULT = /unpacker error|internal (?:server )?error|time-?out|unable to migrate/i;

/** An answer of a remote's HTTP server to the pushed commits themselves (git's remote-curl.c). */
export const UNFIT_PACK = /^error: RPC failed; HTTP (?:400|403|413|422)\b/m;

/** The status of a ref that was pushed: its line in the output of `git push --porcelain` (git-push(1), OUTPUT). */
export function statusLine(stdout: string, ref: string): string | undefined {
  return stdout.split("\n").find((line) => /^[ +\-*!=]\t/.test(line) && line.split("\t")[1]?.endsWith(`:${ref}`) === true);
}

/** The reason of a refused ref, which git or the server gives in the protocol's own status (gitprotocol-pack(5), report-status). */
export function reasonIn(line: string | undefined): string | undefined {
  return /\(([^()]*)\)\s*$/.exec(line ?? "")?.[1];
}

/** The first lines that the remote printed beside it. Its hooks may quote what a change holds: they are shown, and decide nothing. */
export function printedLines(stderr: string): readonly string[] {
  return stderr
    .split("\n")
    .flatMap((line) => /^remote: +(?:error: )?(\S.*)$/.exec(line.trimEnd())?.[1] ?? [])
    .slice(0, 3);
}

/** The lines of git and ssh themselves. git begins each line of the remote with `remote: `. */
export function localLines(stderr: string): string {
  return stderr
    .split(/[\r\n]/)
    .filter((line) => !line.startsWith("remote:"))
    .join("\n");
}

/** The last line of what git prints that says why it failed. */
export function lastWords(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  return lines.findLast((line) => /^(?:fatal|error|remote): /.test(line)) ?? lines.at(-1) ?? "git does not say why";
}

/** A text whose addresses have no user names and no passwords. A token may be either: git itself takes out passwords alone. */
export function withoutUsers(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/]*@/gi, "$1");
}
