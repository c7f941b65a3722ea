/** Code units beyond ASCII. Astral characters are two of them, and so are their escapes. */
const BEYOND = /[^\0-\x7f]/g;

/**
 * The same program in ASCII alone: of other text V8 keeps two bytes per character, all of a file for one character in it. esbuild
 * escapes strings, but neither regular expressions nor comments. Throws where an escape would change the program: after a backslash,
 * and in a template whose tag is `raw`.
 */
export function toAscii(path: string, text: string): string {
  const [kept] = /\\[^\0-\x7f]|\braw`[^`]*[^`\0-\x7f]/.exec(text) ?? [];
  if (kept !== undefined) throw new Error(`${path} has ${kept.slice(-80)}, which cannot be written in ASCII`);
  return text.replace(BEYOND, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
