# Asks a guard server for a judgement, and starts Node if none answers: Node alone takes longer to start than an answer takes.
# In Perl, because it starts in 2 ms, and nearly every Linux machine has it. No module is loaded, which would take as long again.
#
# client.pl <socket> <node> <loopdash.js> hook before-tool|after-tool … | guard check … -- <words>
#   <socket>  "@name": the abstract socket of a worker's sandbox; nothing is started.
#             "own": this user's server, which is started for the next time if it does not run.
#
# Exits as Node would, and prints what Node would print. Whatever goes wrong here is left to Node, which judges by itself.
#
# For readers without Perl: $> is the user id, $! the error of the last system call, and $+[0] the end of the last match. `-d _` looks at
# the result of the lstat before it. `exec {$node} @command` makes this process the program, without a shell; it returns only if it fails.
use strict;

my $MOST_BYTES = 1 << 20;    # of a question. Node judges longer ones: serve.ts reads no more.
my $PATIENCE_S = 5;          # for an answer.
my $PAYLOAD_S  = 10;         # for a payload. Node blocks one without its end.
my $RETRY_S    = 60;         # between two starts of a server that does not come up.
my ( $AF_UNIX, $SOCK_STREAM ) = ( 1, 1 );    # of Linux, where alone this runs.

my ( $where, @command ) = @ARGV;
my ( $node, $main, $verb, $what, @options ) = @command;
my $is_hook = $verb eq 'hook' && $what =~ /\A(?:before|after)-tool\z/;
my $is_line = $verb eq 'guard' && $what eq 'check' && $options[-1] ne '--' && grep { $_ eq '--' } @options;
start_node() unless $is_hook || $is_line;

my $path = $where eq 'own' ? own_socket() : "\0" . substr $where, 1;
start_node() unless defined $path && length $path < 108;
socket my $server, $AF_UNIX, $SOCK_STREAM, 0 or start_node();
if ( !connect $server, pack 'S a*', $AF_UNIX, $path ) {
    start_server() if $where eq 'own';
    start_node();
}

# The payload of a hook is read once. From here on Node must be given what was read.
my $payload = '';
if ($is_hook) {
    binmode STDIN;
    my $is_whole = in_time( $PAYLOAD_S, sub { 1 while length $payload <= $MOST_BYTES && sysread STDIN, $payload, 65536, length $payload } );
    answer_by_node() unless $is_whole;
}
my $answer = length $payload > $MOST_BYTES ? undef : ask();
answer_by_node() unless defined $answer && $answer =~ /\A(\d+) (\d+) (\d+)\n/;
my ( $code, $out, $err, $at ) = ( $1, $2, $3, $+[0] );
answer_by_node() unless length $answer == $at + $out + $err;
print STDOUT substr $answer, $at, $out;
print STDERR substr $answer, $at + $out;
exit $code;

# The question: the number of bytes of its head and the head, which is the folder, HOME, TMPDIR and the arguments, each behind a NUL
# but the first; then the payload. An empty variable counts as none.
sub ask {
    my $cwd = readlink '/proc/self/cwd';
    return undef unless defined $cwd;
    my $head = join "\0", $cwd, map( { defined $ENV{$_} ? $ENV{$_} : '' } 'HOME', 'TMPDIR' ), $verb, $what, @options;
    my ( $question, $text ) = ( length($head) . "\n$head$payload", '' );
    my $is_answered = in_time(
        $PATIENCE_S,
        sub {
            local $SIG{PIPE} = 'IGNORE';
            for ( my $sent = 0 ; $sent < length $question ; ) {
                $sent += syswrite( $server, $question, length($question) - $sent, $sent ) || die "gone\n";
            }
            shutdown $server, 1;
            1 while sysread $server, $text, 65536, length $text;
        }
    );
    return $is_answered ? $text : undef;
}

# True if the work is done within so many seconds.
sub in_time {
    my ( $seconds, $work ) = @_;
    my $is_done = eval {
        local $SIG{ALRM} = sub { die "late\n" };
        alarm $seconds;
        $work->();
        1;
    };
    alarm 0;
    return $is_done;
}

sub start_node {
    exec {$node} @command;
    exit 127;
}

# Gives Node what was read, and what may still come.
sub answer_by_node {
    start_node() unless $is_hook;
    my $child = open my $to, '|-';
    exit 127 unless defined $child;
    start_node() if $child == 0;
    local $SIG{PIPE} = 'IGNORE';
    binmode $to;
    print $to $payload;
    if ( length $payload > $MOST_BYTES ) { local $/ = \65536; print $to $_ while <STDIN> }
    close $to;
    exit( $? & 127 ? 128 + ( $? & 127 ) : $? >> 8 );
}

# This user's socket for this very build of the guard; undefined if its folder is open to others, who could answer instead.
sub own_socket {
    my ($bundle) = $main =~ m{\A(.*/)} or return undef;
    my ( $ino, $size, $mtime ) = ( stat "${bundle}guard.cjs" )[ 1, 7, 9 ];
    return undef unless defined $ino;
    my $folder = "/tmp/loopdash-guard-$>";
    mkdir $folder, 0700;
    my ( $mode, $owner ) = ( lstat $folder )[ 2, 4 ];
    return undef unless -d _ && $owner == $> && !( $mode & 077 );
    return "$folder/$ino-$size-$mtime";
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
    opendir my $list, '/proc/self/fd' or return;
    for my $fd ( grep { /\A\d+\z/ && $_ > 2 && $_ != fileno $list } readdir $list ) {
        open my $file, '<&=', $fd or next;
        close $file;
    }
}
