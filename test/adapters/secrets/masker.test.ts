import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMasker } from "../../../src/adapters/secrets/masker.ts";

const SECRET = "hunter2/Pa+ss?w&rd=ü";

function maskerOf(...values: readonly string[]) {
  const masker = createMasker();
  values.forEach((value, i) => {
    masker.learn(`s${i}`, value);
  });
  return masker;
}

/** Sends bytes through a stream in pieces of these sizes, again and again. */
function inPieces(masker: ReturnType<typeof createMasker>, bytes: Buffer, sizes: readonly number[], sameLength = false): Buffer {
  const stream = masker.stream({ sameLength });
  const parts: Buffer[] = [];
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    parts.push(Buffer.from(stream.push(bytes.subarray(at, at + size))));
    at += size;
  }
  return Buffer.concat([...parts, stream.end()]);
}

describe("a masker", () => {
  const forms: Readonly<Record<string, (text: string) => string>> = {
    "as it is": (text) => text,
    "in base64": (text) => Buffer.from(text).toString("base64"),
    "in base64, one byte further": (text) => Buffer.from(`a${text}`).toString("base64"),
    "in base64, two bytes further": (text) => Buffer.from(`ab${text}zz`).toString("base64"),
    "in base64url": (text) => Buffer.from(text).toString("base64url"),
    "percent-encoded": (text) => encodeURIComponent(text),
    "percent-encoded in lower case": (text) => encodeURIComponent(text).replaceAll(/%../g, (pair) => pair.toLowerCase()),
    "percent-encoded as a form": (text) => new URLSearchParams({ text }).toString().slice(5),
    "in JSON": (text) => JSON.stringify(text),
    "in JSON in JSON": (text) => JSON.stringify(JSON.stringify(text)),
    "in JSON of ASCII": (text) => JSON.stringify(text).replaceAll("ü", "\\u00fc"),
    "in HTML": (text) => text.replaceAll("&", "&amp;"),
    "in hexadecimal": (text) => Buffer.from(text).toString("hex"),
    "in capital hexadecimal": (text) => Buffer.from(text).toString("hex").toUpperCase(),
  };
  it.each(Object.entries(forms))("finds a secret %s", (_, form) => {
    const masker = maskerOf(SECRET);
    const text = `before ${form(SECRET)} after`;
    expect(masker.text(text)).toContain("[secret s0]");
    // Of base64, at most the characters remain that its neighbours decide as well.
    expect(masker.text(text).length).toBeLessThanOrEqual("before [secret s0] after".length + 9);
  });

  it("finds each line of a value with several lines, and base64 that is wrapped", () => {
    const key = `-----BEGIN KEY-----\n${"MIIabc123".repeat(6)}\n${"xyzQRS789".repeat(6)}\n-----END KEY-----`;
    const masker = maskerOf(key);
    expect(masker.text(`line ${"xyzQRS789".repeat(6)}.`)).toBe("line [secret s0].");
    const wrapped = (
      Buffer.from(key)
        .toString("base64")
        .match(/.{1,76}/g) ?? []
    ).join("\n");
    expect(masker.text(wrapped)).toMatch(/^\[secret s0\][\w+/=]{0,8}$/);
  });

  describe.each([0, 1, 2, 7])("finds base64 with white space in it, %i bytes further", (ahead) => {
    const token = "github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789abcdefghijklmnopqrstuvwxyzAB";
    const base64 = Buffer.from(`${"x".repeat(ahead)}${token}`).toString("base64");
    const at = (width: number, end: string) => base64.replaceAll(new RegExp(`.{${width}}(?!$)`, "g"), `$&${end}`);
    const ways: Readonly<Record<string, string>> = {
      "as coreutils wraps it": at(76, "\n"),
      "at another width": at(60, "\n"),
      "with an indent": at(64, "\n      "),
      "with CRLF": at(76, "\r\n"),
      "with tabs": at(20, "\n\t\t"),
      "in a string of JSON": JSON.stringify(at(76, "\r\n")),
      "in a string of JSON in JSON": JSON.stringify(JSON.stringify(at(76, "\n"))),
      "each character for itself": at(1, " "),
    };
    /** The characters that are left, if the value is masked. */
    const left = (text: string) => text.replaceAll("[secret s0]", "").replaceAll(/[\s"\\]/g, "");
    const most = Math.ceil((ahead * 4) / 3) + 4;

    it.each(Object.entries(ways))("%s", (_, text) => {
      const masker = maskerOf(token);
      expect(masker.text(text)).toContain("[secret s0]");
      expect(left(masker.text(text)).length).toBeLessThanOrEqual(most);
      for (const size of [1, 2, 13, 77]) {
        const masked = inPieces(masker, Buffer.from(text), [size]).toString();
        // A single character at the end of a line is passed on at once.
        expect(left(masked).length).toBeLessThanOrEqual(most + 1);
      }
    });
  });

  it("passes on a line at once if no more than its last character begins base64 of a secret", () => {
    const stream = maskerOf(SECRET).stream();
    expect(stream.push(Buffer.from("uses uia\n")).toString()).toBe("uses uia\n");
    expect(Buffer.from(SECRET).toString("base64")).toMatch(/^aHVu/);
    expect(stream.push(Buffer.from("HVudGVyMi9QYStzcz93JnJkPcO8\n")).toString()).toMatch(/^\[secret s0\].{0,4}\n$/);
  });

  it("leaves other text alone, and costs no copy", () => {
    const masker = maskerOf(SECRET);
    const chunk = Buffer.from("nothing of it here, not even hunter2 alone\n");
    expect(masker.stream().push(chunk).buffer).toBe(chunk.buffer);
    const value = { text: "harmless", list: [1, { two: "x" }] };
    expect(masker.value(value)).toBe(value);
  });

  it("masks texts within a value, keys as well", () => {
    const value = { [SECRET]: 1, list: [{ text: `see ${SECRET}` }], same: null };
    expect(maskerOf(SECRET).value(value)).toEqual({ "[secret s0]": 1, list: [{ text: "see [secret s0]" }], same: null });
  });

  it("masks a secret from the moment it is learnt, in streams that are open", () => {
    const masker = createMasker();
    const stream = masker.stream();
    expect(stream.push(Buffer.from(SECRET)).toString()).toBe(SECRET);
    masker.learn("late", SECRET);
    expect(stream.push(Buffer.from(`again ${SECRET}.`)).toString()).toBe("again [secret late].");
  });

  it("masks the same wherever a stream is cut, and passes on at once what begins no secret", () => {
    const word = fc.stringMatching(/^[a-c]{8,20}$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
        fc.array(fc.oneof(fc.stringMatching(/^[a-c]{1,6}$/), fc.nat(2)), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
        (values, pieces, sizes) => {
          const text = pieces.map((piece) => (typeof piece === "number" ? (values[piece] ?? "-") : piece)).join("");
          const bytes = Buffer.from(text);
          const whole = inPieces(maskerOf(...values), bytes, [bytes.length + 1]);
          expect(inPieces(maskerOf(...values), bytes, sizes).toString()).toBe(whole.toString());
          for (const value of values) expect(whole.toString()).not.toContain(value);
          const stars = inPieces(maskerOf(...values), bytes, sizes, true);
          expect(stars.length).toBe(bytes.length);
          for (const value of values) expect(stars.toString()).not.toContain(value);
        },
      ),
    );
    const stream = maskerOf(SECRET).stream();
    expect(stream.push(Buffer.from("a line\nhunt")).toString()).toBe("a line\n");
    expect(stream.push(Buffer.from("ing\n")).toString()).toBe("hunting\n");
  });

  it("keeps nothing of a secret that overlaps another across a border", () => {
    const masker = maskerOf("abcdefghij", "ghijklmnop");
    expect(inPieces(masker, Buffer.from("x abcdefghijklmnop y"), [12, 3]).toString()).toBe("x [secret s0] y");
  });
});

it("passes on each byte once in a stream, also where some that were passed on may begin a secret after all", () => {
  const masker = createMasker();
  // In base64: dGhlLXRva2VuLW9mLXN0YWdpbmc=
  masker.learn("staging", "the-token-of-staging");
  for (const sameLength of [false, true]) {
    const stream = masker.stream({ sameLength });
    const parts = ["d\n", "G", "o on\n"].map((part) => stream.push(Buffer.from(part)).toString());
    expect([...parts, stream.end().toString()].join("")).toBe("d\nGo on\n");
  }
});
