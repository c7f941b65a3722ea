/** Tokens of an attempt, as its agent's program counts them. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

/** What an event tells: words, a tool and what it is used on, what came of it, what went wrong, or a remark of the program. */
export interface ToldEvent {
  readonly what: "text" | "tool" | "result" | "error" | "note";
  readonly text: string;
  /** A piece of a message that goes on. */
  readonly piece?: true;
}

/** What one event of an agent's program says. */
export interface AgentEvent {
  readonly told: readonly ToldEvent[];
  readonly tokens?: Tokens;
  /** The tokens are of one step alone, and add up. */
  readonly adds?: true;
}

type Json = Readonly<Record<string, unknown>>;

/** An event of claude, codex, gemini or opencode, by what it has in it; undefined where the line is none of these. */
export function agentEvent(line: string): AgentEvent | undefined {
  const event = parsed(line);
  const read = READERS.get(textOf(event?.["type"]) ?? "");
  return event === undefined ? undefined : read?.(event);
}

type Read = (event: Json) => AgentEvent | undefined;

/** Reads an event that carries this; another program may have an event of the same name. */
function having(field: string, read: Read): Read {
  return (event) => (event[field] === undefined || event[field] === null ? undefined : read(event));
}

/** By the event's type. */
const READERS: ReadonlyMap<string, Read> = new Map<string, Read>([
  // Claude Code
  ["assistant", having("message", (e) => tells(contentOf(e).flatMap(claudeBlock)))],
  ["user", having("message", (e) => tells(contentOf(e).flatMap(claudeResult)))],
  ["system", having("subtype", claudeSystem)],
  // Claude Code and Gemini CLI
  ["result", (e) => (e["usage"] === undefined ? geminiEnd(e) : claudeEnd(e))],
  // Codex
  ["thread.started", having("thread_id", () => tells([]))],
  ["turn.started", () => tells([])],
  ["item.started", having("item", (e) => tells(codexStart(objectOf(e["item"]))))],
  ["item.updated", having("item", () => tells([]))],
  ["item.completed", having("item", (e) => tells(codexItem(objectOf(e["item"]))))],
  ["turn.completed", having("usage", (e) => counted(codexTokens(objectOf(e["usage"]))))],
  ["turn.failed", having("error", (e) => tells([told("error", errorText(e))]))],
  // Gemini CLI
  ["init", having("model", (e) => tells([told("note", `gemini begins: ${textOf(e["model"]) ?? "model unknown"}`)]))],
  ["message", having("role", geminiMessage)],
  ["tool_result", having("status", (e) => tells(geminiResult(e)))],
  // opencode
  ["step_start", having("part", () => tells([]))],
  ["text", having("part", (e) => tells(spoken(textOf(objectOf(e["part"])?.["text"]))))],
  ["step_finish", having("part", opencodeStep)],
  // Gemini CLI and opencode
  ["tool_use", (e) => (e["part"] === undefined ? geminiTool(e) : tells(opencodeTool(objectOf(e["part"]))))],
  // Codex, Gemini CLI and opencode
  ["error", (e) => (e["message"] === undefined && e["error"] === undefined ? undefined : tells([told("error", errorText(e))]))],
]);

function contentOf(event: Json): readonly unknown[] {
  return listOf(objectOf(event["message"])?.["content"]);
}

function claudeBlock(value: unknown): readonly ToldEvent[] {
  const block = objectOf(value);
  switch (block?.["type"]) {
    case "text":
      return spoken(textOf(block["text"]));
    case "thinking":
      return thought(textOf(block["thinking"]));
    case "tool_use":
      return [tool(textOf(block["name"]), objectOf(block["input"]))];
    default:
      return [];
  }
}

function claudeResult(value: unknown): readonly ToldEvent[] {
  const block = objectOf(value);
  if (block?.["type"] !== "tool_result") return [];
  const { content } = block;
  const text =
    textOf(content) ??
    listOf(content)
      .map((part) => textOf(objectOf(part)?.["text"]) ?? "")
      .join("\n");
  return cameOf(text, block["is_error"] === true);
}

function claudeSystem(event: Json): AgentEvent {
  const subtype = textOf(event["subtype"]) ?? "system";
  if (subtype === "init") return tells([told("note", `claude begins: ${textOf(event["model"]) ?? "model unknown"}`)]);
  if (subtype !== "api_retry") return tells([told("note", subtype)]);
  return tells([told("note", `model API: ${textOf(event["error"]) ?? "unknown"}; it retries`)]);
}

function claudeEnd(event: Json): AgentEvent {
  const usage = objectOf(event["usage"]);
  const cached = count(usage, "cache_read_input_tokens") + count(usage, "cache_creation_input_tokens");
  const ended = counted({ input: count(usage, "input_tokens"), output: count(usage, "output_tokens"), cached });
  const says = textOf(event["result"]) ?? "an error without words";
  return event["is_error"] === true ? { ...ended, told: [told("error", says), ...ended.told] } : ended;
}

function codexStart(item: Json | undefined): readonly ToldEvent[] {
  const command = textOf(item?.["command"]);
  if (item?.["type"] !== "command_execution" || command === undefined) return [];
  return [told("tool", `exec: ${/^\/bin\/(?:ba|z)?sh -lc '(.*)'$/s.exec(command)?.[1] ?? command}`)];
}

