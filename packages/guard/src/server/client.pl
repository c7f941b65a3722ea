# Asks a guard server for a judgement, and starts Node if none answers: Node alone takes longer to start than an answer takes.
# In Perl, because it starts in 2 ms, and nearly every Linux machine has it. No module is loaded, which would take as long again.
#
# client.pl <socket> <node> <loopdash.js> hook before-tool|after-tool|after-failed-tool … | guard check … -- <words>
#   <socket>  "@name": the abstract socket of a worker's sandbox; nothing is started.
#             "own": this user's server, which is started for the next time if it does not run.
#
# Exits as Node would, and prints what Node would print. Whatever goes wrong here is left to Node, which judges by itself.
#
# For readers without Perl: $> is the user id, $! the error of the last system call, and $+[0] the end of the last match. `-d _` looks at
# the result of the lstat before it. `exec {$node} @command` makes this process the program, without a shell; it returns only if it fails.
use strict;

my $MOST_BYTES  = 1 << 20;    # of a question. Node judges longer ones: serve.ts reads no more.
my $MOST_ANSWER = 16 << 20;
my $PATIENCE_S  = 5;          # for an answer.
my $PAYLOAD_S   = 10;         # for a payload. Node blocks one without its end.
my $RETRY_S     = 60;         # between two starts of a server that does not come up.

# Of Linux, where alone this runs.
my ( $AF_UNIX, $SOCK_STREAM, $SOCK_NONBLOCK ) = ( 1, 1, 2048 );
my ( $EINTR, $EAGAIN ) = ( 4, 11 );

my ( $socket, @command ) = @ARGV;
my ( $node, $main, $verb, $event, @options ) = @command;    # of `guard`, the event is "check"
my $is_hook = $verb eq 'hook' && $event =~ /\A(?:before|after|after-failed)-tool\z/;
my $is_line = $verb eq 'guard' && $event eq 'check' && $options[-1] ne '--' && grep { $_ eq '--' } @options;
start_node() unless $is_hook || $is_line;

my $path = $socket eq 'own' ? own_socket() : "\0" . substr $socket, 1;
start_node() unless defined $path && length $path < 108;

# A socket that blocks would wait without end while the queue of a server that accepts nobody is full.
socket my $server, $AF_UNIX, $SOCK_STREAM | $SOCK_NONBLOCK, 0 or start_node();
if ( !connect $server, pack 'S a*', $AF_UNIX, $path ) {
    start_server() if $socket eq 'own' && $! != $EAGAIN;
    start_node();
}

# The payload of a hook is read once. From here on Node must be given what was read.
my $payload = '';
answer_by_node() unless !$is_hook || read_all( *STDIN, \$payload, $MOST_BYTES, time + $PAYLOAD_S );
my $answer = ask();
answer_by_node() unless defined $answer && $answer =~ /\A([012]) (\d+) (\d+)\n/;
my ( $code, $out, $err, $at ) = ( $1, $2, $3, $+[0] );
answer_by_node() unless length $answer == $at + $out + $err;
local $SIG{PIPE} = 'IGNORE';
write_all( *STDOUT, substr( $answer, $at, $out ),  time + 60 );
write_all( *STDERR, substr( $answer, $at + $out ), time + 60 );
exit $code;

# The question: the number of bytes of its head and the head, which is the folder, HOME, TMPDIR and the arguments, each behind a NUL
# but the first; then the payload. An empty variable counts as none. Node alone can say what is wrong with a folder that is gone.
sub ask {
    my $cwd = readlink '/proc/self/cwd';
    return undef unless defined $cwd && place_of($cwd) eq place_of('.');
    my $head = join "\0", $cwd, map( { defined $ENV{$_} ? $ENV{$_} : '' } 'HOME', 'TMPDIR' ), $verb, $event, @options;
    my ( $until, $text ) = ( time + $PATIENCE_S, '' );
    local $SIG{PIPE} = 'IGNORE';
    return undef unless write_all( $server, length($head) . "\n$head$payload", $until );
    shutdown $server, 1;
    return read_all( $server, \$text, $MOST_ANSWER, $until ) ? $text : undef;
}

# The device and the number of a folder.
sub place_of {
    return join '-', ( stat $_[0] )[ 0, 1 ];
}

