/**
 * `node PLAIN SOCKET`, bundled by harness.ts: a straightforward Ink program. The same engine, the same reducer, a row for each
 * worker; but the run is one React state, every event sets it, and Ink draws at its own rate. For comparison only.
 */
import { Box, render, Text, useInput, useWindowSize } from "ink";
import { useEffect, useState } from "react";
import { connectChannel } from "../../src/adapters/channel/socket-client.ts";
import { reduce } from "../../src/domain/run/reduce.ts";
import type { RunState } from "../../src/domain/run/state.ts";
import { vecItems } from "../../src/domain/values/vec.ts";

function Plain({ socketPath }: { readonly socketPath: string }) {
  const { rows } = useWindowSize();
  const [run, setRun] = useState<RunState>();
  const [selected, setSelected] = useState(0);
  const [now, setNow] = useState(Date.now());
  useInput((input) => setSelected((at) => (input === "j" ? at + 1 : Math.max(0, at - 1))));
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    let mirror: RunState | undefined;
    void connectChannel({
      socketPath,
      onMessage: (message) => {
        mirror = message.kind === "snapshot" ? message.state : reduce(mirror, message.event);
        setRun(mirror);
      },
      onClose: () => process.exit(0),
    });
  }, [socketPath]);
  if (run === undefined) return <Text>connecting</Text>;
  const tickets = [...vecItems(run.tickets)];
  const working = tickets.filter((ticket) => ticket.attempt !== undefined);
  const waiting = tickets.filter((ticket) => ticket.attempt === undefined);
  return (
    <Box flexDirection="column" height={rows} overflow="hidden">
      <Text bold>{`${run.batch.name} ${working.length} at work`}</Text>
      <Box overflow="hidden">
        <Box flexDirection="column" width="60%" flexShrink={0}>
          {working.map((ticket, i) => (
            <Box key={ticket.id} justifyContent="space-between" flexShrink={0}>
              <Text wrap="truncate" inverse={i === selected}>{`${i === selected ? "▌" : " "}▶ ${ticket.id}`}</Text>
              <Text wrap="truncate" dimColor>{`"${ticket.attempt?.lastLine ?? ""}"`}</Text>
              <Text>{`${Math.round((now - (ticket.attempt?.startedAt ?? now)) / 1_000)} s`}</Text>
            </Box>
          ))}
        </Box>
        <Box flexDirection="column">
          {waiting.slice(0, rows - 2).map((ticket) => (
            <Text key={ticket.id} wrap="truncate">{`${ticket.id} ready`}</Text>
          ))}
        </Box>
      </Box>
    </Box>
  );
}

render(<Plain socketPath={process.argv[2] ?? ""} />, { alternateScreen: true });
