import { setTimeout as delay } from 'node:timers/promises';
import type { TargetStats } from '../../src/targets/target.js';
import { closeWithinMs, fail } from '../foreground.js';

/** Names the options with a value that all servers with several processes share. */
export const siblingOptions = ['further-ports', 'revive'] as const;

/** Reads the ports of siblings, free ones by default, and the time after which an ended sibling restarts, if at all. */
export function siblingWays(
  server: string,
  values: Readonly<Record<string, string>>,
): { ports: number[]; reviveAfterMs: number | undefined } {
  const wholeNumber = (flag: (typeof siblingOptions)[number], text: string): number[] => {
    if (text === '') return [];
    return /^\d+$/.test(text) ? [Number(text)] : fail(server, `--${flag} must be whole numbers, not ${text}`, 2);
  };
  const ports = (values['further-ports'] ?? '').split(',').flatMap((each) => wholeNumber('further-ports', each));
  const [reviveAfterMs] = wholeNumber('revive', values.revive ?? '');
  return { ports, reviveAfterMs };
}

export interface SiblingServer {
  /** Resolves to its port. */
  listen(host: string, port: number): Promise<number>;
  ownStats(): TargetStats;
  /** Handles a publish of another process. Only needed if the processes have no other way to share it. */
  publish?(stream: string, text: string): void;
  close(): unknown;
}

/**
 * Runs this process as a further one of the target, forked by the first process. It lives as long as its channel to the
 * first. A terminal's signals reach the whole group, but only the first process acts on them, unless this one is ended
 * by itself.
 */
export async function runSibling<Facts extends object>(
  build: (facts: Facts, say: (message: ToFirst) => void) => SiblingServer | Promise<SiblingServer>,
): Promise<void> {
  process.once('disconnect', end);
  const { host, port, isRevived, facts } = JSON.parse(process.argv[2] ?? '') as SiblingStart & { facts: Facts };
  const server = await build(facts, say);
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => {
    if (isRevived) void Promise.race([server.close(), delay(closeWithinMs)]).then(end);
  });
  process.on('message', (message: ToSibling) => {
    if (message.kind === 'publish') server.publish?.(message.stream, message.text);
    else say({ kind: 'stats', stats: server.ownStats() });
  });
  say({ kind: 'listening', port: await server.listen(host, port) });
  // The channel can close before this listener is added.
  if (!process.connected) end();
}

function say(message: ToFirst): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) end();
  });
}

function end(): void {
  process.exit(0);
}

export interface SiblingStart {
  host: string;
  /** 0 for a free port. */
  port: number;
  /** True if another sibling replaces it after its end. */
  isRevived: boolean;
  facts: object;
}

/** Reaches the subscribers of the process that receives it. */
export interface Publish {
  kind: 'publish';
  stream: string;
  text: string;
}

/** Describes a message from the first process to a sibling, over the IPC channel. */
export type ToSibling = Publish | { kind: 'askStats' };

/** Describes a message from a sibling to the first process: one `listening`, then one `stats` for each `askStats`. */
export type ToFirst = Publish | { kind: 'listening'; port: number } | { kind: 'stats'; stats: TargetStats };
