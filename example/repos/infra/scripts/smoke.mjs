// Loads every module and renders every template with the default configuration.
import { readdir, readFile } from "node:fs/promises";

const root = new URL("../", import.meta.url);
const source = new URL("src/", root);
const modules = (await readdir(source)).filter((name) => name.endsWith(".js") && !name.endsWith(".test.js"));
for (const name of modules) await import(new URL(name, source).href);

const { render } = await import("../src/template.js");
const config = JSON.parse(await readFile(new URL("config/default.json", root), "utf8"));
const templates = await readdir(new URL("templates/", root));
for (const name of templates) render(await readFile(new URL(`templates/${name}`, root), "utf8"), config);
console.log(`smoke: ${modules.length} modules load, ${templates.length} templates render`);
