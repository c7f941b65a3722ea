import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  buildSchema,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  parse,
  validate,
} from "graphql";
import { beforeAll, describe, expect, test } from "vitest";
import * as documents from "../../../../src/adapters/tracker/linear/read/documents.ts";
import { LARGE, SMALL } from "../../../../src/adapters/tracker/linear/read/page-sizes.ts";
import { RepoId } from "../../../../src/domain/values/ids.ts";
import { SUBSET } from "../../../stand-ins/linear/answer.ts";
import { complexityOf, MAX_COMPLEXITY } from "../../../stand-ins/linear/complexity.ts";
import { uuidOf } from "../../../stand-ins/linear/model.ts";
import { LinearStandIn } from "../../../stand-ins/linear/stand-in.ts";
import { aWorld, id, Stage } from "./stage.ts";

const REPOSITORY = resolve(import.meta.dirname, "../../../..");
const FULL_FILE = process.env["LOOPDASH_LINEAR_SCHEMA"] ?? resolve(REPOSITORY, "../shared/data/linear-schema.graphql");
const missing = existsSync(FULL_FILE)
  ? undefined
  : `there is no ${FULL_FILE}: it is packages/sdk/src/schema.graphql of github.com/linear/linear; LOOPDASH_LINEAR_SCHEMA names another place`;

const subset = buildSchema(SUBSET);

/** Every document that a service sends, its own and the SDK's, by the name of its operation. */
async function sentDocuments(): Promise<ReadonlyMap<string, string>> {
  const standIn = await LinearStandIn.start({ world: aWorld(3) });
  const stage = new Stage(standIn);
  try {
    const { people, world } = standIn;
    const view = { id: uuidOf("view"), name: "Mine", modelName: "Issue", filterData: {}, teamId: null };
    world.views.push(view);
    for (let n = 0; n < 55; n += 1) {
      const child = people.createIssue({ teamId: uuidOf("team ENG"), title: "Part", parentId: uuidOf("issue ENG 1") });
      people.relate(child.id, "ENG-1", { type: "blocks" });
      people.attach("ENG-1", { title: "Link", url: `https://link.example/${n}` });
      stage.comment("ENG-1", `Comment ${n}`);
      stage.label("ENG-1", `label ${n}`);
    }
    const options = { repos: [RepoId.parse("app"), RepoId.parse("api")] };
    const service = stage.service({ view: "Mine" }, options);
    await service.snapshot("whole");
    await service.snapshot("changes");
    await stage
      .service({ label: "no such label" })
      .snapshot("whole")
      .catch(() => undefined);
    await service.markStarted?.(id("ENG-2"));
    await service.set({ id: id("ENG-2"), state: { as: "human-gated", step: "press" }, note: "n", from: undefined });
    stage.comment("ENG-2", "Human step: a newer one");
    await service.set({ id: id("ENG-2"), state: { as: "human-gated", step: "press again" }, note: "n", from: undefined });
    await service.set({ id: id("ENG-2"), state: { as: "done" }, note: "n", from: undefined });
    // A stale reading shows no comment, so that it is created again, and found by its id.
    standIn.staleWrites = 50;
    await service.set({ id: id("ENG-3"), state: { as: "done" }, note: "n", from: undefined });
    await service.set({ id: id("ENG-3"), state: { as: "done" }, note: "n", from: undefined });
    standIn.staleWrites = 0;
    await service.file({ id: id("ENG-2-d1"), title: "Leak", body: "", repo: RepoId.parse("app"), note: "" });
    await stage.service({}, { listed: [id("ENG-404")] }).snapshot("whole");
    return new Map(standIn.log.map(({ name, query }) => [name === "LoopdashMore" ? query : name, query]));
  } finally {
    await standIn.stop();
  }
}

let sent: ReadonlyMap<string, string>;
beforeAll(async () => {
  sent = await sentDocuments();
});

describe("the documents that Linear is sent", () => {
  test("are all of its own, and those of the SDK's calls", () => {
    const own = [...Object.values(documents).filter((each) => typeof each === "string"), ...Object.values(documents.MORE)];
    expect([...sent.values()]).toEqual(expect.arrayContaining(own));
    const fromSdk = [...sent.keys()].filter((name) => !name.includes("Loopdash")).sort();
    expect(fromSdk).toEqual([
      ...["createComment", "createIssue", "createIssueLabel", "createIssueRelation", "deleteComment", "organization"],
      ...["updateComment", "updateIssue", "viewer"],
    ]);
  });

  test("fit the committed part of the schema", () => {
    expect(errorsOf(subset)).toEqual([]);
  });

  test("stay below Linear's limit of points, for 100 issues and with the largest pages", () => {
    const points = (sizes: object) => complexityOf(parse(documents.ISSUES), subset, { ...sizes });
    expect(points(SMALL)).toBeLessThan(MAX_COMPLEXITY);
    expect(SMALL.first).toBe(100);
    expect(points(LARGE)).toBeLessThan(MAX_COMPLEXITY);
  });
});

