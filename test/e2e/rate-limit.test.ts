import { expect, onTestFinished, test } from "vitest";
import { anEmptyWorld, aTeam } from "../stand-ins/linear/model.ts";
import { LinearStandIn } from "../stand-ins/linear/stand-in.ts";
import { HONEST, Stage } from "./stage.ts";

/** Requests of the engine before Linear limits them, and for how long it does. */
const [FREE, LIMITED_MS] = [25, 4_000];
const TICKETS = [1, 2, 3, 4, 5, 6];

test("Linear limits the rate with quota left: nobody asks meanwhile, one asks first after it, and the words say so", {
  timeout: 300_000,
}, async () => {
  const { team, states } = aTeam("ENG");
  const standIn = await LinearStandIn.start({ world: { ...anEmptyWorld(), teams: [team], states: [...states] } });
  const stage = new Stage();
  onTestFinished(async () => {
    stage[Symbol.dispose]();
    await standIn.stop();
  });
  for (const number of TICKETS) standIn.people.createIssue({ teamId: team.id, number, title: `Do ${number}`, description: "" });
  stage.repo("app");
  stage.agent(HONEST);
  let [since, asked] = [0, 0];
  const meanwhile: string[] = [];
  // The oracle is a process of its own, which repeats its one reading by itself.
  standIn.fault = ({ name }) => {
    if (name.startsWith("LoopdashOracle")) return undefined;
    asked += 1;
    if (asked <= FREE) return undefined;
    if (since === 0) since = Date.now();
    const left = since + LIMITED_MS - Date.now();
    if (left <= 0) return undefined;
    meanwhile.push(name);
    return {
      status: 400,
      headers: { "retry-after": String(Math.ceil(left / 1000)) },
      body: { errors: [{ message: "Rate limit exceeded", extensions: { code: "RATELIMITED", type: "ratelimited" } }] },
    };
  };
  const tracker = { kind: "linear", team: "ENG", apiUrl: standIn.url };
  const batch = stage.batch([], { sandbox: "required", tracker, limits: { workers: 6 } });
  const { code, stdout, stderr } = await stage.run([batch, "--headless"], { LINEAR_API_KEY: LinearStandIn.TOKEN });
  expect(code, stdout + stderr).toBe(0);
  // Two requests may be under way when the first is refused.
  expect(meanwhile.length, meanwhile.join("\n")).toBeLessThanOrEqual(2);
  expect(meanwhile.length).toBeGreaterThan(0);
  expect(stdout).toMatch(
    /the tracker takes no requests for now: Linear's rate limit is reached for this token; it is asked again in/,
  );
  expect(stdout).not.toContain("away takes no requests");
});
