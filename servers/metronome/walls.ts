import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';

const wallKinds = ['refuse', 'close', 'deaf', 'mute', 'freeze', 'spin'] as const;

/** Options that make a metronome fail on purpose. They test how Ringside reports such a target. */
export const wallOptions = z.strictObject({
  take: z.number().int().min(0).default(1_000_000_000).meta({
    flag: 'take',
    unit: 'count',
    help: 'upgrades to take before the wall',
  }),
  wall: z.enum(wallKinds).default('refuse').meta({
    flag: 'wall',
    help: 'what further upgrades meet: 503, close 1013, deafness, silence or a stall',
  }),
  together: z.number().int().min(1).default(1).meta({
    flag: 'together',
    unit: 'count',
    help: 'upgrades answered at a time',
  }),
  keepBytes: z.number().int().min(0).default(0).meta({
    flag: 'keep',
    unit: 'bytes',
    help: 'memory to keep for each connection',
  }),
  backlog: z.number().int().min(1).optional().meta({
    flag: 'backlog',
    unit: 'count',
    help: 'length of the accept queue',
  }),
});

/** A wall that stops the whole process ends by itself after this time. */
const standsMs = 120_000;

export type Walls = z.output<typeof wallOptions>;

export interface Upgrade {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
}

/** Answers an upgrade with this HTTP status and ends its connection. */
export function refuse({ socket }: Upgrade, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}

/** Accepts the first upgrades and applies the wall to all others. */
export class Wall {
  readonly #beyond = new WebSocketServer({ noServer: true });
  readonly #kept: Buffer[] = [];
  #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(private readonly walls: Walls) {}

  pass(upgrade: Upgrade, open: () => void): void {
    const { take, together, keepBytes } = this.walls;
    if (this.#taken >= take) {
      this.#meet(upgrade);
      return;
    }
    this.#taken++;
    // Zeroes of a fresh page would use no memory.
    if (keepBytes > 0) this.#kept.push(Buffer.alloc(keepBytes, 7));
    this.#waiting.push(open);
    if (this.#waiting.length < together) return;
    const ready = this.#waiting;
    this.#waiting = [];
    for (const each of ready) each();
  }

  #meet(upgrade: Upgrade): void {
    const { wall } = this.walls;
    if (wall === 'refuse') refuse(upgrade, 503);
    else if (wall === 'close') this.#open(upgrade, (socket) => socket.close(1013));
    else if (wall === 'deaf') this.#open(upgrade, () => undefined);
    else if (wall === 'freeze') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, standsMs);
    else if (wall === 'spin') for (const fromMs = performance.now(); performance.now() - fromMs < standsMs; );
  }

  #open({ request, socket, head }: Upgrade, opened: (socket: WebSocket) => void): void {
    this.#beyond.handleUpgrade(request, socket, head, opened);
  }
}