// It does not lie beside every clone, and a skipped test would count as a failure there.
if (missing === undefined) describe("Linear's whole schema", againstWholeSchema);
else process.stderr.write(`not compared with Linear's whole schema: ${missing}\n`);

function againstWholeSchema(): void {
  const whole = (): GraphQLSchema => buildSchema(readFileSync(FULL_FILE, "utf8"));

  test("takes every document that is sent", () => {
    expect(errorsOf(whole())).toEqual([]);
  });

  test("has all of the committed part, with the same types and arguments", () => {
    const full = whole();
    const types = Object.values(subset.getTypeMap()).filter(
      (type) => !type.name.startsWith("__") && !isSpecifiedScalarType(type),
    );
    expect(types.length).toBeGreaterThan(50);
    expect(types.flatMap((type) => differences(type, full.getType(type.name)))).toEqual([]);
  });

  test("is not taken for the same if a field, an argument or a value differs", () => {
    const full = whole();
    const changed = buildSchema(
      SUBSET.replace("  description: String\n  history", "  description: String!\n  history")
        .replace("issue(id: String!)", "issue(id: ID!)")
        .replace("  similar\n", "  alike\n")
        .replace("  number: NumberComparator\n", "  number: Float\n"),
    );
    const found = Object.values(changed.getTypeMap())
      .filter((type) => !type.name.startsWith("__"))
      .flatMap((type) => differences(type, full.getType(type.name)));
    expect(found).toEqual([
      "Query.issue(id) is ID!, not String!",
      "Issue.description is String!, not String",
      "IssueRelationType.alike is missing",
      "CycleFilter.number is Float, not NumberComparator",
    ]);
  });
}

function errorsOf(schema: GraphQLSchema): readonly string[] {
  return [...sent].flatMap(([name, query]) => validate(schema, parse(query)).map(({ message }) => `${name}: ${message}`));
}

function differences(part: GraphQLNamedType, whole: GraphQLNamedType | undefined): readonly string[] {
  if (whole === undefined || whole.constructor !== part.constructor) return [`${part.name} is missing, or something else`];
  if (isEnumType(part) && isEnumType(whole))
    return part.getValues().flatMap(({ name }) => (whole.getValue(name) ? [] : [`${part.name}.${name} is missing`]));
  if (isInputObjectType(part) && isInputObjectType(whole)) {
    const fields = whole.getFields();
    const given = Object.values(part.getFields()).flatMap((field) =>
      difference(`${part.name}.${field.name}`, String(field.type), fields[field.name]?.type),
    );
    // What the whole schema requires must be in the part.
    const required = Object.values(fields).filter(
      ({ type, defaultValue }) => String(type).endsWith("!") && defaultValue === undefined,
    );
    const lacking = required.filter(({ name }) => part.getFields()[name] === undefined);
    return [...given, ...lacking.map(({ name }) => `${part.name}.${name} is required`)];
  }
  if ((isObjectType(part) && isObjectType(whole)) || (isInterfaceType(part) && isInterfaceType(whole)))
    return Object.values(part.getFields()).flatMap((field) =>
      fieldDifferences(`${part.name}.${field.name}`, field, whole.getFields()[field.name]),
    );
  return [];
}

function fieldDifferences(name: string, part: GraphQLField<unknown, unknown>, whole: GraphQLField<unknown, unknown> | undefined) {
  const given = part.args.flatMap((arg) =>
    difference(`${name}(${arg.name})`, String(arg.type), whole?.args.find((each) => each.name === arg.name)?.type),
  );
  const required = whole?.args.filter((arg) => String(arg.type).endsWith("!") && arg.defaultValue === undefined) ?? [];
  const lacking = required.filter((arg) => !part.args.some((each) => each.name === arg.name));
  return [
    ...difference(name, String(part.type), whole?.type),
    ...given,
    ...lacking.map((arg) => `${name}(${arg.name}) is required`),
  ];
}

function difference(name: string, part: string, whole: unknown): readonly string[] {
  if (whole === undefined) return [`${name} is missing`];
  return part === String(whole) ? [] : [`${name} is ${part}, not ${String(whole)}`];
}
