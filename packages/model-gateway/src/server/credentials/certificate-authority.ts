import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** Days for which certificates are valid, from an hour ago on: clocks differ. A run may wait for a week. */
const DAYS = 30;
const HOUR_MS = 3_600_000;

/** ASN.1 tags (X.690) of what a certificate holds. */
const TAG = { boolean: 1, integer: 2, bits: 3, octets: 4, oid: 6, utf8: 12, time: 24, sequence: 0x30, set: 0x31 } as const;
/** Object identifiers in DER: ecdsa-with-SHA256 (RFC 5758), commonName, serverAuth, and the extensions of RFC 5280. */
const OID = {
  ecdsaSha256: "2a8648ce3d040302",
  commonName: "550403",
  serverAuth: "2b06010505070301",
  subjectKeyId: "551d0e",
  keyUsage: "551d0f",
  subjectNames: "551d11",
  basicConstraints: "551d13",
  authorityKeyId: "551d23",
  extendedKeyUsage: "551d25",
} as const;

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Issued {
  readonly cert: string;
  readonly key: string;
}

/**
 * A certificate authority for the sandboxes of one run. Its key never leaves this process's memory. It issues certificates for
 * hosts that the gateway adds a secret to, and nothing outside of the sandboxes trusts it.
 */
export class GatewayCertificateAuthority {
  /** Its certificate, which the sandboxes trust. PEM. */
  readonly certificate: string;
  readonly #keys = newKeys();
  readonly #name = `loopdash ${randomBytes(8).toString("hex")}`;
  readonly #issued = new Map<string, Issued>();

  constructor() {
    this.certificate = pem(
      "CERTIFICATE",
      this.#issue(this.#name, this.#keys, [
        extension(OID.basicConstraints, sequence(der(TAG.boolean, Buffer.from([0xff])), integer(Buffer.from([0]))), true),
        // keyCertSign, bit 5.
        extension(OID.keyUsage, der(TAG.bits, Buffer.from([2, 0x04])), true),
      ]),
    );
  }

  /** The certificate and key of a host, for a TLS server. PEM; each is made once. */
  certificateFor(host: string): Issued {
    const known = this.#issued.get(host);
    if (known !== undefined) return known;
    const keys = newKeys();
    // [2] dNSName or [7] iPAddress.
    const name = isIP(host) === 0 ? der(0x82, Buffer.from(host)) : der(0x87, addressBytes(host));
    const cert = this.#issue("gateway", keys, [
      extension(OID.basicConstraints, sequence(), true),
      // digitalSignature, bit 0.
      extension(OID.keyUsage, der(TAG.bits, Buffer.from([7, 0x80])), true),
      extension(OID.extendedKeyUsage, sequence(oid(OID.serverAuth))),
      extension(OID.subjectNames, sequence(name)),
    ]);
    const key = keys.privateKey.export({ type: "pkcs8", format: "pem" });
    const issued = { cert: pem("CERTIFICATE", cert), key: key.toString() };
    this.#issued.set(host, issued);
    return issued;
  }

  /** A certificate as RFC 5280, section 4.1, has it. */
  #issue(subject: string, { publicKey }: Keys, extensions: readonly Buffer[]): Buffer {
    const now = Date.now();
    const algorithm = sequence(oid(OID.ecdsaSha256));
    const identifiers = [
      extension(OID.subjectKeyId, der(TAG.octets, keyId(publicKey))),
      extension(OID.authorityKeyId, sequence(der(0x80, keyId(this.#keys.publicKey)))),
    ];
    const body = sequence(
      der(0xa0, integer(Buffer.from([2]))),
      integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
      algorithm,
      encodeName(this.#name),
      sequence(time(now - HOUR_MS), time(now + DAYS * 24 * HOUR_MS)),
      encodeName(subject),
      spki(publicKey),
      der(0xa3, sequence(...extensions, ...identifiers)),
    );
    return sequence(body, algorithm, bits(sign("sha256", body, this.#keys.privateKey)));
  }
}

function newKeys(): Keys {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function spki(key: KeyObject): Buffer {
  return key.export({ type: "spki", format: "der" });
}

/** A hash of the key, shortened: an identifier only (RFC 7093, 2). */
function keyId(key: KeyObject): Buffer {
  return createHash("sha256").update(spki(key)).digest().subarray(0, 20);
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(TAG.sequence, ...parts);
}

function oid(hex: string): Buffer {
  return der(TAG.oid, Buffer.from(hex, "hex"));
}

function integer(bytes: Buffer): Buffer {
  return der(TAG.integer, bytes);
}

function bits(bytes: Buffer): Buffer {
  return der(TAG.bits, Buffer.from([0]), bytes);
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [der(TAG.boolean, Buffer.from([0xff]))] : [];
  return sequence(oid(id), ...critical, der(TAG.octets, value));
}

function encodeName(commonName: string): Buffer {
  return sequence(der(TAG.set, sequence(oid(OID.commonName), der(TAG.utf8, Buffer.from(commonName)))));
}

/** GeneralizedTime. RFC 5280 wants UTCTime before 2050, with two digits of the year. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return digits < "2050" ? der(23, Buffer.from(digits.slice(2))) : der(TAG.time, Buffer.from(digits));
}

/** The bytes of an IP address in canonical spelling. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail] = address.split("::");
  const groups = (text: string | undefined) => (text ?? "").split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail)];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0");
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join(""), "hex");
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
