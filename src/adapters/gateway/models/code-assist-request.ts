import { readJson } from "../../../domain/values/json-text.ts";
import { isObject } from "../../json.ts";
import { Refusal } from "../refusals.ts";
import { type ModelRequest, readModelRequest, textOf } from "./model-request.ts";
import type { Route } from "./route.ts";

/** Characters of the program's own number of a prompt. */
const LONGEST_ID = 200;

/**
 * Reads and checks a request to Google's Code Assist: one to Gemini in an envelope that names the model and the project that is
 * billed. The envelope is written anew: the project is the engine's, and nothing that costs extra (`enabled_credit_types`) is in
 * it. Throws a Refusal (400 or 403).
 */
export function readCodeAssistRequest(
  bytes: Buffer,
  { route, project, vendorReach }: { readonly route: Route; readonly project: string; readonly vendorReach: boolean },
): ModelRequest {
  const envelope = parsed(bytes);
  const inner = envelope["request"];
  if (!isObject(inner)) throw new Refusal(400, "request: an object is needed");
  const isTokenCount = route.meter === undefined;
  const model = isTokenCount ? {} : { model: modelOf(envelope["model"]) };
  const ask = readModelRequest(Buffer.from(written(inner)), {
    route: { ...route, ...model, ...(isTokenCount ? { shape: "generate" } : { meter: "generate" }) },
    vendorReach,
  });
  const id = envelope["user_prompt_id"];
  const fields = isTokenCount ? {} : { ...model, project, ...(isId(id) ? { user_prompt_id: id } : {}) };
  const head = Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`);
  return { ...ask, body: Buffer.concat([Buffer.from(`{${head.join("")}"request":`), ask.body, Buffer.from("}")]) };
}

function modelOf(model: unknown): string {
  if (typeof model === "string") return model;
  throw new Refusal(400, "model: a name is needed");
}

function isId(id: unknown): boolean {
  return typeof id === "string" && id.length <= LONGEST_ID;
}

function written(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested so deeply that it can no longer be written.
    throw new Refusal(400, "the request is nested too deeply");
  }
}

function parsed(bytes: Buffer): Readonly<Record<string, unknown>> {
  let envelope: unknown;
  try {
    envelope = readJson(textOf(bytes));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, "the request is not JSON");
  }
  if (!isObject(envelope)) throw new Refusal(400, "the request is not a JSON object");
  return envelope;
}
