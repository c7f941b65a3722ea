const READING: ReadonlySet<string> = new Set(["read", "get", "list", "search", "find", "fetch", "grep", "glob", "view"]);

/** Words of a name that also has a reading one: `find_and_replace`. */
const WRITING: ReadonlySet<string> = new Set([
  ...["write", "edit", "modify", "change", "update", "replace", "patch", "apply", "insert", "append", "set", "put", "upsert"],
  ...["create", "make", "new", "add", "save", "store", "download", "copy", "move", "rename", "link", "sync", "upload", "push"],
  ...["delete", "remove", "clear", "truncate", "overwrite", "chmod", "run", "exec", "execute"],
  ...["erase", "unlink", "purge", "wipe", "drop", "destroy", "trash", "reset", "restore", "revert", "rewrite", "touch", "mkdir"],
]);

/** Arguments that only a tool that changes something has: what it writes, and where to. */
const WRITTEN = [
  ...["content", "contents", "file_text", "edits", "patch", "diff", "destination", "old_string", "oldString", "old_str"],
  ...["new_string", "newString", "new_str", "new_text", "newText", "replacement", "data", "dest", "output", "output_path"],
  // What has an address and a path keeps there what it fetches.
  "url",
];

/**
 * True if a tool that is not known says by its name that it reads, and has no argument of one that writes. Its name is what follows the
 * server's in `mcp__server__name`. In names such as `server_name` they cannot be told apart, so the words of both count.
 */
export function isReadingTool(tool: string, input: Readonly<Record<string, unknown>>): boolean {
  const name = tool.slice(tool.lastIndexOf("__") + 1);
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/);
  const saysReading = words.some((word) => READING.has(word)) && !words.some((word) => WRITING.has(word));
  return saysReading && !WRITTEN.some((argument) => Object.hasOwn(input, argument));
}
