/** An IP address as a number of 32 or 128 bits. */
export interface IpAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** A range of addresses (RFC 4632): those that share the first `prefix` bits of `base`. */
export interface IpRange {
  readonly base: IpAddress;
  readonly prefix: number;
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const GROUP = /^[0-9a-f]{1,4}$/;

/** Reads an address in its usual spelling (four decimal numbers, RFC 4291 groups); undefined for any other text. */
export function readAddress(text: string): IpAddress | undefined {
  if (IPV4.test(text)) return { bits: 32, value: fromDigits(text.split(".").map(Number), 8n) };
  if (!text.includes(":")) return undefined;
  const groups = ipv6Groups(text.toLowerCase());
  return groups === undefined ? undefined : { bits: 128, value: fromDigits(groups, 16n) };
}

/** Reads `address` or `address/prefix`; undefined for any other text, and if bits beyond the prefix are set. */
export function readRange(text: string): IpRange | undefined {
  const [, address = "", digits] = /^([^/]*)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const base = readAddress(address);
  if (base === undefined) return undefined;
  const prefix = digits === undefined ? base.bits : Number(digits);
  if (prefix > base.bits) return undefined;
  const rest = BigInt(base.bits - prefix);
  return (base.value >> rest) << rest === base.value ? { base, prefix } : undefined;
}

/** True if the address lies in the range. An IPv4 address written in IPv6 lies in no range of IPv4. */
export function isInRange({ base, prefix }: IpRange, { bits, value }: IpAddress): boolean {
  const rest = BigInt(base.bits - prefix);
  return bits === base.bits && value >> rest === base.value >> rest;
}

/** True if one of the ranges contains the other. */
export function doOverlap(a: IpRange, b: IpRange): boolean {
  return a.prefix <= b.prefix ? isInRange(a, b.base) : isInRange(b, a.base);
}

/** The eight groups of an IPv6 address; undefined if it has more, fewer, or two gaps. */
function ipv6Groups(text: string): readonly number[] | undefined {
  const [, lead = "", v4] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  if (v4 !== undefined) {
    const low = readAddress(v4);
    if (low === undefined) return undefined;
    return ipv6Groups(`${lead}${(low.value >> 16n).toString(16)}:${(low.value & 0xffffn).toString(16)}`);
  }
  const halves = text.split("::");
  const [head = [], tail] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const written = [...head, ...(tail ?? [])];
  const missing = 8 - written.length;
  if (halves.length > 2 || !written.every((group) => GROUP.test(group))) return undefined;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const gap = tail === undefined ? [] : Array.from({ length: missing }, () => "0");
  return [...head, ...gap, ...(tail ?? [])].map((group) => Number.parseInt(group, 16));
}

function fromDigits(digits: readonly number[], width: bigint): bigint {
  return digits.reduce((value, digit) => (value << width) | BigInt(digit), 0n);
}
