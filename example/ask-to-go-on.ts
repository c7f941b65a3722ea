import { createInterface } from "node:readline/promises";

/** Asks whether the run is to go on: true if a line comes, false if the input ends or Ctrl+C is pressed. */
export async function askToGoOn(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<boolean> {
  const lines = createInterface({ input, output });
  const left = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
  const asked = lines.question(
    "The run has not ended. Enter goes on with it; Ctrl+C leaves it, and ends the stand-in of GitHub. ",
  );
  const answer = await Promise.race([asked, left]);
  lines.close();
  return answer !== undefined;
}
