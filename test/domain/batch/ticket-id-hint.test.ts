import { expect, test } from "vitest";
import { ticketIdHint } from "../../../src/domain/batch/ticket-id-hint.ts";
import { TrackerSpec } from "../../../src/domain/batch/tracker-spec.ts";

const one = TrackerSpec.parse({ kind: "github", repo: "acme/web.site" });
const several = TrackerSpec.parse({ kind: "github", repos: { app: "acme/app", infra: "acme/infra" } });
const linear = TrackerSpec.parse({ kind: "linear", team: "ENG" });

test.for<[tracker: TrackerSpec, id: string, hint: string | undefined]>([
  [one, "7", 'write "web.site-7"'],
  [one, "site-7", 'write "web.site-7"'],
  [several, "7", 'write "app-7" or "infra-7"'],
  [several, "App-12", 'write "app-12" or "infra-12"'],
  [several, "seven", 'ids are written as "app-7" or "infra-7"'],
  [several, "infra-7", undefined],
  [several, "infra-7-d1", undefined],
  [linear, "eng-7", 'write "ENG-7"'],
  [linear, "ENG-7", undefined],
  [TrackerSpec.parse({ kind: "linear", label: "x" }), "7", undefined],
  [TrackerSpec.parse({ kind: "local", path: "t" }), "7", undefined],
])("%j %s", ([tracker, id, hint]) => {
  expect(ticketIdHint(tracker, id)).toBe(hint);
});
