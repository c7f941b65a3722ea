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
  readonly unit: "ms" | "s" | "MB" | "%" | "ms/ticket" | "bytes" | "requests" | "programs";
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
