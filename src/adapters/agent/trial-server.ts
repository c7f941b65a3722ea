import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { renderTrial } from "../../domain/review/trial.ts";
import { shellWord } from "../../domain/values/shell-word.ts";
import type { ReviewerTask } from "../../ports/reviewer.ts";
import { privateTmp } from "../private-tmp.ts";
import { removeFolder } from "../remove-folder.ts";

/** The words that start the client of this server, before the socket and the command, and the files that it needs to read. */
export interface TrialClient {
  readonly argv: readonly string[];
  readonly read: readonly string[];
}

/** A reviewer's way to its trials. */
interface TrialServer {
  /** The task, with the program in its sandbox. */
  readonly task: ReviewerTask;
  /** The path of the program. */
  readonly program: string;
  close(): Promise<void>;
}

/** Characters of a request, and connections at a time. */
const REQUEST_CHARS = 256 * 1024;
const MOST_CONNECTIONS = 8;

const Request = z.tuple([z.string().min(1)], z.string());

/** Puts a program into the reviewer's sandbox that asks the engine, over a socket of its own, to run a command on the change. */
export async function openTrialServer(client: TrialClient, task: ReviewerTask): Promise<TrialServer> {
  const room = mkdtempSync(join(privateTmp(), "try-"));
  const [program, socket] = [join(room, "loopdash-run"), join(room, "s")];
  writeFileSync(program, `#!/bin/sh\nexec ${[...client.argv, socket].map(shellWord).join(" ")} "$@"\n`, { mode: 0o500 });
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    open.add(connection);
    connection.on("close", () => open.delete(connection));
    answer(connection, task.tryOut);
  });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((settle, reject) => server.once("error", reject).listen(socket, settle));
  chmodSync(socket, 0o600);
  const { confinement } = task;
  const confined = confinement && {
    ...confinement,
    read: [...confinement.read, ...client.read, program],
    sockets: [...confinement.sockets, socket],
  };
  return {
    task: confined === undefined ? task : { ...task, confinement: confined },
    program,
    close: async () => {
      server.close();
      for (const connection of open) connection.destroy();
      await removeFolder(room);
    },
  };
}

/** Answers one request: a command as a JSON list of words. To whoever asks otherwise it hangs up. */
function answer(connection: Socket, tryOut: ReviewerTask["tryOut"]): void {
  let request = "";
  connection.setEncoding("utf8");
  connection.on("error", () => connection.destroy());
  connection.on("data", (piece: string) => {
    request += piece;
    if (request.length > REQUEST_CHARS) connection.destroy();
  });
  connection.on("end", async () => {
    try {
      const trial = await tryOut(Request.parse(JSON.parse(request)));
      connection.end(JSON.stringify({ exitCode: trial.exitCode ?? 1, text: renderTrial(trial) }));
    } catch {
      connection.destroy();
    }
  });
}
