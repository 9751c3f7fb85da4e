import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { DropMode } from '../../wire/wire.js';

/** The connections that were taken from under a library by us, until they are closed. */
export class LeftSockets {
  readonly #sockets = new Set<WebSocket>();

  /**
   * Ends a connection from our side; its library hears nothing more on it but its end. After `vanish` it stays open and
   * unread, and the library learns of it by its own heartbeat or by its next attempt. One that is not open yet is given
   * up, whatever the mode.
   */
  drop(socket: WebSocket, mode: DropMode): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.onmessage = null;
    if (socket.readyState === WebSocket.CONNECTING) socket.terminate();
    else if (mode === 'close') socket.close();
    else if (mode === 'vanish') vanish(socket);
    else abort(tcpSocketOf(socket));
  }

  /** Ends all of them. */
  dispose(): void {
    for (const socket of this.#sockets) socket.terminate();
  }
}

/** A network that is gone takes nothing: what the library still says, its close included, never leaves. */
function vanish(socket: WebSocket): void {
  socket.pause();
  tcpSocketOf(socket)?.cork();
  socket.close = () => undefined;
}

/**
 * Once its FIN is under way Node can't reset a socket: it would fail with EINVAL and lose the handle, and a thread with
 * a lost handle never ends.
 */
function abort(socket: Socket | undefined): void {
  if (socket?.writableEnded) socket.destroy();
  else socket?.resetAndDestroy();
}

/** `ws` shows its TCP socket under this name only, and the libraries that stand on it use it so. */
function tcpSocketOf(socket: WebSocket): Socket | undefined {
  return (socket as unknown as { _socket?: Socket })._socket;
}
