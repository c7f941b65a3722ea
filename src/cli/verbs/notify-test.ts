import { systemClock } from "../../adapters/clock/system-clock.ts";
import { type OpenRoute, postNotice } from "../../adapters/notice/post-notice.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { findReports, findRules, findTestCommands } from "../engine/find-in-bases.ts";
import { loadBatch } from "../engine/load-batch.ts";
import { openRoutes } from "../engine/notices.ts";
import { openOwnRoutes, readOwnNotify } from "../engine/own-notify.ts";
import { secretsOf } from "../engine/run-secrets.ts";
import { writeAll } from "../print.ts";

/**
 * Sends a message to each receiver of a batch, if one is named, and to a person's own, and prints what came of it. Exit 0 if all have taken
 * it, else 1. Throws a UserError if the batch cannot be read or nobody is told.
 */
export async function notifyTest(file: string | undefined): Promise<number> {
  const own = readOwnNotify(process.env, process.cwd());
  const named = file === undefined ? undefined : await routesOf(file);
  const { routes: ownRoutes, untold } = await openOwnRoutes(own, { sandbox: "nothing runs here" });
  const routes = [...(named?.routes ?? []), ...ownRoutes];
  const name = named?.name ?? "notices";
  if (routes.length + untold.length === 0)
    throw new UserError({
      what: "nobody is told",
      why:
        file === undefined
          ? "you have no receivers of your own"
          : `${plainText(file)} has no "notify", and you have no receivers of your own`,
      todo: 'Add "notify": [{"kind": "ntfy", "url": "https://ntfy.sh/…"}] (docs/use/notices.md)',
      exitCode: EXIT.usage,
    });
  const title = plainText(`loopdash ${name}: a test`, 160);
  const message = { run: "test", batch: plainText(name), title, text: `${title}\nnothing needs you`, notices: [] };
  let isWell = untold.length === 0;
  for (const { message: why } of untold) writeAll(1, `bad  ${plainText(why, 300)}\n`);
  for (const route of routes) {
    const problem = await postNotice(route, message, systemClock.now()).then(
      () => undefined,
      (error: unknown) => errorMessage(error),
    );
    isWell &&= problem === undefined;
    writeAll(1, plainText(problem === undefined ? `ok   ${route.name}` : `bad  ${route.name}: ${problem}`, 300).concat("\n"));
  }
  return isWell ? EXIT.done : EXIT.notDone;
}

async function routesOf(file: string): Promise<{ readonly name: string; readonly routes: readonly OpenRoute[] }> {
  const find = { findTests: findTestCommands, findReports, findRules };
  const { batch, folder } = await loadBatch(file, { cwd: process.cwd(), env: process.env, ...find });
  return { name: batch.name, routes: await openRoutes(batch.notify ?? [], secretsOf(batch, { folder, env: process.env })) };
}
