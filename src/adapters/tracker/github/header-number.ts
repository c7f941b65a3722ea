/** A header's value as a whole number from 0 on; undefined if it is none. */
export function wholeNumberOf(value: string | number | null | undefined): number | undefined {
  const text = String(value ?? "");
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
