import { endianness } from "node:os";

/** Numbers of system calls (asm/unistd_64.h; asm-generic/unistd.h) and of the architecture (linux/audit.h). */
interface Table {
  readonly arch: number;
  readonly socket: number;
  readonly ioctl: number;
  readonly fcntl: number;
  readonly clone: number;
  readonly unshare: number;
  /**
   * Answered with EPERM: add_key, request_key, keyctl, perf_event_open, name_to_handle_at, open_by_handle_at, bpf, userfaultfd,
   * fanotify_init, fanotify_mark, setns, mount, umount2, pivot_root; in this order.
   */
  readonly refused: readonly number[];
  /** ptrace, process_vm_readv, process_vm_writev: refused to judges alone, because debuggers and profilers need them. */
  readonly foreignMemory: readonly number[];
}

const TABLES: Readonly<Record<string, Table>> = {
  x64: {
    ...{ arch: 0xc000_003e, socket: 41, ioctl: 16, fcntl: 72, clone: 56, unshare: 272 },
    refused: [248, 249, 250, 298, 303, 304, 321, 323, 300, 301, 308, 165, 166, 155],
    foreignMemory: [101, 310, 311],
  },
  arm64: {
    ...{ arch: 0xc000_00b7, socket: 198, ioctl: 29, fcntl: 25, clone: 220, unshare: 97 },
    refused: [217, 218, 219, 241, 264, 265, 280, 282, 262, 263, 268, 40, 39, 41],
    foreignMemory: [117, 270, 271],
  },
};

/**
 * Calls with the same numbers on every processor, answered as by a kernel that lacks them, so that programs do without: io_uring
 * (_setup, _enter, _register), mounting by file descriptors (open_tree, move_mount, fsopen, fsconfig, fsmount, fspick,
 * mount_setattr), clone3, whose flags lie in memory where a filter cannot read them: libc falls back to clone, and pidfd_getfd, which
 * takes an open file of another process.
 */
const UNKNOWN = [425, 426, 427, 428, 429, 430, 431, 432, 433, 442, 435, 438];
/**
 * Unix, IPv4, IPv6 and netlink. Other kinds of sockets ignore network namespaces (vsock reaches the host of a virtual machine).
 */
const SOCKET_FAMILIES = [1, 2, 10, 16];
/** TIOCSTI and TIOCLINUX put characters into the terminal of the person who looks at it. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/**
 * F_SETLEASE, F_NOTIFY and F_SETDELEG (linux/fcntl.h). The holder of a lease makes other programs that open the file wait for up
 * to /proc/sys/fs/lease-break-time, which is 45 s. F_NOTIFY tells what others do in a folder.
 */
const HOLDS = [1024, 1026, 1040];
/** CLONE_NEWUSER (linux/sched.h): a process with a new user namespace may use parts of the kernel that are root's. */
const NEW_USER = 0x1000_0000;
/** Calls from this number on are x32 calls. */
const X32 = 0x4000_0000;

const ALLOW = 0x7fff_0000;
const errno = (code: number) => 0x0005_0000 + code;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [errno(1), errno(38), errno(97)];

/** Offsets in struct seccomp_data (linux/seccomp.h); of arguments, the lower half, which holds a whole int. */
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
const jumpIfAnyBit = (bits: number, yes: number, no: number): Instruction => ({ code: 0x45, yes, no, value: bits });

/**
 * A seccomp filter for bwrap that closes the gaps of namespaces: other socket families, keyrings (they are inherited), perf
 * events, bpf, userfaultfd, file handles, io_uring (it opens sockets past a filter), leases, fanotify, new user namespaces and
 * mounts, and terminal input. Programs of another architecture (32 bit) do not run. `forJudge` also closes the memory of other processes.
 * Undefined for an unknown processor.
 */
export function seccompFilter(arch: string = process.arch, { forJudge = false } = {}): Buffer | undefined {
  const table = TABLES[arch];
  if (table === undefined || endianness() !== "LE") return undefined;
  const userNamespace = [load(AT.argument0), jumpIfAnyBit(NEW_USER, 0, 1), answer(EPERM), answer(ALLOW)];
  const program = [
    load(AT.arch),
    ifEqual(table.arch, 1, 0),
    answer(ENOSYS),
    load(AT.number),
    ifAtLeast(X32, 0, 1),
    answer(ENOSYS),
    ...[...table.refused, ...(forJudge ? table.foreignMemory : [])].flatMap((number) => [ifEqual(number, 0, 1), answer(EPERM)]),
    ...UNKNOWN.flatMap((number) => [ifEqual(number, 0, 1), answer(ENOSYS)]),
    ...whereCalled(table.socket, [
      load(AT.argument0),
      ...SOCKET_FAMILIES.flatMap((family) => [ifEqual(family, 0, 1), answer(ALLOW)]),
      answer(EAFNOSUPPORT),
    ]),
    ...whereCalled(table.ioctl, refusing(TERMINAL_INPUT)),
    ...whereCalled(table.fcntl, refusing(HOLDS)),
    ...whereCalled(table.clone, userNamespace),
    ...whereCalled(table.unshare, userNamespace),
    answer(ALLOW),
  ];
  return Buffer.concat(program.map(encodeInstruction));
}

/** Refuses calls whose second argument is one of these commands. */
function refusing(commands: readonly number[]): Instruction[] {
  return [load(AT.argument1), ...commands.flatMap((command) => [ifEqual(command, 0, 1), answer(EPERM)]), answer(ALLOW)];
}

/** `body` must answer in every case. */
function whereCalled(number: number, body: readonly Instruction[]): Instruction[] {
  return [ifEqual(number, 0, body.length), ...body];
}

/** struct sock_filter of linux/filter.h. */
function encodeInstruction(instruction: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(instruction.code, 0);
  bytes.writeUInt8(instruction.yes, 2);
  bytes.writeUInt8(instruction.no, 3);
  bytes.writeUInt32LE(instruction.value, 4);
  return bytes;
}
