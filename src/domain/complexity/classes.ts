/** How hard a ticket is, the easiest first (S3.22). */
export const COMPLEXITIES = ["trivial", "simple", "complex", "architectural"] as const;
export type Complexity = (typeof COMPLEXITIES)[number];

/** A class, and what put the ticket into it, in a few words that are safe for a terminal. */
export interface ComplexityRuling {
  readonly class: Complexity;
  readonly why: string;
}

/** The most lines (added and deleted) and files of a change of each class; what is larger is architectural (S3.22). */
const MOST: readonly { readonly class: Complexity; readonly lines: number; readonly files: number }[] = [
  { class: "trivial", lines: 20, files: 1 },
  { class: "simple", lines: 100, files: 3 },
  { class: "complex", lines: 500, files: 10 },
];

/** The class of a change or a task of this size. A part that is not known counts as none. */
export function classOfSize({ lines = 0, files = 0 }: { readonly lines?: number; readonly files?: number }): Complexity {
  return MOST.find((most) => lines <= most.lines && files <= most.files)?.class ?? "architectural";
}

/** True if the first class is harder than the second. */
export function isHarder(one: Complexity, other: Complexity): boolean {
  return COMPLEXITIES.indexOf(one) > COMPLEXITIES.indexOf(other);
}

/** The hardest of several rulings; of equally hard ones, the first. */
export function hardestRuling(first: ComplexityRuling, ...more: readonly ComplexityRuling[]): ComplexityRuling {
  return more.reduce((hardest, each) => (isHarder(each.class, hardest.class) ? each : hardest), first);
}
