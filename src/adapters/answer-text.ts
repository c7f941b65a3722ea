/** The largest answer of a service. Bytes. */
const MAX_ANSWER = 64 * 1024 * 1024;

/** An answer of a service is larger than anything that it has to say. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";

  constructor() {
    super("its answer is larger than 64 MiB");
  }
}

/** The body of an answer as text. Throws an AnswerTooLarge, and reads no more, if it has more than 64 MiB. */
export async function answerText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_ANSWER) throw new AnswerTooLarge();
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Characters of the shortest token that is masked: no secret of a batch is shorter, and in a shorter text it could be any word. */
const SHORTEST = 8;

/** An answer without the token that it was asked with: some proxies and servers repeat a request in their errors. */
export function withoutToken(text: string, token: string): string {
  return token.length < SHORTEST ? text : text.replaceAll(token, "…");
}
