/** The longest template that is used. Characters. */
const MOST_CHARS = 20_000;

/** The folders in which GitHub looks for a template, in its order. */
const FOLDERS = [".github/", "", "docs/"] as const;

/** A part of a pull request's text: its own heading, and the lines below. */
export interface PullRequestPart {
  readonly kind: "why" | "checked" | "evidence" | "ticket";
  readonly heading: string;
  readonly text: string;
}

/**
 * The words by which a template's heading asks for a part. The first that fits decides, so a narrow word stands before a wide one:
 * "Related changes" asks for the ticket.
 */
const ASKS: readonly (readonly [kind: PullRequestPart["kind"], words: RegExp])[] = [
  ["ticket", /\b(?:tickets?|issues?|references?|jira|linear|related|linked|links?|fixes|closes|resolves)\b/i],
  ["checked", /\b(?:test(?:s|ed|ing)?|checked|verif(?:y|ied|ication)|validat(?:e|ed|ion)|qa)\b/i],
  ["evidence", /\b(?:evidence|proof|results?)\b/i],
  ["why", /\b(?:what|why|summary|description|overview|motivation|context|purpose|background|changes?|proposal)\b/i],
];

/** Headings that ask for something that loopdash cannot answer, whatever other words they have. */
const UNANSWERED = /\b(?:checklist|types?|kinds?|breaking|screenshots?|release|changelog|migrations?|reviewers?)\b/i;

/**
 * The path of the template that GitHub takes by itself. A folder with several templates has none unless one of them is called
 * `default.md` or `pull_request_template.md`; one alone is it. Letter case does not matter. Undefined if there is none.
 */
export function templatePath(paths: readonly string[]): string | undefined {
  const byLower = new Map(paths.map((path) => [path.toLowerCase(), path]));
  const at = (lower: string): string | undefined => byLower.get(`${lower}.md`) ?? byLower.get(`${lower}.txt`);
  for (const folder of FOLDERS) {
    const single = at(`${folder}pull_request_template`);
    if (single !== undefined) return single;
  }
  for (const folder of FOLDERS) {
    const inside = `${folder}pull_request_template/`;
    const chosen = at(`${inside}default`) ?? at(`${inside}pull_request_template`);
    if (chosen !== undefined) return chosen;
    const several = [...byLower.keys()].filter(
      (path) => path.startsWith(inside) && /^[^/]+\.(?:md|txt)$/.test(path.slice(inside.length)),
    );
    if (several.length === 1) return byLower.get(several[0] ?? "");
  }
  return undefined;
}

/**
 * A template with the parts below the headings that ask for them, in the template's order. All else stays as the template has it, but no
 * check box is ticked: nobody has done what it says. Parts that no heading asks for follow at the end, with their own headings.
 * Undefined if the template is empty, too long, or ends inside a comment or a block of code, which would hide what follows.
 */
export function filledTemplate(template: string, parts: readonly PullRequestPart[]): string | undefined {
  if (template.trim() === "" || template.length > MOST_CHARS) return undefined;
  const lines = markdownLines(template);
  if (lines === undefined) return undefined;
  const left = new Map(parts.map((part) => [part.kind, part]));
  const filled = lines.flatMap(({ text, heading }) => {
    const line = text.replace(/^(\s*(?:>\s*)*(?:[-*+]|\d+[.)])\s+)\[[xX]\]/, "$1[ ]");
    const kind = heading === undefined ? undefined : headingKind(heading);
    const part = kind === undefined ? undefined : left.get(kind);
    if (part === undefined) return [line];
    left.delete(part.kind);
    return [line, "", part.text, ""];
  });
  const rest = [...left.values()].flatMap(({ heading, text }) => ["", `## ${heading}`, "", text]);
  return [...filled, ...rest]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function headingKind(heading: string): PullRequestPart["kind"] | undefined {
  return UNANSWERED.test(heading) ? undefined : ASKS.find(([, words]) => words.test(heading))?.[0];
}

interface MarkdownLine {
  readonly text: string;
  /** The words of a heading; absent if the line is none. */
  readonly heading?: string;
}

/** The lines of a text with its headings (ATX), outside comments and blocks of code. Undefined if one of those does not end. */
function markdownLines(text: string): readonly MarkdownLine[] | undefined {
  let fence: string | undefined;
  let isComment = false;
  const lines = text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line): MarkdownLine => {
      const wasInside = fence !== undefined || isComment;
      if (!isComment) fence = fenceAfter(fence, line);
      if (fence === undefined) isComment = isCommentAfter(isComment, line);
      const heading = wasInside || fence !== undefined || isComment ? undefined : /^ {0,3}#{1,6}[ \t]+(\S.*)$/.exec(line)?.[1];
      return heading === undefined ? { text: line } : { text: line, heading };
    });
  return fence !== undefined || isComment ? undefined : lines;
}

/** The mark of the open block of code after a line; undefined if none is open. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  const mark = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))(.*)$/s.exec(line);
  const [, sign = "", rest = ""] = mark ?? [];
  if (open === undefined) return sign === "" || (sign.startsWith("`") && rest.includes("`")) ? undefined : sign;
  const closes = sign.startsWith(open[0] ?? "") && sign.length >= open.length && rest.trim() === "" && sign !== "";
  return closes ? undefined : open;
}

/** True if a comment is open after a line. A further opening mark within one has no effect. */
function isCommentAfter(isOpen: boolean, line: string): boolean {
  return [...line.matchAll(/<!--|-->/g)].reduce((_, [mark]) => mark === "<!--", isOpen);
}
