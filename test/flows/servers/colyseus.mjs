import { createServer } from 'node:http';
import { Room, Server } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { announce } from './announce.mjs';

// One room for each client, which hears all that it says.
class Chat extends Room {
  onCreate() {
    this.maxClients = 1;
    this.onMessage('say', (_client, message) => this.broadcast('said', message));
  }
}

const http = createServer();
const server = new Server({ transport: new WebSocketTransport({ server: http }), greet: false });
server.define('chat', Chat);
await server.listen(0, '127.0.0.1');
announce(http);
