import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  Kind,
  type SelectionSetNode,
} from "graphql";

/** A query above this is refused. */
export const MAX_COMPLEXITY = 10_000;

/** The page size if a query names none. */
const DEFAULT_PAGE = 50;

interface Costs {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Points of a query: a property costs 0.1, an object 1, and a connection multiplies everything in it by its page size. Rounded up.
 * Linear's documentation leaves open whether page infos and the connection itself count; here they do, so that what fits here fits
 * there.
 */
export function complexityOf(
  document: DocumentNode,
  schema: GraphQLSchema,
  variables: Readonly<Record<string, unknown>>,
): number {
  const fragments = new Map(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])),
  );
  const costs = { schema, fragments, variables };
  const points = document.definitions.map((each) => {
    if (each.kind !== Kind.OPERATION_DEFINITION) return 0;
    const root = each.operation === "mutation" ? schema.getMutationType() : schema.getQueryType();
    return root ? selected(each.selectionSet, root, costs) : 0;
  });
  return Math.ceil(points.reduce((a, b) => a + b, 0) - 1e-9);
}

function selected({ selections }: SelectionSetNode, parent: GraphQLCompositeType, costs: Costs): number {
  return selections
    .map((each) => {
      if (each.kind === Kind.FIELD) return field(each, parent, costs);
      if (each.kind === Kind.INLINE_FRAGMENT) return selected(each.selectionSet, parent, costs);
      const fragment = costs.fragments.get(each.name.value);
      return fragment === undefined ? 0 : selected(fragment.selectionSet, parent, costs);
    })
    .reduce((a, b) => a + b, 0);
}

function field(node: FieldNode, parent: GraphQLCompositeType, costs: Costs): number {
  const type = "getFields" in parent ? parent.getFields()[node.name.value]?.type : undefined;
  const named = type && getNamedType(type);
  if (!named || !isCompositeType(named) || node.selectionSet === undefined) return 0.1;
  const inside = selected(node.selectionSet, named, costs);
  return named.name.endsWith("Connection") ? 1 + pageSize(node, costs) * inside : 1 + inside;
}

function pageSize({ arguments: given = [] }: FieldNode, { variables }: Costs): number {
  const first = given.find(({ name }) => name.value === "first")?.value;
  if (first?.kind === Kind.INT) return Number(first.value);
  return first?.kind === Kind.VARIABLE ? Number(variables[first.name.value] ?? DEFAULT_PAGE) : DEFAULT_PAGE;
}
