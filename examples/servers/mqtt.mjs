import { Aedes } from 'aedes';
import { createServer } from 'aedes-server-factory';

// An MQTT broker over WebSocket.
const server = createServer(await Aedes.createBroker(), { ws: true });

server.listen(Number(process.env.PORT ?? 4007), () => console.log(`listening on port ${server.address().port}`));
