import { Server } from '@hocuspocus/server';
import { announce } from './announce.mjs';

// Documents of Yjs, in memory.
const server = new Server({ port: 0, address: '127.0.0.1', quiet: true });
await server.listen();
announce(server.httpServer);
