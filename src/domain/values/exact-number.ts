/** The JSON text of a number, as digits without zeros around them, and a power of ten. Undefined for what is no JSON number. */
function decimalOf(source: string): { readonly digits: string; readonly exponent: number; readonly minus: boolean } | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (parts === null) return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = parts;
  const all = (whole + fraction).replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  if (digits === "") return { digits: "", exponent: 0, minus: false };
  return { digits, exponent: Number(power) - fraction.length + all.length - digits.length, minus: sign === "-" };
}

/**
 * Whether a number that stands in JSON is this one, to the last digit: 1.0 and 1e0 are 1, but 9007199254740993 is not
 * 9007199254740992, though both become the same double.
 */
export function isExactly(source: string, value: number): boolean {
  const [one, other] = [decimalOf(source), decimalOf(String(value))];
  if (one === undefined || other === undefined) return false;
  return one.digits === other.digits && one.exponent === other.exponent && one.minus === other.minus;
}

/** Whether every number in a JSON value is one that a file could say exactly: beyond 2^53 whole numbers are rounded when read. */
export function holdsExactNumbers(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return typeof value !== "object" || value === null || Object.values(value).every(holdsExactNumbers);
}
