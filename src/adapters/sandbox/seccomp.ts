import { endianness } from "node:os";

/** Numbers of system calls (asm/unistd_64.h; asm-generic/unistd.h) and of the architecture (linux/audit.h). */
interface Table {
  readonly arch: number;
  readonly socket: number;
  readonly ioctl: number;
  /** Answered with EPERM. */
  readonly refused: readonly number[];
}

const TABLES: Readonly<Record<string, Table>> = {
  x64: { arch: 0xc000_003e, socket: 41, ioctl: 16, refused: [248, 249, 250, 298, 304, 321, 323] },
  arm64: { arch: 0xc000_00b7, socket: 198, ioctl: 29, refused: [217, 218, 219, 241, 265, 280, 282] },
};

/** io_uring_setup, _enter and _register have the same numbers everywhere. */
const IO_URING = [425, 426, 427];
/** Unix, IPv4, IPv6 and netlink. Any other kind of socket (vsock reaches the host of a virtual machine) knows no network namespace. */
const SOCKET_FAMILIES = [1, 2, 10, 16];
/** TIOCSTI and TIOCLINUX put characters into the terminal of whoever looks at it. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/** Calls from here on are those of the x32 way of calling. */
const X32 = 0x4000_0000;

const ALLOW = 0x7fff_0000;
const errno = (code: number) => 0x0005_0000 + code;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [errno(1), errno(38), errno(97)];

/** Where struct seccomp_data (linux/seccomp.h) has its parts. */
const AT = { number: 0, arch: 4, argument0: 16, argument1: 24 } as const;

interface Instruction {
  readonly code: number;
  readonly yes: number;
  readonly no: number;
  readonly value: number;
}
const load = (at: number): Instruction => ({ code: 0x20, yes: 0, no: 0, value: at });
const answer = (value: number): Instruction => ({ code: 0x06, yes: 0, no: 0, value });
const ifEqual = (value: number, yes: number, no: number): Instruction => ({ code: 0x15, yes, no, value });
const ifAtLeast = (value: number, yes: number, no: number): Instruction => ({ code: 0x35, yes, no, value });

/**
 * A seccomp filter, as bwrap takes it, that closes what namespaces leave open: sockets of other families, keyrings (they
 * are inherited), perf events, bpf, userfaultfd, file handles, io_uring (by it sockets are opened past a filter), and
 * terminal input. Programs of another architecture (32 bit) do not run. Undefined where the processor is not known.
 */
export function seccompFilter(arch: string = process.arch): Buffer | undefined {
  const table = TABLES[arch];
  if (table === undefined || endianness() !== "LE") return undefined;
  const program = [
    load(AT.arch),
    ifEqual(table.arch, 1, 0),
    answer(ENOSYS),
    load(AT.number),
    ifAtLeast(X32, 0, 1),
    answer(ENOSYS),
    ...table.refused.flatMap((number) => [ifEqual(number, 0, 1), answer(EPERM)]),
    ...IO_URING.flatMap((number) => [ifEqual(number, 0, 1), answer(ENOSYS)]),
    ...whereCalled(table.socket, [
      load(AT.argument0),
      ...SOCKET_FAMILIES.flatMap((family) => [ifEqual(family, 0, 1), answer(ALLOW)]),
      answer(EAFNOSUPPORT),
    ]),
    ...whereCalled(table.ioctl, [
      load(AT.argument1),
      ...TERMINAL_INPUT.flatMap((request) => [ifEqual(request, 0, 1), answer(EPERM)]),
      answer(ALLOW),
    ]),
    answer(ALLOW),
  ];
  return Buffer.concat(program.map(bytesOf));
}

/** `body` must answer in every case. */
function whereCalled(number: number, body: readonly Instruction[]): Instruction[] {
  return [ifEqual(number, 0, body.length), ...body];
}

/** struct sock_filter of linux/filter.h. */
function bytesOf(of: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(of.code, 0);
  bytes.writeUInt8(of.yes, 2);
  bytes.writeUInt8(of.no, 3);
  bytes.writeUInt32LE(of.value, 4);
  return bytes;
}
