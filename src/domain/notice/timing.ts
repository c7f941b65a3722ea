/** The hours of a route in which it is told nothing, and the time of its one message a day: of this machine's clock. */
interface NoticeTimes {
  readonly quiet?: string | undefined;
  readonly digest?: string | undefined;
}

const DAY_MINUTES = 24 * 60;

/** The first moment, from `now` on, at which a route may be told. Milliseconds since the epoch. */
export function tellableAt({ quiet, digest }: NoticeTimes, now: number): number {
  const at = digest === undefined ? now : next(now, minutesIn(digest));
  if (quiet === undefined) return at;
  const [from = 0, to = 0] = quiet.split("-").map(minutesIn);
  const minute = minuteOfDay(at);
  const isQuiet = from <= to ? minute >= from && minute < to : minute >= from || minute < to;
  return isQuiet ? next(at, to) : at;
}

/** The next moment at this minute of a day. */
function next(now: number, minute: number): number {
  const date = new Date(now);
  date.setHours(Math.floor(minute / 60), minute % 60, 0, 0);
  if (date.getTime() < now) date.setDate(date.getDate() + 1);
  return date.getTime();
}

function minuteOfDay(at: number): number {
  const date = new Date(at);
  return (date.getHours() * 60 + date.getMinutes()) % DAY_MINUTES;
}

function minutesIn(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
