/** Amounts are whole cents, so no sum is ever off by a fraction. */

/** "1234" cents as "12.34 EUR". */
export function formatCents(cents, currency = "EUR") {
  const sign = cents < 0 ? "-" : "";
  const digits = String(Math.abs(cents)).padStart(3, "0");
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)} ${currency}`;
}

/** "12.34" or "12" as cents. Throws on anything else. */
export function parseAmount(text) {
  const match = /^(-?)(\d+)(?:\.(\d{2}))?$/.exec(text);
  if (match === null) throw new RangeError(`not an amount: ${text}`);
  const cents = Number(match[2]) * 100 + Number(match[3] ?? 0);
  return match[1] === "-" ? -cents : cents;
}
