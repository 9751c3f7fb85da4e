import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { WebSocketServer } from 'ws';

// An echo over wss with a certificate of its own. To make one:
// openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -keyout key.pem -out cert.pem
const https = createServer({ key: readFileSync(process.env.KEY), cert: readFileSync(process.env.CERT) });

new WebSocketServer({ server: https }).on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});

https.listen(Number(process.env.PORT ?? 4004), () => console.log(`listening on port ${https.address().port}`));
