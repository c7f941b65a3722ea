/**
 * The plan of a deployment, which needs the site and the shop's checkout. Its last step, the record of shop.example, belongs to
 * someone else: the work lands, and that step is left to a person.
 */
export async function work(kit) {
  await kit.read("src/site.js");
  await kit.read("templates/unit.service");
  await kit.think("Order matters: test, then the unit, then the site, then one request to /checkout", 600);
  await kit.write("src/deploy.js", DEPLOY);
  await kit.write("src/deploy.test.js", TESTS);
  await kit.test();
  await kit.block({
    command: ["node", "scripts/registrar.mjs"],
    claim: "shop.example cannot be pointed at the new server: its records belong to another account",
    wall: "the registrar lets only the owner of shop.example change its records",
    tried: "built the whole plan but for the record; looked for an API token of this team, and there is none",
    humanStep: "In the registrar's console, set the A record of shop.example to 203.0.113.7",
  });
}

const DEPLOY = `import { readFile } from "node:fs/promises";
import { renderSite } from "./site.js";
import { render } from "./template.js";

/** The steps of a deployment in their order; each is {step, path, text} or {step, command}. Runs nothing itself. */
export async function deployPlan(env) {
  const defaults = JSON.parse(await readFile(new URL("../config/default.json", import.meta.url), "utf8"));
  const unit = await readFile(new URL("../templates/unit.service", import.meta.url), "utf8");
  return [
    { step: "test", command: ["node", "--test"] },
    { step: "install unit", path: \`/etc/systemd/system/\${defaults.service}.service\`, text: render(unit, defaults) },
    { step: "install site", path: \`/etc/nginx/sites/\${defaults.service}.conf\`, text: await renderSite(env) },
    { step: "probe", command: ["curl", "--fail", \`http://\${defaults.http.host}/checkout\`] },
  ];
}
`;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { deployPlan } from "./deploy.js";

test("tests first and probes the checkout last", async () => {
  const plan = await deployPlan({});
  assert.deepEqual(plan.map((entry) => entry.step), ["test", "install unit", "install site", "probe"]);
  assert.equal(plan.at(-1).command.at(-1), "http://shop.example/checkout");
});

test("leaves no marker unfilled", async () => {
  for (const entry of await deployPlan({})) assert.doesNotMatch(entry.text ?? "", /\\{\\{/);
});
`;
