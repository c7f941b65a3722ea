import { plainText } from "../../domain/values/text.ts";

const MIB = 1024 * 1024;
/** The most that is read of a download of which the end is kept. Bytes. */
const MOST_READ = 64 * MIB;

/** How much of a download is kept: its last bytes, or all of it. */
export interface DownloadBounds {
  readonly keep: "end" | "all";
  readonly mostBytes: number;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
}

/** What was kept. `isCut`: there was more before it. */
export interface Download {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/** Something that GitHub keeps elsewhere cannot be had. */
export class DownloadFailure extends Error {
  override readonly name = "DownloadFailure";
}

/**
 * Reads what lies at a signed address, within the time limit. It sends no token: storage refuses requests that carry one, and has no
 * business with it. The address itself grants access, so no error has it.
 */
export async function download(
  { location, isPlainAllowed }: { readonly location: string; readonly isPlainAllowed: boolean },
  { keep, mostBytes, signal, timeoutMs }: DownloadBounds & { readonly timeoutMs: number },
): Promise<Download> {
  const address = URL.parse(location);
  if (address === null) throw new DownloadFailure("GitHub does not say where it is");
  if (address.protocol !== "https:" && !(isPlainAllowed && address.protocol === "http:"))
    throw new DownloadFailure("it is at an address that is not https");
  const late = AbortSignal.timeout(timeoutMs);
  const ends = signal === undefined ? late : AbortSignal.any([signal, late]);
  try {
    const response = await fetch(address, { redirect: "error", credentials: "omit", signal: ends });
    if (!response.ok) throw new DownloadFailure(`where it is kept, the answer is ${response.status}`);
    return await boundedBytes(response, { keep, mostBytes });
  } catch (error) {
    if (error instanceof DownloadFailure) throw error;
    if (late.aborted) throw new DownloadFailure(`no answer within ${Math.ceil(timeoutMs / 1000)} s`, { cause: error });
    throw new DownloadFailure(`where it is kept cannot be reached: ${connectionFailure(error)}`, { cause: error });
  }
}

async function boundedBytes({ body }: Response, { keep, mostBytes }: DownloadBounds): Promise<Download> {
  const most = keep === "all" ? mostBytes : MOST_READ;
  let chunks: Uint8Array[] = [];
  let [read, kept] = [0, 0];
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    read += chunk.length;
    kept += chunk.length;
    if (read > most) throw new DownloadFailure(`it is larger than ${Math.ceil(most / MIB)} MiB`);
    if (keep === "end" && kept > 2 * mostBytes) {
      chunks = [Buffer.concat(chunks).subarray(-mostBytes)];
      kept = mostBytes;
    }
  }
  return { bytes: Buffer.concat(chunks).subarray(-mostBytes), isCut: read > mostBytes };
}

/** The code of a failed connection; its words may have the address. */
function connectionFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "the connection was cut";
  return plainText(code, 40);
}
