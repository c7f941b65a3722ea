import { describe, expect, test } from "vitest";
import { Between, type Heard, type Lie } from "../adversary/trackers/between.ts";
import { type Service, stagedIn } from "./services.ts";

const LATE = 300_000;
/** Runs at a time. */
const AT_A_TIME = 3;
/** Beyond the largest answer that is taken, 64 MiB, there is what the system's buffers hold. Bytes. */
const MOST_TAKEN = 96 * 1024 * 1024;

const withErrors = (answer: string): string =>
  JSON.stringify({ ...JSON.parse(answer), errors: [{ message: "half of it is missing", type: "SERVICE_UNAVAILABLE" }] });

/** What a service says in place of the truth. `thief` is the address of another host. */
const LIES: Readonly<Record<string, (thief: string) => Lie>> = {
  "a page of HTML": () => ({ status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" }),
  "JSON that is no answer": () => ({ status: 200, headers: { "content-type": "application/json" }, body: '{"data":{}}' }),
  "half an answer": () => "half",
  "data beside errors": () => (answer) => (answer.startsWith("{") ? withErrors(answer) : answer),
  "a redirect": (thief) => ({ status: 307, headers: { location: `${thief}/stolen` }, body: "" }),
  "a redirect with an answer": (thief) => ({
    status: 302,
    headers: { location: `${thief}/stolen`, "content-type": "application/json" },
    body: '{"data":{"nodes":[],"issues":{"nodes":[],"pageInfo":{"hasNextPage":false}}}}',
  }),
  "an answer without an end": () => "endless",
};

const isOracles = ({ isOracle }: Heard): boolean => isOracle;

interface Outcome {
  readonly code: number | null;
  readonly verdict: string;
  readonly stolen: number;
  readonly hasToken: boolean;
  readonly isBounded: boolean;
}

async function liedTo(
  kind: Service["kind"],
  isLiedTo: (request: Heard) => boolean,
  lie: (thief: string) => Lie,
): Promise<Outcome> {
  const [between, thief] = [await Between.open(), await Between.open()];
  const { stage, service, run } = await stagedIn(kind, [[1]], {
    tracker: between.address(kind),
    limits: { outageMinutes: 0.03 },
  });
  between.leadTo(service);
  let hasWritten = false;
  between.lie = (request) => {
    hasWritten ||= request.isWrite;
    return hasWritten && isLiedTo(request) ? lie(thief.origin) : undefined;
  };
  const { code, stdout, stderr, events } = await run();
  const end = events.find((event) => event.type === "run-ended");
  const said = stdout + stderr + stage.everything();
  return {
    code,
    verdict: end?.verdict ?? stderr,
    stolen: thief.heard.length,
    hasToken: Object.values(service.env).some((token) => said.includes(token)),
    isBounded: between.sent < MOST_TAKEN,
  };
}

/** Each lie in a run of its own, a few at a time. */
async function endsUnjudged(kind: Service["kind"], isLiedTo: (request: Heard) => boolean): Promise<void> {
  const outcomes: [string, Outcome][] = [];
  const left = Object.entries(LIES);
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      outcomes.push([next[0], await liedTo(kind, isLiedTo, next[1])]);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  const honest: Outcome = { code: 3, verdict: "unjudged", stolen: 0, hasToken: false, isBounded: true };
  expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(Object.keys(LIES).map((what) => [what, honest])));
}

describe("a run, once it has written,", { timeout: LATE }, () => {
  test("ends unjudged if linear lies to everybody, and its token goes nowhere else", () => endsUnjudged("linear", () => true));
  test("ends unjudged if linear lies to the oracle, and its token goes nowhere else", () => endsUnjudged("linear", isOracles));
  test("ends unjudged if github lies to everybody, and its token goes nowhere else", () => endsUnjudged("github", () => true));
  test("ends unjudged if github lies to the oracle, and its token goes nowhere else", () => endsUnjudged("github", isOracles));
});
