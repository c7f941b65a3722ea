import { parseSync } from "oxc-parser";

/** A named declaration of a file's top level, or a member of a class of it as `Class.member`. */
export interface Declaration {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>;

/** The declarations of a file, in its order. */
export function findDeclarations(path: string, text: string): readonly Declaration[] {
  const { program, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new SyntaxError(`${path}: ${errors[0].message}`);
  return (program.body as unknown as Node[]).flatMap((statement) => {
    const declared = (statement["declaration"] ?? statement) as Node;
    return declarationsOf(declared).map((each) => (each.start === declared.start ? { ...each, start: statement.start } : each));
  });
}

function declarationsOf(node: Node): readonly Declaration[] {
  if (node.type === "VariableDeclaration") return variablesOf(node);
  const name = nameOf(node["id"]);
  if (name === undefined) return [];
  return [{ name, start: node.start, end: node.end }, ...membersOf(name, node["body"])];
}

/** The variables of a statement. A single one begins with its `const`. */
function variablesOf({ start, end, ...node }: Node): readonly Declaration[] {
  const variables = node["declarations"] as Node[];
  return variables.flatMap((variable) => {
    const name = nameOf(variable["id"]);
    if (name === undefined) return [];
    return variables.length === 1 ? [{ name, start, end }] : [{ name, start: variable.start, end: variable.end }];
  });
}

function membersOf(name: string, body: unknown): readonly Declaration[] {
  if ((body as Node | undefined)?.type !== "ClassBody") return [];
  return ((body as Node)["body"] as Node[]).flatMap(({ key, start, end }) => {
    const member = nameOf(key);
    return member === undefined ? [] : [{ name: `${name}.${member}`, start, end }];
  });
}

function nameOf(node: unknown): string | undefined {
  const { type, name } = (node ?? {}) as { type?: string; name?: string };
  if (type === "PrivateIdentifier") return `#${name}`;
  return type === "Identifier" ? name : undefined;
}
