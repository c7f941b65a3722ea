/** Milliseconds as `41s`, `2:10` or `5:58:40`. */
export function formatDuration(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000));
  const [h, m, s] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  if (h > 0) return `${h}:${two(m)}:${two(s)}`;
  return m > 0 ? `${m}:${two(s)}` : `${s}s`;
}

/** A moment in UTC, the same for every reader: `2026-01-31 14:03:22`. Milliseconds since the epoch. */
export function utcTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

/** The same with its zone: `2026-01-31 14:03:22 UTC`. */
export function formatUtc(ms: number): string {
  return `${utcTime(ms)} UTC`;
}
