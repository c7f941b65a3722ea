import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AwsEvent, AwsEventStream } from "../src/server/prices/aws-event-stream.ts";
import { awsFrame, awsHeader, awsMessage } from "./aws-event-stream.ts";

const FIRST = awsMessage({ ":message-type": "event", ":event-type": "chunk" }, '{"bytes":"aGVsbG8="}');
const SECOND = awsMessage({ ":message-type": "event" }, "");
const BOTH = Buffer.concat([FIRST, SECOND]);

function read(...chunks: readonly Buffer[]) {
  const events: AwsEvent[] = [];
  const stream = new AwsEventStream((event) => events.push(event));
  for (const chunk of chunks) stream.push(chunk);
  return { events, isSound: stream.isSound, isBetweenMessages: stream.isBetweenMessages };
}

describe("AWS's event stream", () => {
  it("gives each message with its headers and payload, wherever the stream is cut", () => {
    for (let at = 0; at <= BOTH.length; at += 1) {
      const { events, isSound, isBetweenMessages } = read(BOTH.subarray(0, at), BOTH.subarray(at));
      expect([isSound, isBetweenMessages]).toEqual([true, true]);
      expect(events.map(({ payload }) => payload.toString())).toEqual(['{"bytes":"aGVsbG8="}', ""]);
      expect(events[0]?.headers).toEqual(
        new Map([
          [":message-type", "event"],
          [":event-type", "chunk"],
        ]),
      );
    }
    expect(read(...[...BOTH].map((byte) => Buffer.from([byte]))).events).toHaveLength(2);
  });

  it("gives no message that is not whole", () => {
    for (let at = 1; at < FIRST.length; at += 1)
      expect(read(FIRST.subarray(0, at))).toEqual({ events: [], isSound: true, isBetweenMessages: false });
  });

  it("reads nothing more once a bit of a message is wrong", () => {
    for (let at = 0; at < FIRST.length; at += 1) {
      const broken = Buffer.from(BOTH);
      broken[at] = (broken[at] ?? 0) ^ 0x10;
      expect(read(broken), `byte ${at}`).toMatchObject({ events: [], isSound: false });
    }
  });

  it.each([
    ["a message larger than any of AWS", { total: 25 * 1024 * 1024 + 1 }],
    ["a length of four gigabytes", { total: 0xffff_ffff }],
    ["headers beyond the end", { headers: 100 }],
    ["headers of four gigabytes", { headers: 0xffff_ffff }],
    ["a message shorter than its frame", { total: 15 }],
  ])("holds nothing of %s", (_, sizes) => {
    expect(read(awsFrame(Buffer.alloc(0), Buffer.from("{}"), sizes), SECOND)).toEqual({
      ...{ events: [], isSound: false },
      isBetweenMessages: true,
    });
  });

  it("knows every type of header", () => {
    const headers = [
      ...[
        awsHeader("true", 0),
        awsHeader("false", 1),
        awsHeader("byte", 2, Buffer.alloc(1)),
        awsHeader("short", 3, Buffer.alloc(2)),
      ],
      ...[awsHeader("integer", 4, Buffer.alloc(4)), awsHeader("long", 5, Buffer.alloc(8))],
      ...[awsHeader("bytes", 6, Buffer.from([0, 2, 1, 2])), awsHeader("text", 7, Buffer.from([0, 2]), Buffer.from("ok"))],
      ...[awsHeader("time", 8, Buffer.alloc(8)), awsHeader("uuid", 9, Buffer.alloc(16))],
    ];
    const { events } = read(awsFrame(Buffer.concat(headers), Buffer.from("{}")));
    expect(events.map((event) => event.headers)).toEqual([new Map([["text", "ok"]])]);
  });

  it.each([
    ["an unknown type", awsHeader("x", 10)],
    ["a text without its length", awsHeader("x", 7, Buffer.from([0]))],
    ["a text beyond the end", awsHeader("x", 7, Buffer.from([0, 9]), Buffer.from("short"))],
    ["a name beyond the end", Buffer.from([200, 0x78])],
    ["a number beyond the end", awsHeader("x", 5, Buffer.alloc(3))],
    ["a name twice", Buffer.concat([awsHeader("x", 0), awsHeader("x", 1)])],
  ])("takes no message with %s in its headers", (_, headers) => {
    expect(read(awsFrame(headers, Buffer.from("{}")), SECOND)).toMatchObject({ events: [], isSound: false });
  });

  it("survives any bytes, as headers and as a stream", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 40 }), (bytes, step) => {
        const any = Buffer.from(bytes);
        read(awsFrame(any, any));
        const chunks: Buffer[] = [];
        for (let at = 0; at < any.length; at += step) chunks.push(any.subarray(at, at + step));
        expect(read(...chunks).events).toEqual([]);
        expect(read(FIRST, ...chunks).events).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});