# Appends all that comes to a text. False if the end does not come in time, or the text gets longer than this, or reading fails.
sub read_all {
    my ( $from, $text, $most, $until ) = @_;
    while ( length $$text <= $most && is_ready( $from, 0, $until ) ) {
        my $bytes = sysread $from, $$text, 65536, length $$text;
        return 1 if defined $bytes && $bytes == 0;
        return 0 unless defined $bytes || $! == $EAGAIN || $! == $EINTR;
    }
    return 0;
}

# True if all of the text is written in time.
sub write_all {
    my ( $to, $text, $until ) = @_;
    for ( my $at = 0 ; $at < length $text ; ) {
        return 0 unless is_ready( $to, 1, $until );
        my $bytes = syswrite $to, $text, length($text) - $at, $at;
        return 0 unless defined $bytes || $! == $EAGAIN || $! == $EINTR;
        $at += $bytes || 0;
    }
    return 1;
}

# Waits until something can be read or written. No alarm ends it, because whoever starts this may have blocked its signal.
sub is_ready {
    my ( $handle, $is_writing, $until ) = @_;
    return 0 unless defined fileno $handle;
    while ( ( my $left = $until - time ) > 0 ) {
        my $bits = '';
        vec( $bits, fileno $handle, 1 ) = 1;
        my $ready = $is_writing ? select undef, $bits, undef, $left : select $bits, undef, undef, $left;
        return $ready > 0 unless $ready < 0 && $! == $EINTR;
    }
    return 0;
}

sub start_node {
    exec {$node} @command;
    print STDERR "loopdash: $node cannot be started: $!\n";
    exit 127;
}

# Becomes Node, which is given what was read by a process of its own, and then what still comes. So Node ends this hook, whether or not
# the payload has an end.
sub answer_by_node {
    start_node() if $payload eq '';
    pipe my $from, my $to or exit 127;
    my $feeder = fork;
    exit 127 unless defined $feeder;
    if ( $feeder == 0 ) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        close $from;
        my $until = time + 2 * $PAYLOAD_S;
        while ( write_all( $to, $payload, $until ) && is_ready( *STDIN, 0, $until ) ) {
            my $bytes = sysread STDIN, $payload, 65536;
            last unless $bytes || !defined $bytes && ( $! == $EAGAIN || $! == $EINTR );
            $payload = '' unless defined $bytes;
        }
        exit 0;
    }
    open STDIN, '<&', $from or exit 127;
    start_node();
}

# This user's socket for this very build of the guard, where the same files are seen; undefined if its folder is open to others, who could
# answer instead. Package managers set a build's time of change, but not its ctime.
sub own_socket {
    my ($bundle) = $main =~ m{\A(.*/)} or return undef;
    my ( $ino, $size, $ctime ) = ( stat "${bundle}guard.cjs" )[ 1, 7, 10 ];
    my ($mounts) = ( readlink '/proc/self/ns/mnt' || '' ) =~ /(\d+)/ or return undef;
    my $root = ( stat '/' )[1];
    return undef unless defined $ino && defined $root;
    my $folder = "/tmp/loopdash-guard-$>";
    mkdir $folder, 0700;
    my ( $mode, $owner ) = ( lstat $folder )[ 2, 4 ];
    return undef unless -d _ && $owner == $> && !( $mode & 077 );
    return "$folder/$ino-$size-$ctime-$mounts-$root";
}

# Starts a server that outlives this agent and has nothing of its environment but the mark by which a run finds its processes.
sub start_server {
    my $mark = "$path.starting";
    my $made = ( lstat $mark )[9];
    return if defined $made && time - $made < $RETRY_S;
    unlink $mark;
    open my $to, '>', $mark or return;
    close $to;
    my $child = fork;
    return unless defined $child && $child == 0;
    setpgrp 0, 0;
    chdir '/';
    close_others();
    %ENV = map { exists $ENV{$_} ? ( $_ => $ENV{$_} ) : () } 'LOOPDASH_FENCE';
    open STDIN,  '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', '/dev/null';
    exec {$node} $node, $main, '__guard-server', $path;
    exit 127;
}

# Closes what an agent's program may have left open: it could wait for the end of a pipe.
sub close_others {
    opendir my $list, '/proc/self/fd' or exit 127;
    for my $fd ( grep { /\A\d+\z/ && $_ > 2 && $_ != fileno $list } readdir $list ) {
        open my $file, '<&=', $fd or next;
        close $file;
    }
}
