import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { renderTrial } from "../../domain/review/trial.ts";
import { shellWord } from "../../domain/values/shell-word.ts";
import type { ReviewerTask } from "../../ports/reviewer.ts";
import { privateTmp } from "../private-tmp.ts";
import { removeFolder } from "../remove-folder.ts";

/** A task, and the path of the program with which its reviewer tries the change out. */
export type TaskWithTrials = ReviewerTask & { readonly trialProgram: string };

/** The program: sends its arguments, prints what came of them, and ends as they did. */
const CLIENT = `const [socket, ...argv] = process.argv.slice(1);
let reply = "";
const connection = require("node:net").connect(socket);
connection.setEncoding("utf8").on("error", () => {}).on("data", (text) => (reply += text)).on("close", () => {
  const [, code = 2, text = "loopdash gave no answer: the command was not run\\n"] = /^(\\d+) ([^]*)$/.exec(reply) ?? [];
  process.stdout.write(text);
  process.exitCode = Number(code);
});
connection.end(JSON.stringify(argv));`;

/** Characters of a request. */
const REQUEST_CHARS = 256 * 1024;
/** Connections at a time. */
const MOST_CONNECTIONS = 8;
const Request = z.tuple([z.string()], z.string());

/** Asks a reviewer with a program in its sandbox that has the engine, over a socket of its own, run commands on the change. */
export async function withTrials<T>(task: ReviewerTask, ask: (task: TaskWithTrials) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(privateTmp(), "try-"));
  const [trialProgram, socket] = [join(folder, "loopdash-run"), join(folder, "s")];
  const words = [process.execPath, "-e", CLIENT, "--", socket].map(shellWord);
  writeFileSync(trialProgram, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, { mode: 0o500 });
  const server = createServer({ allowHalfOpen: true }, (connection) => answer(connection, task.tryOut));
  server.maxConnections = MOST_CONNECTIONS;
  try {
    await new Promise<void>((settle, reject) => server.once("error", reject).listen(socket, settle));
    const { confinement: own } = task;
    const confinement = own && { ...own, read: [...own.read, trialProgram], sockets: [...own.sockets, socket] };
    return await ask({ ...task, trialProgram, ...(confinement && { confinement }) });
  } finally {
    server.close();
    await removeFolder(folder);
  }
}

/** Answers one request: a command as a JSON list of words. Hangs up on whoever asks otherwise. */
function answer(connection: Socket, tryOut: ReviewerTask["tryOut"]): void {
  let request = "";
  connection.setEncoding("utf8").on("error", () => connection.destroy());
  connection.on("data", (piece: string) => {
    request += piece;
    if (request.length > REQUEST_CHARS) connection.destroy();
  });
  connection.on("end", async () => {
    try {
      const trial = await tryOut(Request.parse(JSON.parse(request)));
      connection.end(`${trial.exitCode ?? 1} ${renderTrial(trial)}`);
    } catch {
      connection.destroy();
    }
  });
}
