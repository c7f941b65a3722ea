import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { connectChannel, runSocketPath } from "../../src/adapters/channel/socket-client.ts";
import type { Command } from "../../src/domain/run/command.ts";
import type { Stage } from "./stage.ts";

/** Sends commands to the engine of the stage's only run, as a dashboard does, one after another. */
export async function send(stage: Stage, ...commands: readonly Command[]): Promise<void> {
  const [door] = globSync("runs/*/engine.door", { cwd: stage.home });
  if (door === undefined) throw new Error("no engine is at work");
  const known = Promise.withResolvers<void>();
  const client = await connectChannel({
    socketPath: runSocketPath(dirname(join(stage.home, door))),
    onMessage: () => known.resolve(),
    onClose: () => undefined,
  });
  await known.promise;
  for (const command of commands) client.send(command);
  client.close();
}
