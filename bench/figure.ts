/** Something small measured in the same run, for comparison with a figure. */
export interface Floor {
  readonly what: string;
  readonly value: number;
}

/** One measured number with its bound. `ratio` is value / floor.value. */
export interface Figure {
  readonly item: string;
  readonly what: string;
  readonly value: number;
  readonly unit: "ms" | "s" | "suites" | "MB" | "%" | "ms/ticket" | "bytes" | "requests" | "runs" | "programs";
  readonly floor?: Floor;
  readonly ratio?: number;
  /** The upper bound; a figure without a bound only informs. */
  readonly bound?: { readonly on: "value" | "ratio"; readonly max: number };
  readonly pass: boolean;
  readonly note?: string;
}

/** The command line's options for every item. */
export interface BenchOptions {
  /** Fewer rounds and shorter runs: to check that the benchmark works, not for figures to quote. */
  readonly quick: boolean;
  readonly log: (line: string) => void;
}

/** An item that did not run. */
export interface ItemFailure {
  readonly item: string;
  readonly problem: string;
}

/** One item of the benchmark. */
export interface Bench {
  readonly name: string;
  readonly about: string;
  /** Runs only if it is requested by name or by its own option. */
  readonly onRequest?: boolean;
  run(options: BenchOptions): Promise<readonly Figure[]>;
}

/** A figure bounded by its ratio to a floor. */
export function ratioFigure(figure: Omit<Figure, "ratio" | "bound" | "pass"> & { floor: Floor; max: number }): Figure {
  const { max, ...rest } = figure;
  const ratio = figure.value / figure.floor.value;
  return { ...rest, ratio, bound: { on: "ratio", max }, pass: ratio <= max };
}

/** A figure bounded by itself; a floor, if there is one, gives the ratio for comparison. */
export function valueFigure(figure: Omit<Figure, "ratio" | "bound" | "pass"> & { max: number }): Figure {
  const { max, ...rest } = figure;
  const ratio = figure.floor === undefined ? {} : { ratio: figure.value / figure.floor.value };
  return { ...rest, ...ratio, bound: { on: "value", max }, pass: figure.value <= max };
}

/** A figure that only informs. */
export function noteFigure(figure: Omit<Figure, "ratio" | "bound" | "pass">): Figure {
  const ratio = figure.floor === undefined ? {} : { ratio: figure.value / figure.floor.value };
  return { ...figure, ...ratio, pass: true };
}

/**
 * The factor on bounds in the short share that `.ci/run` measures: one run of each item, on a machine that may be slow or busy.
 * Counts do not depend on the machine.
 */
const SLACK: Readonly<Record<Figure["unit"], number>> = {
  ms: 2,
  s: 2,
  // The short share has a suite of two seconds, of which a slow machine needs several to start and prepare anything.
  suites: 4,
  // A slope between two single runs has the noise of both.
  "ms/ticket": 4,
  "%": 2,
  MB: 1.2,
  bytes: 1,
  requests: 1,
  runs: 1,
  programs: 1,
};

/** The figure with the wider bound of the short share. */
export function widenBound(figure: Figure): Figure {
  const { bound, ratio = Number.NaN, unit, value } = figure;
  if (bound === undefined) return figure;
  const max = bound.max * SLACK[unit];
  return { ...figure, bound: { on: bound.on, max }, pass: (bound.on === "ratio" ? ratio : value) <= max };
}
