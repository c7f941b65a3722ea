import { plainText, plural } from "@loopdash/values";

/** The parts of a check's duration beside its own command. Milliseconds. */
export interface CheckTimes {
  /** Measuring the base to compare with. */
  readonly baseMs: number;
  /** The deep proof, without the preparation of its checkouts. */
  readonly proofMs: number;
  /** Preparing all its checkouts: `made` of them by commands, the others as copies of a kept preparation. */
  readonly preparing: {
    readonly ms: number;
    readonly times: number;
    readonly made: number;
    /** The reason why commands ran, raw. */
    readonly why?: string;
  };
}

/** Less is not told: a part alone, and all parts together. Milliseconds. */
const LEAST_PART_MS = 1_000;
const LEAST_MS = 10_000;
/** Characters of a reason: its beginning names a command, and its end says what is wrong with it. */
const [HEAD_CHARS, TAIL_CHARS] = [50, 40];

/** The parts of a passed check's summary that tell where its time went; none if it took little beside its own command. */
export function timesParts({ baseMs, proofMs, preparing }: CheckTimes): readonly string[] {
  const { ms, times, made, why } = preparing;
  if (baseMs + proofMs + ms < LEAST_MS) return [];
  const how = made === 0 ? " from a kept preparation" : why === undefined ? "" : `: ${shortReason(why)}`;
  return [
    ...(baseMs < LEAST_PART_MS ? [] : [`measuring the base ${seconds(baseMs)}`]),
    ...(proofMs < LEAST_PART_MS ? [] : [`proof ${seconds(proofMs)}`]),
    ...(ms < LEAST_PART_MS ? [] : [`preparing ${seconds(ms)}, ${plural(times, "time")}${how}`]),
  ];
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

function shortReason(why: string): string {
  const whole = plainText(why, 1_000);
  if (whole.length <= HEAD_CHARS + TAIL_CHARS) return whole;
  return `${whole.slice(0, HEAD_CHARS).trimEnd()} … ${whole.slice(-TAIL_CHARS).trimStart()}`;
}
