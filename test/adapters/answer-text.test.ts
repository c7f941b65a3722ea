import { expect, test } from "vitest";
import { AnswerTooLarge, answerText } from "../../src/adapters/answer-text.ts";

test("gives the text of an answer whose characters are cut in two", async () => {
  const bytes = new TextEncoder().encode("é".repeat(3));
  const body = new ReadableStream({
    start(stream) {
      for (const byte of bytes) stream.enqueue(Uint8Array.of(byte));
      stream.close();
    },
  });
  expect(await answerText(new Response(body))).toBe("ééé");
  expect(await answerText(new Response(null))).toBe("");
});

test("stops reading an answer that is larger than anything that a service has to say", async () => {
  let sent = 0;
  let isCanceled = false;
  const chunk = new Uint8Array(1024 * 1024);
  const body = new ReadableStream({
    pull(stream) {
      sent += 1;
      if (sent > 100) stream.close();
      else stream.enqueue(chunk);
    },
    cancel() {
      isCanceled = true;
    },
  });
  await expect(answerText(new Response(body))).rejects.toThrow(AnswerTooLarge);
  expect(sent).toBeLessThan(70);
  expect(isCanceled).toBe(true);
});
