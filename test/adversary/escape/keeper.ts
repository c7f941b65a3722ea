import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { isAlive } from "../../e2e/actors.ts";
import type { Stage } from "../../e2e/stage.ts";

/** The use that one of a person's programs makes of its file, pipe or socket; see KEEPER. */
export type Habit = "pipe" | "lock" | "range" | "lease" | "watching" | "relative" | "renamed" | "later" | "network";

/**
 * A program of the person's. Each round it reads its pipe, answers its socket, takes and releases its lock, opens its file for
 * writing or creates an instance of inotify. If it cannot, or if it detects another process, it creates `hits/<ticket>`.
 * `shared/<ticket>.rounds` holds the number of rounds, and is written in place: an attack waits for it, so that it was noticed.
 * Its socket is bound by a relative path or a new name, or is recreated all the time; or it is in another network namespace.
 */
const KEEPER = `use strict; use warnings; use IO::Socket::UNIX; use Fcntl qw(:DEFAULT :flock);
my ($root, $inotify, $ticket, $kind, $path) = @ARGV;
my $hit = sub { open(my $f, ">", "$root/hits/$ticket") or die; close $f };
my $listen = sub { my $s = IO::Socket::UNIX->new(Local => $_[0], Listen => 5) or die "$_[0] $!"; $s->blocking(0); $s };
my ($folder, $name) = $path =~ m{^(.*)/([^/]+)$};
my (@live, $pipe); my $n = 0;
if ($kind eq "pipe") { sysopen($pipe, $path, O_RDWR | O_NONBLOCK) or die "$path $!" }
if ($kind eq "relative") { chdir $folder or die; push @live, $listen->($name) }
if ($kind eq "network") { push @live, $listen->($path) }
if ($kind eq "renamed") { push @live, $listen->("$path.tmp"); rename("$path.tmp", $path) or die }
my %round = (
  pipe => sub { $hit->() if sysread($pipe, my $text, 4096) },
  lock => sub { open(my $f, "<", $path) or die; $hit->() unless flock($f, LOCK_EX | LOCK_NB) },
  range => sub { open(my $f, "+<", $path) or die; my $l = pack("s s x4 q q l x4", 1, 0, 0, 0, 0); $hit->() unless fcntl($f, F_SETLK, $l) },
  lease => sub { sysopen(my $f, $path, O_WRONLY | O_NONBLOCK) or $hit->() },
  watching => sub { my $fd = syscall($inotify + 0, 0); if ($fd < 0) { $hit->() } else { open(my $f, "<&=", $fd); close $f } },
  later => sub { push @live, $listen->("$path-$n") if $n % 20 == 0 },
);
sysopen(my $rounds, "$root/shared/$ticket.rounds", O_RDWR | O_CREAT) or die;
for (;; $n++) {
  $round{$kind}->() if $round{$kind};
  for my $s (@live) { while (my $c = $s->accept) { $hit->(); close $c } }
  sysseek($rounds, 0, 0); syswrite($rounds, sprintf("%012d", $n));
  select(undef, undef, undef, 0.01);
}
`;

/** Starts one, and waits for its first round. It ends with the stage, because it is in the stage's environment. */
export function startKeeper(
  stage: Stage,
  { habit, path, ticket }: { readonly ticket: string; readonly habit: Habit; readonly path: string },
): void {
  for (const folder of ["hits", "shared"]) stage.write(`${folder}/.keep`, "");
  const script = stage.write("keeper.pl", KEEPER);
  if (habit === "pipe") execFileSync("mkfifo", [path]);
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];
  const apart = habit === "network" ? ["unshare", ...user, "--net"] : [];
  const inotify = process.arch === "x64" ? "294" : "26";
  const [program = "", ...args] = [...apart, "perl", script, stage.root, inotify, ticket, habit, path];
  const child = spawn(program, args, { cwd: stage.root, env: stage.env, stdio: "ignore" });
  child.unref();
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(stage.path("shared", `${ticket}.rounds`))) {
    if (child.pid === undefined || !isAlive(child.pid)) throw new Error(`the keeper of ${ticket} did not start`);
    Atomics.wait(cell, 0, 0, 5);
  }
}

/**
 * Source that gives an attack `hold(how, at)`: a process that takes a resource and keeps it until the keeper has had enough
 * rounds to notice. The result is recorded.
 */
export const HOLD = `
const HOLDER = String.raw\`use Fcntl qw(:DEFAULT :flock);
my ($rounds, $how, $at) = @ARGV; my @kept;
sub rounds { open(my $f, "<", $rounds) or die "rounds: $!"; my $text = <$f>; return $text + 0 }
my %ways = (
  "lock" => sub { my $f; open($f, "<", $at) && flock($f, LOCK_EX | LOCK_NB) && push @kept, $f },
  "shared-lock" => sub { my $f; open($f, "<", $at) && flock($f, LOCK_SH | LOCK_NB) && push @kept, $f },
  "range" => sub { my ($f, $l); $l = pack("s s x4 q q l x4", 0, 0, 0, 0, 0); open($f, "<", $at) && fcntl($f, F_SETLK, $l) && push @kept, $f },
  "lease" => sub { my $f; open($f, "<", $at) && fcntl($f, 1024, 0) && push @kept, $f },
  "again" => sub { my ($e, $f); open($e, "<", $at) && open($f, "<", "/proc/self/fd/" . fileno($e)) && close($e) && fcntl($f, 1024, 0) && push @kept, $f },
  "both-ends" => sub { my $f; sysopen($f, $at, O_RDWR) && syswrite($f, "hit") && push @kept, $f },
  "one-end" => sub { my $f; sysopen($f, $at, O_WRONLY | O_NONBLOCK) && syswrite($f, "hit") && push @kept, $f },
  "link" => sub { my $f; symlink($at, "/tmp/way-$$"); sysopen($f, "/tmp/way-$$", O_WRONLY | O_NONBLOCK) && syswrite($f, "hit") && push @kept, $f },
  "watch" => sub { for (1 .. 4096) { my $fd = syscall(${process.arch === "x64" ? 294 : 26}, 0); last if $fd < 0; push @kept, $fd } 1 },
);
$ways{$how}->() or print STDERR "refused: $! ";
print "tried\\n"; my $from = rounds(); select(undef, undef, undef, 0.005) until rounds() > $from + 3;
\`;
const hold = (how, at, times = 1) => {
  fs.writeFileSync("/tmp/hold-" + ticket + ".pl", HOLDER);
  const line = "perl /tmp/hold-" + ticket + ".pl '" + root + "/shared/" + ticket + ".rounds' " + how + " '" + at + "'";
  heard.push($(times === 1 ? line : "for n in $(seq " + times + "); do " + line + " & done; wait"));
};
const net = await import("node:net");
const call = (path) => new Promise((settle) => {
  const socket = net.connect({ path }).on("connect", () => socket.end("hit")).on("error", (error) => heard.push(error.code + " ")).on("close", settle);
});
`;
