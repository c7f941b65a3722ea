import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askToGoOn } from "../../example/ask-to-go-on.ts";

test.each([
  ["Enter goes on", "\n", true],
  ["any other line does, too", "yes\n", true],
  ["Ctrl+C leaves it", "\u0003", false],
  ["the end of the input leaves it", undefined, false],
] as const)("a run of the example that has not ended: %s", async (_what, typed, isToGoOn) => {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 200 });
  const said: string[] = [];
  output.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  const answer = askToGoOn(Object.assign(input, { isTTY: true, setRawMode: () => input }), output);
  if (typed === undefined) input.end();
  else input.write(typed);
  expect(await answer).toBe(isToGoOn);
  expect(said.join("")).toContain("Enter goes on with it");
});
