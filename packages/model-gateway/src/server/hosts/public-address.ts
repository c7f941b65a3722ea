import { BlockList, isIP } from "node:net";

/**
 * Address ranges outside the public internet (IANA's special-purpose address registries), and Azure's host address, which looks
 * public but is the machine's own host. The clouds' metadata services are among the link-local, shared and unique local ranges.
 */
const CLOSED_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
/** Within the global unicast space: protocol assignments with Teredo and ORCHID, documentation, 6to4. */
const CLOSED_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];
/** The only part of the space that is allocated for the public internet. */
const GLOBAL_V6 = ["2000::/3"];
/** IPv4 behind a translator (RFC 6052): the last 32 bits count. */
const NAT64 = ["64:ff9b::/96"];

let lists: { readonly closed: BlockList; readonly global: BlockList; readonly nat64: BlockList } | undefined;

/** True if an address, in canonical spelling, is public. False for a text that is not an address. */
export function isPublicAddress(address: string): boolean {
  lists ??= { closed: toBlockList([...CLOSED_V4, ...CLOSED_V6]), global: toBlockList(GLOBAL_V6), nat64: toBlockList(NAT64) };
  if (isIP(address) === 4) return !lists.closed.check(address, "ipv4");
  if (isIP(address) !== 6 || address.includes("%")) return false;
  if (lists.nat64.check(address, "ipv6")) return isPublicAddress(lastFour(address));
  return lists.global.check(address, "ipv6") && !lists.closed.check(address, "ipv6");
}

function toBlockList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = "", bits = ""] = subnet.split("/");
    list.addSubnet(net, Number(bits), isIP(net) === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

/** The last 32 bits of an IPv6 address as an IPv4 address. */
function lastFour(address: string): string {
  // In a URL's spelling the last two groups are hexadecimal and are not left out unless zero.
  const hex = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const groups = hex
    .slice(hex.lastIndexOf("::") + (hex.includes("::") ? 2 : 0))
    .split(":")
    .filter((group) => group !== "");
  const low = Number.parseInt(groups.at(-1) ?? "0", 16);
  const high = Number.parseInt(groups.at(-2) ?? "0", 16);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}
