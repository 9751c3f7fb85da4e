import { setTimeout as delay } from 'node:timers/promises';
import type { TargetStats } from '../../src/targets/target.js';
import { closeWithinMs, fail } from '../foreground.js';

/** Options with a value of every server that can be several processes. */
export const siblingOptions = ['further-ports', 'revive'] as const;

/** Where siblings listen, by default on free ports, and how long after its end each is started again, if at all. */
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

/** What a further process of a target serves with. */
export interface SiblingServer {
  /** Resolves to its port. */
  listen(host: string, port: number): Promise<number>;
  ownStats(): TargetStats;
  /** Takes what another process published, if the processes have no other way to tell each other. */
  publish?(stream: string, text: string): void;
  close(): unknown;
}

/**
 * Runs this process as a further one of the target whose first process forked it. It lives as long as its channel to
 * the first. A terminal's signals reach the whole group, and only the first process acts on them, unless this one is
 * ended by itself.
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
  // The channel may have closed before anybody listened to it.
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

/** What a sibling is started with, as JSON in its only argument. */
export interface SiblingStart {
  host: string;
  /** 0 for a free one. */
  port: number;
  /** Whether another one takes its place after its end. */
  isRevived: boolean;
  facts: object;
}

/** Reaches the subscribers of whichever process receives it. */
export interface Publish {
  kind: 'publish';
  stream: string;
  text: string;
}

/** What the first process says to a sibling, over the IPC channel. */
export type ToSibling = Publish | { kind: 'askStats' };

/** What a sibling says to the first process: `listening` first, then one `stats` per `askStats`. */
export type ToFirst = Publish | { kind: 'listening'; port: number } | { kind: 'stats'; stats: TargetStats };
