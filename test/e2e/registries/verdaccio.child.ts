/**
 * Verdaccio in a process of its own: `node verdaccio.child.ts <folder of its package> <configuration, JSON>`. Prints its port once it
 * listens, then a line per request.
 */
import type { Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const [folder = "", configuration = "{}"] = process.argv.slice(2);
const { runServer } = createRequire(join(folder, "package.json"))("verdaccio") as {
  readonly runServer: (configuration: object) => Promise<Server>;
};

const server = await runServer(JSON.parse(configuration) as object);
server.on("request", (req, res) => {
  res.on("finish", () => process.stderr.write(`${req.method} ${req.url} ${res.statusCode}\n`));
});
server.listen(0, "127.0.0.1", () => process.stderr.write(`port ${(server.address() as AddressInfo).port}\n`));
