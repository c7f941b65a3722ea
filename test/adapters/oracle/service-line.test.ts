import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { schema as github } from "@octokit/graphql-schema";
import { buildSchema, parse, validate } from "graphql";
import { describe, expect, onTestFinished, test } from "vitest";
import { GITHUB_DOCUMENT, GITHUB_PAGE } from "../../../oracle/github.ts";
import { LINEAR_DOCUMENT, LINEAR_PAGE } from "../../../oracle/linear.ts";
import { DOCUMENTS, MOST_KEYS, PAGE } from "../../../src/adapters/oracle/service-documents.ts";
import { askService, RequestRefused } from "../../../src/adapters/oracle/service-line.ts";
import { SUBSET } from "../../stand-ins/linear/answer.ts";

/** The address is one that nothing listens at: a request that is sent gets no answer. */
const access = { url: "http://127.0.0.1:1/", authorization: () => Promise.resolve("secret") };
const request = (value: object) => askService({ kind: "linear", access }, JSON.stringify(value));

describe("the documents of the oracle", () => {
  test("they are what may be sent, and they only read", () => {
    expect(DOCUMENTS).toEqual({ linear: LINEAR_DOCUMENT, github: GITHUB_DOCUMENT });
    expect(PAGE).toEqual({ linear: LINEAR_PAGE, github: GITHUB_PAGE });
    expect(MOST_KEYS).toBe(Math.max(LINEAR_PAGE, GITHUB_PAGE));
    for (const document of Object.values(DOCUMENTS)) {
      const operations = parse(document).definitions.map((each) =>
        each.kind === "OperationDefinition" ? each.operation : each.kind,
      );
      expect(operations).toEqual(["query"]);
    }
  });

  test("GitHub's schema knows all that is asked", () => {
    expect(validate(buildSchema(github.idl, { assumeValidSDL: true }), parse(GITHUB_DOCUMENT))).toEqual([]);
  });

  // test/adapters/tracker/linear/documents.test.ts compares this part with Linear's whole schema.
  test("Linear's schema knows all that is asked", () => {
    expect(validate(buildSchema(SUBSET), parse(LINEAR_DOCUMENT))).toEqual([]);
  });
});

describe("what the oracle may send", () => {
  test("its own document with keys", async () => {
    expect(await request({ document: LINEAR_DOCUMENT, ids: ["a"] })).toMatchObject({
      problem: expect.stringMatching(/cannot be reached/),
    });
  });

  test.each<[string, object]>([
    ["a mutation", { document: 'mutation { issueUpdate(id: "ENG-7", input: { stateId: "x" }) { success } }', ids: [] }],
    ["another query", { document: "{ viewer { email } }", ids: [] }],
    ["the document with a blank more", { document: `${LINEAR_DOCUMENT} `, ids: [] }],
    ["the other service's document", { document: GITHUB_DOCUMENT, ids: [] }],
    ["another variable", { document: LINEAR_DOCUMENT, ids: [], filter: {} }],
    ["keys that are no texts", { document: LINEAR_DOCUMENT, ids: [{ eq: "x" }] }],
    ["more keys than a page has", { document: LINEAR_DOCUMENT, ids: Array.from({ length: 251 }, () => "a") }],
  ])("not %s", async (_what, value) => {
    await expect(request(value)).rejects.toThrow(RequestRefused);
  });
});

test("an answer that repeats the token comes without it", async () => {
  const server = createServer((request, response) =>
    response.writeHead(403).end(JSON.stringify({ message: `not you: ${request.headers.authorization}` })),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const text = JSON.stringify({ document: LINEAR_DOCUMENT, ids: ["a"] });
  for (const header of ["Bearer token-4711", "lin_api_4711"]) {
    const answer = await askService({ kind: "linear", access: { url, authorization: async () => header } }, text);
    expect(answer).toMatchObject({ status: 403, body: expect.stringMatching(/not you: (?:Bearer )?…/) });
  }
});
