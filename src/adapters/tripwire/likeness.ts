import { randomInt } from "node:crypto";
import { TicketId } from "../../domain/values/ids.ts";
import { chooseOne } from "./random.ts";

/** The look of a batch's own tickets, for canaries that cannot be told from them. */
export interface Likeness {
  readonly tickets: readonly { readonly id: TicketId; readonly title: string; readonly body: string }[];
}

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const MAX_ATTEMPTS = 50;

/**
 * New ids in the shape of the batch's ids: numbers become other numbers of about the same length. If that does not give enough,
 * letters become other letters too, and finally digits are appended.
 */
export function idsLike(known: readonly TicketId[], count: number): TicketId[] {
  const taken = new Set(known.map((id) => id.toLowerCase()));
  const ids: TicketId[] = [];
  for (let attempt = 0; ids.length < count; attempt += 1) {
    const letters = attempt > MAX_ATTEMPTS * count || !known.some((id) => /\d/.test(id));
    const more = attempt > 2 * MAX_ATTEMPTS * count ? String(randomInt(10 ** 9)) : "";
    const id = TicketId.safeParse(`${other(chooseOne(known), letters)}${more}`);
    if (!id.success || taken.has(id.data.toLowerCase())) continue;
    taken.add(id.data.toLowerCase());
    ids.push(id.data);
  }
  return ids;
}

function other(id: string, letters: boolean): string {
  const changed = id.replace(/\d+/g, (run) => numberLike(run));
  if (!letters) return changed;
  const lower = changed.replace(/[a-z]/g, () => chooseOne([...LOWER]));
  return lower.replace(/[A-Z]/g, () => chooseOne([...LOWER]).toUpperCase());
}

/** As long, or one digit longer; a number with leading zeros keeps its length. */
function numberLike(run: string): string {
  const padded = run.startsWith("0");
  const length = run.length + (padded ? 0 : randomInt(2));
  const digits = Array.from({ length }, (_, at) => chooseOne([...(at === 0 && !padded ? DIGITS.slice(1) : DIGITS)]));
  return digits.join("");
}

const WORDS = (
  "add align allow bound cache check clean close count cover cut drop fetch fix fold guard hide index keep lift link list load " +
  "lock log map mark merge move name open order page parse plan point print queue quote read relay reset retry round save scan " +
  "send show sort split start stop store strip sum swap sync tag test tidy time trace trim tune type wait warn watch wrap write"
).split(" ");

/** A title: one of the batch's own, or a few words. */
export function titleLike({ tickets }: Likeness): string {
  if (tickets.length > 0 && randomInt(3) === 0) return chooseOne(tickets).title;
  const words = Array.from({ length: 2 + randomInt(6) }, () => chooseOne(WORDS)).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A step that is left to a person. */
export function stepLike(): string {
  return Array.from({ length: 2 + randomInt(5) }, () => chooseOne(WORDS)).join(" ");
}
