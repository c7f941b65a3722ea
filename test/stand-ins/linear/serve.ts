import { readFileSync } from "node:fs";
import type { World } from "./model.ts";
import { LinearStandIn } from "./stand-in.ts";

// `node serve.ts [world.json]` prints the address of the API, and serves until it is ended. The token is LinearStandIn.TOKEN.
const [file] = process.argv.slice(2);
const standIn = await LinearStandIn.start(file === undefined ? {} : { world: JSON.parse(readFileSync(file, "utf8")) as World });
process.stdout.write(`${standIn.url}\n`);
