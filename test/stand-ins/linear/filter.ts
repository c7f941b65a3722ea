/** A filter of Linear's API, which the schema has checked. */
type Filter = Readonly<Record<string, unknown>>;

const LISTS: Readonly<Record<string, (value: unknown, list: readonly unknown[]) => boolean>> = {
  in: (value, list) => list.includes(value),
  nin: (value, list) => !list.includes(value),
};

const COMPARED: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b,
};

const TEXTS: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  contains: (a, b) => a.includes(b),
  containsIgnoreCase: (a, b) => a.toLowerCase().includes(b.toLowerCase()),
  startsWith: (a, b) => a.startsWith(b),
  endsWith: (a, b) => a.endsWith(b),
  eqIgnoreCase: (a, b) => a.toLowerCase() === b.toLowerCase(),
};

/** True if a value fits a filter. Lists are collections: without `every`, one of them must fit. */
export function fits(filter: Filter, value: unknown): boolean {
  return Object.entries(filter).every(([key, wanted]) => fitsKey(key, wanted, value));
}

function fitsKey(key: string, wanted: unknown, value: unknown): boolean {
  if (wanted === undefined || wanted === null) return true;
  if (key === "and") return (wanted as readonly Filter[]).every((each) => fits(each, value));
  if (key === "or") return (wanted as readonly Filter[]).some((each) => fits(each, value));
  if (Array.isArray(value)) {
    if (key === "every") return value.every((each) => fits(wanted as Filter, each));
    if (key === "some") return value.some((each) => fits(wanted as Filter, each));
    return value.some((each) => fitsKey(key, wanted, each));
  }
  if (key === "null") return (value === null || value === undefined) === wanted;
  if (key === "eq") return value === wanted;
  if (key === "neq") return value !== wanted;
  const list = LISTS[key];
  if (list !== undefined) return list(value, wanted as readonly unknown[]);
  const compared = COMPARED[key];
  if (compared !== undefined) return compared(ordinal(value), ordinal(wanted));
  const text = TEXTS[key];
  if (text !== undefined) return typeof value === "string" && text(value, wanted as string);
  if (value === null || value === undefined) return (wanted as Filter)["null"] === true;
  if (typeof value !== "object" || !(key in value)) throw new Error(`the stand-in does not know the filter ${key}`);
  return fits(wanted as Filter, (value as Filter)[key]);
}

function ordinal(value: unknown): number {
  return typeof value === "string" ? Date.parse(value) : Number(value);
}
