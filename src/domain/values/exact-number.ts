/**
 * The JSON text of a number as its digits, without leading and trailing zeros, and a power of ten. Undefined if it is not JSON
 * number.
 */
function parseDecimal(
  source: string,
): { readonly digits: string; readonly exponent: number; readonly minus: boolean } | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (parts === null) return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = parts;
  const all = (whole + fraction).replace(/^0+/, "");
  const digits = all.replace(/(?<!0)0+$/, "");
  if (digits === "") return { digits: "", exponent: 0, minus: false };
  return { digits, exponent: Number(power) - fraction.length + all.length - digits.length, minus: sign === "-" };
}

/**
 * True if a number in JSON equals this one to the last digit: 1.0 and 1e0 are 1, but 9007199254740993 is not 9007199254740992,
 * though both become the same double.
 */
export function isExactly(source: string, value: number): boolean {
  const [one, other] = [parseDecimal(source), parseDecimal(String(value))];
  if (one === undefined || other === undefined) return false;
  return one.digits === other.digits && one.exponent === other.exponent && one.minus === other.minus;
}

/** True if a file can represent every number of a JSON value exactly: whole numbers beyond 2^53 are rounded on reading. */
export function holdsExactNumbers(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return typeof value !== "object" || value === null || Object.values(value).every(holdsExactNumbers);
}
