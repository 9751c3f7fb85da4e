import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { DropMode } from '../../wire/wire.js';

/** Connections that we took from a library, until they are closed. */
export class LeftSockets {
  readonly #sockets = new Set<WebSocket>();

  /**
   * Ends a connection from our side; its library hears only its end. After `vanish` it stays open and unread until the
   * library's heartbeat or next attempt. One that is not open yet is given up, whatever the mode.
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

/** Nothing leaves on a network that is gone: neither data nor a close. */
function vanish(socket: WebSocket): void {
  socket.pause();
  tcpSocketOf(socket)?.cork();
  socket.close = () => undefined;
}

/**
 * Node can't reset a socket once its FIN is under way: it would fail with EINVAL and lose the handle, and a thread
 * with a lost handle never ends.
 */
function abort(socket: Socket | undefined): void {
  if (socket?.writableEnded) socket.destroy();
  else socket?.resetAndDestroy();
}

/** `ws` shows its TCP socket only under this name, which other libraries use too. */
function tcpSocketOf(socket: WebSocket): Socket | undefined {
  return (socket as unknown as { _socket?: Socket })._socket;
}
