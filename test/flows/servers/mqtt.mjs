import { Aedes } from 'aedes';
import { createServer } from 'aedes-server-factory';
import { announce } from './announce.mjs';

// An MQTT broker over WebSocket.
const server = createServer(await Aedes.createBroker(), { ws: true });
server.listen(0, '127.0.0.1');
announce(server);
