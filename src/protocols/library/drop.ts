import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { DropMode } from '../../wire/wire.js';

/**
 * Ends the connection under a library from our side. After `vanish` the socket stays open and unread, and the library learns of it by its own
 * heartbeat or never. One that is not open yet is given up, whatever the mode.
 */
export function dropWebSocket(socket: WebSocket, mode: DropMode): void {
  if (socket.readyState === WebSocket.CONNECTING) socket.terminate();
  else if (mode === 'close') socket.close();
  else if (mode === 'vanish') socket.pause();
  else abort(tcpSocketOf(socket));
}

/** Once its FIN is under way Node can't reset a socket: it would fail with EINVAL and lose the handle, and a thread with a lost handle never ends. */
function abort(socket: Socket | undefined): void {
  if (socket?.writableEnded) socket.destroy();
  else socket?.resetAndDestroy();
}

/** `ws` shows its TCP socket under this name only, and the libraries that stand on it use it so. */
function tcpSocketOf(socket: WebSocket): Socket | undefined {
  return (socket as unknown as { _socket?: Socket })._socket;
}
