/** A service that keeps the tickets. `keys`: its own key of each ticket, by the ticket's id. */
export interface ServicePlace {
  readonly kind: "linear" | "github";
  /** What a ticket is that was canceled, or closed as a duplicate or not planned. */
  readonly canceled: "open" | "settled";
  readonly keys: ReadonlyMap<string, string>;
  /** GitHub's repositories by the names that begin tickets' ids, as owner/name; empty for Linear. */
  readonly repos: ReadonlyMap<string, string>;
  /** GitHub's own ids of them. One that has an id is known by it: names change. */
  readonly repoIds: ReadonlyMap<string, string>;
}

/** What the readers of answers need to know. `stamps` collects what changes with each write of a ticket. */
export interface ServiceReading extends Omit<ServicePlace, "kind" | "keys"> {
  readonly idOf: (key: string) => string | undefined;
  readonly stamps: string[];
}

const STEP = /^Human step: (.+?)\r?$/;

/** What is left to a person: the first line of the newest comment that begins with it; undefined if there is none. */
export function gateStep(comments: readonly { readonly body: string; readonly at: string }[]): string | undefined {
  const steps = comments.flatMap(({ body, at }) => {
    const [line = ""] = body.split("\n", 1);
    const step = STEP.exec(line)?.[1]?.trim() ?? "";
    const time = Date.parse(at);
    return step === "" || step.length > 500 || Number.isNaN(time) ? [] : [{ step, time }];
  });
  return steps.reduce((newest: { step: string; time: number } | undefined, each) => {
    return newest === undefined || each.time >= newest.time ? each : newest;
  }, undefined)?.step;
}
