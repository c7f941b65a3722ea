import { readFileSync } from "node:fs";
import { GitHubStandIn } from "./server.ts";
import type { Seed } from "./state.ts";

// A stand-in in a process of its own, until it is ended: `serve.ts [SEED.json]` prints the address of its REST API, which is that of a
// GitHub Enterprise Server.
const [file] = process.argv.slice(2);
const seed: Seed = file === undefined ? {} : JSON.parse(readFileSync(file, "utf8"));
const standIn = await new GitHubStandIn({ seed }).open();
standIn.keepAlive();
process.stdout.write(`${standIn.enterpriseUrl}\n`);
