import { systemClock } from "../../adapters/clock/system-clock.ts";
import { postNotice } from "../../adapters/notice/post-notice.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { findReports, findRules, findTestCommands } from "../engine/find-in-bases.ts";
import { loadBatch } from "../engine/load-batch.ts";
import { openRoutes } from "../engine/notices.ts";
import { secretsOf } from "../engine/run-secrets.ts";
import { writeAll } from "../print.ts";

/**
 * Sends a message to each receiver of a batch, and prints what came of it. Exit 0 if all have taken it, else 1. Throws a UserError if the
 * batch cannot be read or names no receiver.
 */
export async function notifyTest(file: string): Promise<number> {
  const find = { findTests: findTestCommands, findReports, findRules };
  const { batch, folder } = await loadBatch(file, { cwd: process.cwd(), env: process.env, ...find });
  const { name, notify } = batch;
  if (notify === undefined)
    throw new UserError({
      what: "the batch tells nobody",
      why: `${plainText(file)} has no "notify"`,
      todo: 'Add "notify": [{"kind": "ntfy", "url": "https://ntfy.sh/…"}] (docs/use/notices.md)',
      exitCode: EXIT.usage,
    });
  const routes = await openRoutes(notify, secretsOf(batch, { folder, env: process.env }));
  const title = plainText(`loopdash ${name}: a test`, 160);
  const message = { run: "test", batch: plainText(name), title, text: `${title}\nnothing needs you`, notices: [] };
  let isWell = true;
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
