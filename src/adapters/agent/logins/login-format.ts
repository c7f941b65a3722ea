import { isObject, type JsonObject } from "@loopdash/values";

/** The tokens that a vendor's program keeps of its login. */
export interface LoginTokens {
  readonly access: string;
  readonly refresh: string | undefined;
  /** Milliseconds since 1970 by this machine's clock, as the program noted it; undefined if unknown. */
  readonly expiresAt: number | undefined;
  /** Headers that go with the access token. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The request that gets new tokens for a refresh token. */
export interface RefreshRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A vendor's login: its file, and how it is refreshed. */
export interface LoginFormat {
  /** The program's name, for messages. */
  readonly program: string;
  /** What a person runs to log in. */
  readonly command: string;
  /** The program's own file, by the environment of the person who starts loopdash. */
  file(env: NodeJS.ProcessEnv): string;
  /** The vendor's token endpoint. */
  readonly tokenUrl: string;
  /** The tokens in the file; a text is the reason that there are none. */
  read(kept: JsonObject): LoginTokens | string;
  /** The request for new tokens; a text is the reason that there is none. */
  refresh(options: {
    readonly token: string;
    readonly kept: JsonObject;
    readonly programPath: string;
  }): Promise<RefreshRequest | string>;
  /** The file with the new tokens of an answer; undefined if it has none. `now` is in milliseconds since 1970. */
  renewed(kept: JsonObject, answer: JsonObject, now: number): JsonObject | undefined;
  /** The lifetime of the answer's access token in seconds; undefined if unknown. */
  lifetime(answer: JsonObject): number | undefined;
  /** The folder that the program itself makes while it refreshes, if it does. */
  ownLock?(file: string): string;
}

/** The claims of a JSON Web Token (RFC 7519), which are not verified: its vendor does that. Undefined if it is none. */
export function readJwtClaims(token: string): JsonObject | undefined {
  const [, claims] = token.split(".");
  if (claims === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(claims, "base64url").toString());
    return isObject(parsed) ? parsed : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
