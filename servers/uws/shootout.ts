import type { WebSocket } from 'uWebSockets.js';
import { broadcastMessage, echoMessage, readShootout, resultMessage } from '../shootout.js';
import { binaryMessage, errorMessage } from '../ws-json.js';
import type { Reach } from './reach.js';

/** Every connection to the shootout endpoint has it; no `ws-json` stream is without a name. */
export const shootoutTopic = '';

/** Takes one message of the protocol `shootout`. A process does not know how many listeners the others have, and tells no number of them. */
export function serveShootout(
  socket: WebSocket<unknown>,
  bytes: ArrayBuffer,
  isBinary: boolean,
  { publish }: Reach,
): void {
  const message = isBinary ? binaryMessage : readShootout(Buffer.from(bytes).toString());
  if (message.type === 'echo') socket.send(echoMessage(message.payload));
  else if (message.type === 'broadcast') {
    publish({ stream: shootoutTopic, data: broadcastMessage(message.payload) });
    socket.send(resultMessage(message.payload));
  } else if (message.type === 'wrong') socket.send(errorMessage(message.why));
}
