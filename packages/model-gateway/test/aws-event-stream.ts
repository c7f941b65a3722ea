import { crc32 } from "node:zlib";

/** One message of AWS's event stream, whose headers are texts. */
export function awsMessage(headers: Readonly<Record<string, string>>, payload: string | Buffer): Buffer {
  const parts = Object.entries(headers).map(([name, value]) => awsHeader(name, 7, lengthOf(value), Buffer.from(value)));
  return awsFrame(Buffer.concat(parts), Buffer.from(payload));
}

/** A header of any type. */
export function awsHeader(name: string, type: number, ...value: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([type]), ...value]);
}

function lengthOf(value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return length;
}

/** A message with both checksums right. */
export function awsFrame(headers: Buffer, payload: Buffer, sizes: { total?: number; headers?: number } = {}): Buffer {
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(sizes.total ?? 16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(sizes.headers ?? headers.length, 4);
  const begin = Buffer.concat([prelude, checksum(prelude), headers, payload]);
  return Buffer.concat([begin, checksum(begin)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

/** An event of Anthropic's Messages as Bedrock streams it. */
export function bedrockChunk(event: object): Buffer {
  const payload = { bytes: Buffer.from(JSON.stringify(event)).toString("base64"), p: "abcdefghij" };
  const headers = { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" };
  return awsMessage(headers, JSON.stringify(payload));
}

/** An exception in the middle of a stream. */
export function bedrockException(type: string): Buffer {
  const headers = { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" };
  return awsMessage(headers, JSON.stringify({ message: type }));
}
