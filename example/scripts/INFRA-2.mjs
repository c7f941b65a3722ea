/**
 * The web server's site, rendered from a checked configuration. At first both the check and defaults in templates are missing: it
 * files a ticket for each and stops without a change. After both are done, it does the work.
 */
export async function work(kit) {
  await kit.read("src/template.js");
  if (!(await kit.has("src/validate.js"))) {
    await kit.discover("defaults", {
      title: "Defaults in templates",
      body: '{{ name default "x" }} uses x where there is not a value. Everything else stays as it is.',
      reason: "the site needs values that no configuration has yet",
      blocks: true,
    });
    await kit.discover("validation", {
      title: "Check the configuration before it is used",
      body: "Name every missing, unknown or mistyped key by its path, all at once.",
      reason: "a site must not be rendered from a configuration that nobody has checked",
      blocks: true,
    });
    kit.say("Nothing can be built before these two. I stop here.");
    return;
  }
  await kit.read("src/validate.js");
  await kit.write("templates/site.conf", TEMPLATE);
  await kit.think("The service is checked before anything is rendered: a half-filled site must never go out", 500);
  await kit.write("src/site.js", SITE);
  await kit.write("src/site.test.js", TESTS);
  if (await kit.test()) await kit.commit("Render the web server's site");
}

const TEMPLATE = `server {
  listen 80;
  server_name {{ http.host }};
  client_max_body_size {{ http.maxBody default "1m" }};
  location / { proxy_pass http://127.0.0.1:{{ http.port }}; }
}
`;

const SITE = `import { readFile } from "node:fs/promises";
import { render } from "./template.js";
import { loadConfig } from "./validate.js";

const SHAPE = { service: "string", http: { host: "string", port: "number" }, workers: "number" };

/** The site's text for the default configuration with the environment over it. Throws where that is not valid. */
export async function renderSite(env) {
  const defaults = JSON.parse(await readFile(new URL("../config/default.json", import.meta.url), "utf8"));
  const template = await readFile(new URL("../templates/site.conf", import.meta.url), "utf8");
  return render(template, loadConfig(defaults, env, SHAPE));
}
`;

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { renderSite } from "./site.js";

test("renders the site with its braces whole", async () => {
  const site = await renderSite({ SHOP__HTTP__PORT: "9100" });
  assert.match(site, /server_name shop\\.example;/);
  assert.match(site, /location \\/ \\{ proxy_pass http:\\/\\/127\\.0\\.0\\.1:9100; \\}/);
  assert.match(site, /client_max_body_size 1m;/);
});

test("renders nothing from a configuration that is not valid", async () => {
  await assert.rejects(renderSite({ SHOP__HTTP__PORT: "many" }), /http\\.port must be a number/);
});
`;
