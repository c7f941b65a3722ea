import type { RestAnswer, RestRequest } from "../rest.ts";
import type { Forge } from "./forge.ts";
import type { Found } from "./host.ts";
import { Refusal } from "./refusal.ts";

/** A request to the forge's part of the REST API. Writes are given the state of now, reads what the stand-in lets them see. */
export interface ForgeRequest extends RestRequest {
  readonly forge: Forge;
  readonly found: Found;
  readonly canWrite: boolean;
  readonly isAdmin: boolean;
}

export type Route = (request: ForgeRequest) => Promise<RestAnswer> | RestAnswer;

/** By method and path after `/repos/{owner}/{repo}`. */
export type Routes = Readonly<Record<string, Route>>;

/** Where GitHub's errors point to. */
export const DOCS = "https://docs.github.com/rest";

/** A page of a list's items. */
export function pageOf<T>({ query }: RestRequest, items: readonly T[]): { readonly items: readonly T[]; readonly next?: number } {
  const size = Math.min(100, Number(query.get("per_page") ?? 30));
  const at = Number(query.get("page") ?? 1);
  return { items: items.slice((at - 1) * size, at * size), ...(at * size < items.length && { next: at + 1 }) };
}

/** A list of bodies, by pages. */
export function listAnswer<T>(request: RestRequest, all: readonly T[], bodyOf: (item: T) => object): RestAnswer {
  const { items, ...more } = pageOf(request, all);
  return { status: 200, body: items.map(bodyOf), ...more };
}

/** What a parameter's number names; GitHub says "Not Found" to all others. */
export function byNumber<T>(items: readonly T[], numberOf: (item: T) => number, text: string | undefined): T {
  const found = items.find((item) => numberOf(item) === Number(text));
  if (found === undefined) throw new Refusal(404, "Not Found");
  return found;
}
