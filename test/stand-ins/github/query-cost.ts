import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";

/** The most nodes that a query may ask for (GitHub's documentation, "Rate limits and query limits for the GraphQL API"). */
const MOST_NODES = 500_000;
const MOST_PER_PAGE = 100;

/** What a query costs, or why it is refused. */
export type Cost = { readonly points: number; readonly nodes: number } | { readonly type: string; readonly message: string };

/**
 * The points of a query by GitHub's rule: the requests that fill each connection, with `first` or `last` of every connection around
 * it, by 100. Each connection needs one of the two.
 */
export function costOf(schema: GraphQLSchema, document: DocumentNode, variables: Readonly<Record<string, unknown>>): Cost {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of document.definitions) if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  const operation = document.definitions.find((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION);
  let requests = 0;
  let nodes = 0;
  let refusal: { type: string; message: string } | undefined;
  const visit = (set: SelectionSetNode, typeName: string, around: number): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) visit(fragment.selectionSet, fragment.typeCondition.name.value, around);
      } else if (selection.kind === Kind.INLINE_FRAGMENT)
        visit(selection.selectionSet, selection.typeCondition?.name.value ?? typeName, around);
      else visitField(selection, typeName, around);
    }
  };
  const visitField = (field: FieldNode, typeName: string, around: number): void => {
    const parent = schema.getType(typeName);
    const definition = parent !== undefined && "getFields" in parent ? parent.getFields()[field.name.value] : undefined;
    if (definition === undefined || field.selectionSet === undefined) return;
    const type = getNamedType(definition.type);
    if (!isCompositeType(type)) return;
    let inside = around;
    if (type.name.endsWith("Connection")) {
      const size = sizeOf(field, variables);
      if (size === undefined)
        refusal = {
          type: "MISSING_PAGINATION_BOUNDARIES",
          message: `You must provide a \`first\` or \`last\` value to properly paginate the \`${field.name.value}\` connection.`,
        };
      else if (size < 0 || size > MOST_PER_PAGE)
        refusal = {
          type: "EXCESSIVE_PAGINATION",
          message: `Requesting ${size} records on the connection exceeds the limit of 100.`,
        };
      else {
        requests += around;
        nodes += around * size;
        inside = around * size;
      }
    }
    visit(field.selectionSet, type.name, inside);
  };
  if (operation !== undefined) visit(operation.selectionSet, operation.operation === "mutation" ? "Mutation" : "Query", 1);
  if (nodes > MOST_NODES)
    refusal = { type: "MAX_NODE_LIMIT_EXCEEDED", message: `This query requests up to ${nodes} possible nodes.` };
  return refusal ?? { points: Math.max(1, Math.round(requests / 100)), nodes };
}

function sizeOf(field: FieldNode, variables: Readonly<Record<string, unknown>>): number | undefined {
  for (const { name, value } of field.arguments ?? []) {
    if (name.value !== "first" && name.value !== "last") continue;
    if (value.kind === Kind.INT) return Number(value.value);
    if (value.kind === Kind.VARIABLE) return Number(variables[value.name.value]);
  }
  return undefined;
}
