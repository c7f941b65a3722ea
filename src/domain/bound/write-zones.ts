import { BOUND_FILE } from "./bound.ts";

/** The text of a BOUND.md with further zones at the end of its section, which is made if there is none. */
export function withZones(text: string | undefined, zones: readonly { readonly path: string; readonly why: string }[]): string {
  const items = zones.map(({ path, why }) => `- \`${path}\`: ${oneLine(why)}`);
  const lines = (text ?? `# ${BOUND_FILE.replace(/\.md$/, "")}\n`).replace(/(?<!\n)\n+$/, "").split("\n");
  const heading = lines.findIndex((line) => /^ {0,3}##\s*danger\s+zones\s*(?:#+\s*)?$/i.test(line));
  if (heading === -1) return `${[...lines, "", "## DANGER ZONES", "", ...items].join("\n")}\n`;
  const next = lines.findIndex((line, i) => i > heading && /^ {0,3}#/.test(line));
  const end = next === -1 ? lines.length : next;
  const last = lines.slice(0, end).findLastIndex((line) => line.trim() !== "");
  return `${lines.toSpliced(last + 1, 0, ...(last === heading ? ["", ...items] : items)).join("\n")}\n`;
}

/** Evidence holds names of owners, which anybody may have written. */
function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .replaceAll(/[`<>]|\.{3}/g, "")
    .slice(0, 300);
}