function codexItem(item: Json | undefined): readonly ToldEvent[] {
  switch (item?.["type"]) {
    case "agent_message":
      return spoken(textOf(item["text"]));
    case "reasoning":
      return thought(textOf(item["text"]));
    case "command_execution": {
      const code = numberOf(item["exit_code"]) ?? 0;
      return cameOf(textOf(item["aggregated_output"]) ?? "", code !== 0);
    }
    case "file_change": {
      const paths = listOf(item["changes"]).map((change) => textOf(objectOf(change)?.["path"]) ?? "?");
      return [told("tool", `edit: ${paths.length === 0 ? "files" : paths.join(", ")}`)];
    }
    case "error":
      return [told("error", textOf(item["message"]) ?? "an error without words")];
    default:
      return [told("note", textOf(item?.["type"]) ?? "an item without a type")];
  }
}

/** Its input has in it what came from the cache. */
function codexTokens(usage: Json | undefined): Tokens {
  const cached = count(usage, "cached_input_tokens");
  return { input: Math.max(0, count(usage, "input_tokens") - cached), output: count(usage, "output_tokens"), cached };
}

function geminiMessage(event: Json): AgentEvent {
  const text = textOf(event["content"]) ?? "";
  if (event["role"] !== "assistant") return tells([]);
  return tells(event["delta"] === true ? [{ what: "text", text, piece: true }] : spoken(text));
}

function geminiTool(event: Json): AgentEvent | undefined {
  const name = textOf(event["tool_name"]);
  return name === undefined ? undefined : tells([tool(name, objectOf(event["parameters"]))]);
}

function geminiResult(event: Json): readonly ToldEvent[] {
  const failed = event["status"] === "error";
  return cameOf(textOf(event["output"]) ?? (failed ? errorText(event) : ""), failed);
}

function geminiEnd(event: Json): AgentEvent | undefined {
  const stats = objectOf(event["stats"]);
  if (stats === undefined && event["status"] === undefined) return undefined;
  const cached = count(stats, "cached");
  const input = Math.max(0, count(stats, "input_tokens") - cached);
  const ended = stats === undefined ? tells([]) : counted({ input, output: count(stats, "output_tokens"), cached });
  return event["status"] === "error" ? { ...ended, told: [told("error", errorText(event)), ...ended.told] } : ended;
}

function opencodeTool(part: Json | undefined): readonly ToldEvent[] {
  const state = objectOf(part?.["state"]);
  const failed = textOf(state?.["error"]);
  return [
    tool(textOf(part?.["tool"]), objectOf(state?.["input"])),
    ...cameOf(failed ?? textOf(state?.["output"]) ?? "", failed !== undefined),
  ];
}

function opencodeStep(event: Json): AgentEvent {
  const tokens = objectOf(objectOf(event["part"])?.["tokens"]);
  const cache = objectOf(tokens?.["cache"]);
  const output = count(tokens, "output") + count(tokens, "reasoning");
  const all = { input: count(tokens, "input"), output, cached: count(cache, "read") + count(cache, "write") };
  return { told: [], tokens: all, adds: true };
}

function errorText(event: Json): string {
  const error = objectOf(event["error"]);
  const data = objectOf(error?.["data"]);
  const words = [event["message"], error?.["message"], data?.["message"], error?.["name"], event["error"]];
  return words.map(textOf).find((word) => word !== undefined && word !== "") ?? "an error without words";
}

const ABOUT = ["command", "file_path", "filePath", "path", "dir_path", "pattern", "query", "url", "description"];

/** A tool, and what it is used on. */
function tool(name: string | undefined, input: Json | undefined): ToldEvent {
  const about = ABOUT.map((key) => textOf(input?.[key])).find(Boolean);
  return told("tool", `${name ?? "a tool"}${about === undefined ? "" : `: ${about}`}`);
}

function spoken(text: string | undefined): readonly ToldEvent[] {
  return text === undefined || text.trim() === "" ? [] : [told("text", text)];
}

function thought(text: string | undefined): readonly ToldEvent[] {
  return text === undefined || text.trim() === "" ? [] : [told("note", `thinks: ${text.trim().replaceAll("\n", " ")}`)];
}

function cameOf(text: string, failed: boolean): readonly ToldEvent[] {
  if (text.trim() === "") return failed ? [told("error", "it failed without words")] : [];
  return [told(failed ? "error" : "result", text)];
}

function counted(tokens: Tokens): AgentEvent {
  const { input, output, cached } = tokens;
  return { told: [told("note", `tokens: ${input} in, ${output} out, ${cached} from the cache`)], tokens };
}

function told(what: ToldEvent["what"], text: string): ToldEvent {
  return { what, text };
}

function tells(all: readonly ToldEvent[]): AgentEvent {
  return { told: all };
}

function parsed(line: string): Json | undefined {
  try {
    return objectOf(JSON.parse(line));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function objectOf(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function count(json: Json | undefined, name: string): number {
  return numberOf(json?.[name]) ?? 0;
}
