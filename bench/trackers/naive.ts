import type { ManyTickets } from "../../test/stand-ins/many-tickets.ts";

/**
 * What a client asks for that reads each ticket by itself: in Linear the issue and the fields that its SDK fetches when they are
 * looked at, on GitHub the calls `issues.get`, `listComments` and `listDependenciesBlockedBy` of Octokit. One request each. The issues
 * of Linear's relations, which its SDK fetches one by one too, are left out.
 */
const DOCUMENTS: Readonly<Record<ManyTickets["name"], readonly string[]>> = {
  Linear: [
    "title description updatedAt",
    "state { id type }",
    "labels { nodes { id name } }",
    "inverseRelations { nodes { type } }",
    "comments { nodes { id body } }",
  ].map((fields) => `query Naive($id: String!) { issue(id: $id) { ${fields} } }`),
  GitHub: [
    "title body state labels(first: 100) { nodes { name } }",
    "comments(first: 100) { nodes { body } }",
    "blockedBy(first: 100) { nodes { number } }",
  ].map((fields) => `query($number: Int!) { repository(owner: "acme", name: "app") { issue(number: $number) { ${fields} } } }`),
};

/** Reads `count` tickets one by one, and gives the number of requests. Throws if an answer has errors. */
export async function readNaively({ name, api, asked }: ManyTickets, count: number): Promise<number> {
  asked();
  for (let number = 1; number <= count; number += 1)
    for (const query of DOCUMENTS[name]) {
      const body = JSON.stringify({ query, variables: name === "Linear" ? { id: `ENG-${number}` } : { number } });
      const headers = { authorization: api.authorization, "content-type": "application/json" };
      const response = await fetch(api.url, { method: "POST", headers, body });
      const answer = (await response.json()) as { errors?: unknown };
      if (answer.errors !== undefined) throw new Error(`${name} refuses the naive client: ${JSON.stringify(answer.errors)}`);
    }
  return asked().length;
}
