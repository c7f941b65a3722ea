import { crashed, type RunName } from "./campaign.ts";
import { type Outcome, play } from "./play.ts";

/** Plays one run. What nobody handles in it is a problem of it. */
async function playOne(name: RunName): Promise<Outcome> {
  try {
    return await play(name);
  } catch (error) {
    return crashed(`it was thrown: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

process.on("message", async (name: RunName) => {
  process.send?.(await playOne(name));
});
