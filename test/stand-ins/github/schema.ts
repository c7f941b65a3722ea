import { readFileSync } from "node:fs";
import { buildSchema, type GraphQLObjectType, type GraphQLScalarType, type GraphQLSchema } from "graphql";

/**
 * GitHub's documentation has `Issue.blockedBy`, which @octokit/graphql-schema 15.26.1 lacks
 * (docs.github.com/en/graphql/reference/objects#issue).
 */
const LATER = `
extend type Issue {
  blockedBy(after: String, before: String, first: Int, last: Int): IssueConnection!
}`;

/** What a server does not know: nothing (github.com), or what GitHub Enterprise Server lacked for years. */
export type Age = "now" | "without dependencies" | "old";

/** Types whose ids GitHub sends as they are, though they have long been larger than the schema's `Int`. */
const BEYOND_INT = [
  "CheckRun",
  "CheckSuite",
  "WorkflowRun",
  "IssueComment",
  "PullRequest",
  "PullRequestReview",
  "PullRequestReviewComment",
];

const built = new Map<Age, GraphQLSchema>();

/** GitHub's GraphQL schema. Made once per process and age; it has 64,000 lines. */
export function schemaOf(age: Age): GraphQLSchema {
  const known = built.get(age);
  if (known !== undefined) return known;
  // The package exports its schema also as 4 MB of JSON, which its index loads.
  const file = new URL("./schema.graphql", import.meta.resolve("@octokit/graphql-schema"));
  const schema = buildSchema(readFileSync(file, "utf8") + (age === "now" ? LATER : ""), { assumeValid: true, noLocation: true });
  if (age === "old") {
    const fields = (schema.getType("Issue") as GraphQLObjectType).getFields();
    delete fields["subIssues"];
    (fields["stateReason"] as unknown as { args: unknown[] }).args = [];
  }
  for (const name of BEYOND_INT) {
    const { databaseId } = (schema.getType(name) as GraphQLObjectType).getFields();
    if (databaseId !== undefined) databaseId.type = schema.getType("BigInt") as GraphQLScalarType;
  }
  built.set(age, schema);
  return schema;
}
