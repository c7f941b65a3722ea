import { describe, expect, it } from "vitest";
import { scratchFolder } from "../scratch.ts";
import { anthropicAnswer, ask, json, message, modelGateway, standIn } from "../stage.ts";

const folder = scratchFolder();

describe("the way out through the vendor", () => {
  const sent = async (api: "anthropic" | "openai", path: string, body: object, vendorReach = false) => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port, { api, vendorReach, capUsd: 1 });
    const { status, text } = await ask(gateway, { path, body: message(body) });
    return { status, text, body: vendor.seen[0] === undefined ? undefined : JSON.parse(vendor.seen[0].body) };
  };
  const url = { type: "url", url: "https://evil.example/?q=secret" };

  it.each([
    ["MCP servers", { mcp_servers: [{ type: "url", url: "https://evil.example", name: "x" }] }],
    ["an image by URL", { messages: [{ role: "user", content: [{ type: "image", source: url }] }] }],
    [
      "a file of the account",
      { messages: [{ role: "user", content: [{ type: "document", source: { type: "file", file_id: "file_1" } }] }] },
    ],
    [
      "a document in a tool's result",
      { messages: [{ role: "user", content: [{ type: "tool_result", content: [{ type: "document", source: url }] }] }] },
    ],
    [
      "an image within a document",
      {
        messages: [
          {
            role: "user",
            content: [{ type: "document", source: { type: "content", content: [{ type: "image", source: url }] } }],
          },
        ],
      },
    ],
    ["a container", { container: "container_1" }],
  ])("is closed: Anthropic, %s", async (_what, over) => {
    expect(await sent("anthropic", "/v1/messages", over)).toMatchObject({ status: 403, body: undefined });
    expect(await sent("anthropic", "/v1/messages/count_tokens", over)).toMatchObject({ status: 403, body: undefined });
    expect(await sent("anthropic", "/v1/messages", over, true)).toMatchObject({ status: 402, body: undefined });
  });

  it.each([
    ["an earlier answer", "/v1/responses", { previous_response_id: "resp_1" }],
    ["an item by its id", "/v1/responses", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ["an image by URL", "/v1/responses", { input: [{ role: "user", content: [{ type: "input_image", image_url: url.url }] }] }],
    [
      "an image by URL in a result",
      "/v1/responses",
      { input: [{ type: "function_call_output", output: [{ type: "input_image", image_url: url.url }] }] },
    ],
    ["a file by URL", "/v1/responses", { input: [{ role: "user", content: [{ type: "input_file", file_url: url.url }] }] }],
    ["an answer in the background", "/v1/responses", { background: true }],
    [
      "an image by URL",
      "/v1/chat/completions",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: url.url } }] }] },
    ],
    [
      "a file of the account",
      "/v1/chat/completions",
      { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "file_1" } }] }] },
    ],
    ["a search", "/v1/chat/completions", { web_search_options: {} }],
  ])("is closed: OpenAI, %s (%s)", async (_what, path, over) =>
    expect(await sent("openai", path, over)).toMatchObject({ status: 403, body: undefined }),
  );

  it("is closed for tools that the vendor runs; the program's own stay", async () => {
    const own = [
      { name: "Bash", input_schema: {} },
      { type: "custom", name: "x" },
      { type: "bash_20250124", name: "bash" },
    ];
    const theirs = [
      { type: "web_search_20250305", name: "w" },
      { type: "web_fetch_20250910", name: "f" },
      { type: "code_execution_20250825" },
      { type: "mcp_toolset" },
    ];
    expect((await sent("anthropic", "/v1/messages", { tools: [...own, ...theirs] })).body.tools).toEqual(own);
    const none = await sent("anthropic", "/v1/messages", { tools: theirs, tool_choice: { type: "any" } });
    expect(none).toMatchObject({ status: 200 });
    expect(none.body).not.toHaveProperty("tools");
    expect(none.body).not.toHaveProperty("tool_choice");
  });

  it("is closed for OpenAI's tools in the same way, nested ones too", async () => {
    const f = { type: "function", name: "exec_command" };
    const cached = { type: "web_search", external_web_access: false };
    const theirs = [
      { type: "web_search" },
      { type: "web_search_preview" },
      { type: "mcp", server_url: url.url },
      { type: "code_interpreter" },
      { type: "file_search" },
      { type: "shell", environment: { type: "container_auto" } },
      "x",
      { name: "untyped" },
    ];
    const tools = [f, cached, ...theirs, { type: "namespace", name: "n", tools: [f, ...theirs] }];
    const got = await sent("openai", "/v1/responses", { tools });
    expect(got.body.tools).toEqual([f, cached, { type: "namespace", name: "n", tools: [f] }]);
  });

  it("is not seen where there is none: what a tool was called with, or said", async () => {
    const messages = [
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "1", name: "Write", input: { type: "url", source: url, file_id: "x", image_url: "http://x" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: '{"type":"url","url":"http://x"}' }] },
      { role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }] },
    ];
    expect(await sent("anthropic", "/v1/messages", { messages })).toMatchObject({ status: 200, body: { messages } });
  });

  it("stays open where it was opened", async () => {
    const tools = [{ type: "web_search_20250305", name: "w" }];
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port, { vendorReach: true, capUsd: 100 });
    expect((await ask(gateway, { body: message({ tools, mcp_servers: [{ url: "x" }] }) })).status).toBe(200);
    expect(JSON.parse(vendor.seen[0]?.body ?? "")).toMatchObject({ tools, mcp_servers: [{ url: "x" }] });
  });
});
