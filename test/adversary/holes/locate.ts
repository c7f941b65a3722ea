import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { closest } from "fastest-levenshtein";
import { ROOT } from "../../../scripts/build/bundle.ts";
import { type Declaration, findDeclarations } from "./declarations.ts";
import { findPiece, type Span } from "./match.ts";

/** A piece of the source, and its replacement in a build without the defence. */
export type Hole = HoleInDeclaration | HoleInFile;

/** It survives the formatter and a move of its code: it names no file, and white space means nothing. */
interface HoleInDeclaration {
  /** The innermost declaration at a file's top level that contains the piece: `name`, or `Class.member`. */
  readonly in: string;
  /** Code that the declaration contains exactly once. */
  readonly from: string;
  readonly to: string;
}

/** A hole outside any declaration: in a file that is not TypeScript, or in a statement at a file's top level. */
interface HoleInFile {
  /** The file's name, without folders. */
  readonly file: string;
  /** Text that the file contains exactly once. */
  readonly from: string;
  readonly to: string;
}

/** Where a hole is. */
export interface Place extends Span {
  /** From the root of the repository. */
  readonly path: string;
}

/** The texts of source files, by their paths from the root of the repository. */
export type Sources = ReadonlyMap<string, string>;

/** What a file declares at its top level. In a formatted file, it begins a line. */
const DECLARED = /^(?:export )?(?:abstract |async |declare )*(?:class|const|enum|function\*?|interface|let|type) ([\w$]+)/gm;

interface Candidate extends Declaration {
  readonly path: string;
  readonly text: string;
}

/** Finds holes in sources. It parses only the files that declare a hole's name. */
export class HoleLocator {
  readonly #sources: Sources;
  /** By names of declarations. */
  readonly #paths = new Map<string, Set<string>>();
  readonly #candidates = new Map<string, readonly Candidate[]>();

  constructor(sources: Sources) {
    this.#sources = sources;
    for (const [path, text] of sources) {
      const names = isCode(path) ? [...text.matchAll(DECLARED)].map(([, name = ""]) => name) : [];
      for (const name of names) this.#paths.set(name, (this.#paths.get(name) ?? new Set()).add(path));
    }
  }

  /** Throws if the hole is nowhere, or in several places. */
  locate(hole: Hole): Place {
    return "file" in hole ? this.#locateInFile(hole) : this.#locateInDeclaration(hole);
  }

  /** The sources that holes change, with these holes. Throws if two overlap. */
  dig(holes: readonly Hole[]): Sources {
    const places = [...new Set(holes)].map((hole) => ({ ...this.locate(hole), hole }));
    const byPath = [...Map.groupBy(places, ({ path }) => path)];
    return new Map(byPath.map(([path, each]) => [path, replace(this.#text(path), each)]));
  }

  #text(path: string): string {
    return this.#sources.get(path) ?? "";
  }

  #locateInDeclaration({ in: name, from }: HoleInDeclaration): Place {
    const counted = this.#named(name).map((each) => ({ ...each, spans: findPiece(each.text, from) }));
    const [only, ...others] = counted.filter(({ spans }) => spans.length === 1);
    const [span] = only?.spans ?? [];
    if (only !== undefined && span !== undefined && others.length === 0)
      return { path: only.path, start: only.start + span.start, end: only.start + span.end };
    const holders = counted.filter(({ spans }) => spans.length > 0);
    const counts = (holders.length > 0 ? holders : counted).map(({ path, spans }) => `${path} has ${spans.length}`);
    const lines = counted.flatMap(({ text }) => text.split("\n"));
    const nearest = holders.length > 0 ? "" : `; the nearest line is ${JSON.stringify(nearestLine(from, lines))}`;
    throw new Error(`${name} does not contain ${JSON.stringify(from)} exactly once: ${counts.join(", ")}${nearest}`);
  }

  /** All declarations of a name. Throws if there is none. */
  #named(name: string): readonly Candidate[] {
    const all = this.#declaredIn(name);
    const found = all.filter((each) => each.name === name);
    if (found.length > 0) return found;
    const nearest = closest(name, all.length > 0 ? all.map((each) => each.name) : [...this.#paths.keys()]);
    const paths = this.#declaredIn(nearest).map(({ path }) => path);
    throw new Error(`no declaration is named ${name}; the nearest is ${nearest} in ${[...new Set(paths)].join(", ")}`);
  }

  /** All declarations of the files that declare a name, or its class. */
  #declaredIn(name: string): readonly Candidate[] {
    return [...(this.#paths.get(name.split(".")[0] ?? "") ?? [])].flatMap((path) => this.#declarations(path));
  }

  #declarations(path: string): readonly Candidate[] {
    const text = this.#text(path);
    const found =
      this.#candidates.get(path) ??
      findDeclarations(path, text).map((each) => ({ ...each, path, text: text.slice(each.start, each.end) }));
    this.#candidates.set(path, found);
    return found;
  }

  #locateInFile({ file, from }: HoleInFile): Place {
    const [path = "", ...others] = [...this.#sources.keys()].filter((each) => basename(each) === file);
    if (path === "") throw new Error(`no source is named ${file}`);
    if (others.length > 0) throw new Error(`several sources are named ${file}: ${[path, ...others].join(", ")}`);
    const spans = isCode(path) ? findPiece(this.#text(path), from) : findText(this.#text(path), from);
    const [span] = spans;
    if (span === undefined || spans.length > 1) throw new Error(`${path} has ${spans.length} of ${JSON.stringify(from)}`);
    const holder = isCode(path) && this.#declarations(path).find(({ start, end }) => start <= span.start && span.end <= end);
    if (holder) throw new Error(`${JSON.stringify(from)} is in ${holder.name}: name that in place of ${file}`);
    return { path, ...span };
  }
}

const isCode = (path: string): boolean => /\.tsx?$/.test(path);

/** The line that has the most words and signs of a piece. */
function nearestLine(piece: string, lines: readonly string[]): string | undefined {
  const wordsOf = (text: string): Set<string> => new Set(text.match(/[\w$]+|[^\w\s]/g));
  const wanted = wordsOf(piece);
  const shared = lines.map((line) => [...wordsOf(line)].filter((word) => wanted.has(word)).length);
  return lines[shared.indexOf(Math.max(...shared))]?.trim();
}

function findText(text: string, piece: string): readonly Span[] {
  const parts = text.split(piece).slice(0, -1);
  let end = 0;
  return parts.map(({ length }) => {
    const start = end + length;
    end = start + piece.length;
    return { start, end };
  });
}

function replace(text: string, places: readonly (Span & { readonly hole: Hole })[]): string {
  let at = 0;
  let replaced = "";
  for (const { start, end, hole } of places.toSorted((a, b) => a.start - b.start)) {
    if (start < at) throw new Error(`${JSON.stringify(hole.from)} overlaps another hole`);
    replaced += text.slice(at, start) + hole.to;
    at = end;
  }
  return replaced + text.slice(at);
}

let ours: HoleLocator | undefined;

/** The locator of the program's own sources, which it reads once per process. */
export function programLocator(): HoleLocator {
  const readAll = (): Sources => {
    const paths = globSync(["{src,packages/*/src,components,oracle}/**/*.{ts,tsx}", "packages/*/src/**/*.pl"], { cwd: ROOT });
    return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
  };
  ours ??= new HoleLocator(readAll());
  return ours;
}
