import { asCount, asList, isObject, type JsonObject } from "@loopdash/values";

/**
 * Google reads a member by either spelling of its name, `fileData` and `file_data` (the JSON of Protocol Buffers), and a single
 * value instead of a list.
 */
function members(jsonObject: JsonObject, name: string): readonly unknown[] {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [jsonObject[name], jsonObject[snake]].filter((value) => value !== undefined && value !== null);
}

function all(options: unknown, name: string): readonly JsonObject[] {
  if (!isObject(options)) return [];
  return members(options, name).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isObject));
}

/** The program inside runs functions; the vendor runs search, maps, pages by URL, stored files and code. */
const FUNCTIONS = ["functionDeclarations", "function_declarations"];

/** The functions among the tools of a Gemini request, and the number of tools that were or had something else. */
export function geminiClientTools(tools: unknown): { readonly tools: readonly unknown[]; readonly dropped: number } {
  const given = asList(tools);
  const kept = given.flatMap((tool) => {
    if (!isObject(tool)) return [];
    const names = Object.keys(tool);
    const ours = names.filter((name) => FUNCTIONS.includes(name));
    if (ours.length === names.length) return [tool];
    return ours.length === 0 ? [] : [Object.fromEntries(ours.map((name) => [name, tool[name]]))];
  });
  const whole = kept.filter((tool) => given.includes(tool)).length;
  return { tools: kept, dropped: given.length - whole };
}

/** The part of a Gemini request that makes the vendor fetch from elsewhere: a stored context, a file by its address. */
export function geminiOutside(body: JsonObject): string | undefined {
  for (const name of ["cachedContent", "generateContentRequest"]) if (members(body, name).length > 0) return name;
  const contents = [...all(body, "contents"), ...all(body, "systemInstruction")];
  const parts = contents.flatMap((content) => all(content, "parts"));
  // The result of a function may have parts of its own.
  const inner = parts.flatMap((part) => all(part, "functionResponse")).flatMap((response) => all(response, "parts"));
  return [...parts, ...inner].some((part) => members(part, "fileData").length > 0) ? "a file by URL or id" : undefined;
}

/** Tokens that an answer may have at most, if the request has a limit, and the number of requested answers. */
export function geminiBounds(body: JsonObject): { readonly maxOutput: number | undefined; readonly answers: number } {
  const greatest = (name: string): number | undefined => {
    const counts = all(body, "generationConfig")
      .flatMap((config) => members(config, name))
      .map(asCount);
    return counts.length === 0 || counts.includes(undefined) ? undefined : Math.max(...counts.map((count) => count ?? 0));
  };
  return { maxOutput: greatest("maxOutputTokens"), answers: greatest("candidateCount") ?? 1 };
}
