import { isAbsolute } from "node:path";
import type { ServicePlace } from "./service-reading.ts";
import { CannotJudge, checkedList, checkedObject, checkedText, jsonOf, ticketIdOf } from "./shape.ts";

/** The kind and place of the tracker. Paths are absolute. */
export type TrackerPlace =
  | { readonly kind: "embedded"; readonly file: string }
  | { readonly kind: "folder"; readonly folder: string }
  /** What the program of a tracker has printed for this judgement. */
  | { readonly kind: "listing"; readonly file: string }
  | ServicePlace;

export interface JudgedBatch {
  readonly tracker: TrackerPlace;
  readonly tickets: readonly string[];
}

/** Reads the batch to judge: `{version: 1, tracker, tickets: [ids]}`, with no other keys. */
export function parseBatch(text: string): JudgedBatch {
  const root = checkedObject(jsonOf(text, "the batch"), "the batch", ["version", "tracker", "tickets"]);
  if (root.get("version") !== 1) throw new CannotJudge("the batch is of another version than 1");
  const tickets = checkedList(root.get("tickets"), "the batch's list of tickets").map((id, at) =>
    ticketIdOf(id, `ticket ${at + 1} of the batch`),
  );
  return { tracker: placeOf(root.get("tracker")), tickets };
}

function placeOf(value: unknown): TrackerPlace {
  const kind = checkedObject(
    value,
    "the batch's tracker",
    ["kind"],
    [...["file", "folder", "canceled", "keys", "repos", "repoIds"]],
  ).get("kind");
  if (kind === "linear" || kind === "github") return serviceOf(kind, value);
  if (kind === "embedded" || kind === "listing") {
    return { kind, file: pathOf(checkedObject(value, "the batch's tracker", ["kind", "file"]).get("file")) };
  }
  if (kind === "folder") {
    return { kind, folder: pathOf(checkedObject(value, "the batch's tracker", ["kind", "folder"]).get("folder")) };
  }
  throw new CannotJudge(`the batch's tracker is of an unknown kind: ${JSON.stringify(kind)}`);
}

function serviceOf(kind: ServicePlace["kind"], value: unknown): ServicePlace {
  const place = checkedObject(value, "the batch's tracker", ["kind", "canceled", "keys", "repos"], ["repoIds"]);
  const canceled = place.get("canceled");
  if (canceled !== "open" && canceled !== "settled") throw new CannotJudge("the batch does not say what a canceled ticket is");
  const repoIds = place.has("repoIds") ? textsOf(place.get("repoIds"), "repositories") : new Map<string, string>();
  const repos = textsOf(place.get("repos"), "repositories");
  return { kind, canceled, keys: textsOf(place.get("keys"), "keys"), repos, repoIds };
}

function textsOf(value: unknown, what: string): ReadonlyMap<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new CannotJudge(`the batch has no ${what}`);
  return new Map(Object.entries(value).map(([name, text]) => [name, checkedText(text, `one of the batch's ${what}`)]));
}

function pathOf(value: unknown): string {
  const path = checkedText(value, "the tracker's path");
  if (!isAbsolute(path)) throw new CannotJudge("the tracker's path is not absolute");
  return path;
}
