import type { Zone } from "../bound/bound.ts";
import { zoneMatcher } from "../bound/zone-match.ts";
import { plainText } from "../values/text.ts";
import { type Complexity, type ComplexityRuling, classOfSize, hardestRuling } from "./classes.ts";
import { isManifest, isMigration } from "./path-kinds.ts";

/** The part of a ticket that its class depends on before anybody has worked on it. */
interface JudgedTicket {
  readonly title: string;
  readonly body: string;
  /** The class that the batch file gives it. */
  readonly complexity?: Complexity | undefined;
}

/**
 * Words of work whose risk is larger than its size. S3.22 has risk signals without a list; these words are a choice, and not
 * calibrated. No word makes a ticket easier: tickets may be written by agents.
 */
const RISKS: readonly { readonly class: Complexity; readonly words: RegExp }[] = [
  { class: "architectural", words: /\b(?:re-?architect\w*|architectur(?:e|al)|redesign\w*)\b/i },
  {
    class: "complex",
    words:
      /\b(?:migrations?|migrat(?:e|es|ing)|schema changes?|breaking changes?|public api|backwards?[- ]compatib\w+|deadlocks?|race conditions?|authentication|authori[sz]ation|encrypt\w*)\b/i,
  },
];

/** The class of a ticket that says nothing of its size. What is not known is not trivial (law 4). */
const UNKNOWN: ComplexityRuling = { class: "simple", why: "its text names nothing harder" };

/**
 * The class of a ticket before its first change: the one that the batch file gives it, else by the files and zones that its text names,
 * and by words of risk.
 */
export function complexityOfTicket({ title, body, complexity }: JudgedTicket, zones: readonly Zone[]): ComplexityRuling {
  if (complexity !== undefined) return { class: complexity, why: "the batch file says so" };
  const { paths, prose } = split(`${title}\n${body}`);
  const files = paths.filter(isFile);
  const relations = zones.map(({ path }) => ({ path, relation: zoneMatcher(path) }));
  const zone = relations.find(({ relation }) => paths.some((path) => relation(path) === "inside"));
  const manifest = files.find((path) => isManifest(path) || isMigration(path));
  const risks = RISKS.flatMap(({ class: is, words }): ComplexityRuling[] => {
    const [word] = words.exec(prose) ?? [];
    return word === undefined ? [] : [ruling(is, `its text says "${word}"`)];
  });
  return hardestRuling(
    UNKNOWN,
    ...[
      { class: classOfSize({ files: files.length }), why: `its text names ${files.length} files` },
      ...(zone ? [ruling("complex", `its text names the zone ${zone.path}`)] : []),
      ...(manifest ? [ruling("complex", `its text names ${manifest}`)] : []),
      ...risks,
    ],
  );
}

function ruling(is: Complexity, why: string): ComplexityRuling {
  return { class: is, why: plainText(why, 200) };
}

/** Characters of a path or a word that is looked at: longer ones take patterns long to search. */
const MOST_WORD = 400;

/** Separates what looks like a path from the prose around it. Each path is listed once; addresses of pages are neither. */
function split(text: string): { readonly paths: readonly string[]; readonly prose: string } {
  const paths = new Set<string>();
  const prose: string[] = [];
  for (const word of text.split(/[\s`"'()<>[\]{},;|]+/)) {
    if (word.length > MOST_WORD || word.includes("://")) continue;
    const path = word
      .replace(/(?<![.:!?])[.:!?]+$/, "")
      .replace(/^\.\//, "")
      .replace(/(?<!\/)\/+$/, "");
    if (path.includes("/") || isFile(path)) paths.add(path);
    else prose.push(word);
  }
  return { paths: [...paths], prose: prose.join(" ") };
}

/** True for a path whose last part ends as names of files do: `src/pay.ts`, and not `and/or` or `e.g`. */
function isFile(path: string): boolean {
  const [name, least] = path.includes("/") ? [path.slice(path.lastIndexOf("/") + 1), 1] : [path, 2];
  return /^[\w.@+-]+\.[a-z]\w{0,7}$/i.test(name) && name.lastIndexOf(".") >= least;
}
