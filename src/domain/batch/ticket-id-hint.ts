import { displayValue } from "@loopdash/values";
import type { GitHubSpec, TrackerSpec } from "./tracker-spec.ts";

/** The longest prefix; a ticket's id has at most 64 characters, and discovered tickets get longer ones. */
const MAX_PREFIX = 40;

/** Spellings that a hint names. */
const MAX_SPELT = 4;

/** What comes before the number in the ids of each repository's tickets, and its `owner/name`, in the batch's order. */
export function listTicketPrefixes({ repo = "", repos }: GitHubSpec): readonly (readonly [prefix: string, fullName: string])[] {
  return repos === undefined ? [[ticketPrefix(repo), repo]] : Object.entries(repos);
}

/** A repository's own name, in which characters that no id may have became `-`. */
function ticketPrefix(fullName: string): string {
  const name = fullName.slice(fullName.indexOf("/") + 1).replace(/[^A-Za-z0-9_.-]|\.(?=\.)/g, "-");
  return (
    name
      .replace(/^[^A-Za-z0-9]+/, "")
      .slice(0, MAX_PREFIX)
      .replace(/\.$/, "-") || "issue"
  );
}

/** How an id with this number is spelt in Linear or on GitHub, if it is spelt otherwise; undefined if the spelling is right. */
export function ticketIdHint(tracker: TrackerSpec, id: string): string | undefined {
  const [, number] = /^(?:.*[^\d])?(\d{1,9})$/.exec(id) ?? [];
  const spelt = prefixesIn(tracker).map((prefix) => `${prefix}-${number ?? "7"}`);
  if (spelt.length === 0 || spelt.includes(id) || /-d\d+$/.test(id)) return undefined;
  const more = spelt.length > MAX_SPELT ? " …" : "";
  return `${number === undefined ? "ids are written as" : "write"} ${spelt.slice(0, MAX_SPELT).map(displayValue).join(" or ")}${more}`;
}

function prefixesIn(tracker: TrackerSpec): readonly string[] {
  if (tracker.kind === "github") return listTicketPrefixes(tracker).map(([prefix]) => prefix);
  return tracker.kind === "linear" && tracker.team !== undefined ? [tracker.team] : [];
}
