import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** What happens to a request on its way to the kernel. */
export interface RequestWrite {
  /** Right before its first byte is written. */
  sent(): void;
  /** Right after the kernel took its last byte; never called if the kernel did not take all of it at once. */
  written(): void;
}

let current: RequestWrite | undefined;
let socket: Socket | undefined;

/** Follows the request that undici begins: call it in `onRequestStart`. Text bodies are written in the same call. */
export function followRequest(write: RequestWrite): void {
  current = write;
}

subscribe('undici:client:sendHeaders', (message) => {
  socket = (message as { socket: Socket }).socket;
  current?.sent();
});

subscribe('undici:request:bodySent', () => {
  const [write, to] = [current, socket];
  current = undefined;
  socket = undefined;
  if (write === undefined || to === undefined) return;
  if (to.writableLength === 0) write.written();
  // TLS tells of its writes after the poll.
  else setImmediate(() => to.writableLength === 0 && write.written());
});
