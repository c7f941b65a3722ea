// Checks that an environment answers, or stops it on request: `node knock.mjs <workspace> dev|prod GET|POST`. The exit code is
// the result.
import { ask } from "./ask.mjs";

const [, , workspace = "", name = "", method = "GET"] = process.argv;
process.chdir(workspace);
await ask(`${name}.sock`, method === "POST" ? "/stop" : "/shop", { method });
