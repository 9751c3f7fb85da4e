import { subscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { behindInterim, canBeInterim } from './http-head.js';

type Library = typeof import('undici');

// Only the parts in use: the whole library costs every process and worker 60 ms of CPU more at its start.
const load = createRequire(import.meta.url);
export const Agent: Library['Agent'] = load('undici/lib/dispatcher/agent.js');
export const Client: Library['Client'] = load('undici/lib/dispatcher/client.js');
export const Pool: Library['Pool'] = load('undici/lib/dispatcher/pool.js');
const send: (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData> = load(
  'undici/lib/api/api-request.js',
);

/** Sends a request over `dispatcher`. Resolves with the head of its answer, whose body is still to be read. */
export function request(dispatcher: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
  return send.call(dispatcher, options);
}

const nothing = Buffer.alloc(0);
/** By socket, what it read of a head that is awaited; undefined once that has come. */
const awaited = new WeakMap<Socket, Buffer | undefined>();

// undici takes 100 for a broken answer, and waits anew for its headers after every other interim one.
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { socket: Socket };
  if (!awaited.has(socket)) readBehindInterim(socket);
  awaited.set(socket, nothing);
});

/** Has a socket read only what comes behind interim answers. */
function readBehindInterim(socket: Socket): void {
  const read: () => Buffer | null = socket.read.bind(socket);
  socket.read = (): Buffer | null => {
    const [bytes, before] = [read(), awaited.get(socket)];
    if (bytes === null || before === undefined) return bytes;
    const rest = behindInterim(Buffer.concat([before, bytes]));
    const isAwaited = canBeInterim(rest);
    awaited.set(socket, isAwaited ? rest : undefined);
    return isAwaited ? socket.read() : rest;
  };
}
