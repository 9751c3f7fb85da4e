import { WebSocketServer } from 'ws';

// A chat with one room, in MessagePack over binary messages: maps of short text (https://msgpack.org).
const server = new WebSocketServer({ port: Number(process.env.PORT ?? 4003) });
const members = new Set();

function encode(map) {
  const texts = Object.entries(map).flat();
  const parts = texts.map((text) => {
    const bytes = Buffer.from(text);
    const head = bytes.length < 32 ? [0xa0 | bytes.length] : [0xd9, bytes.length];
    return Buffer.concat([Buffer.from(head), bytes]);
  });
  return Buffer.concat([Buffer.from([0x80 | (texts.length / 2)]), ...parts]);
}

function decode(bytes) {
  let at = 1;
  const next = () => {
    const length = bytes[at] === 0xd9 ? bytes[++at] : bytes[at] & 0x1f;
    at += 1 + length;
    return bytes.toString('utf8', at - length, at);
  };
  return Object.fromEntries(Array.from({ length: bytes[0] & 0x0f }, () => [next(), next()]));
}

server.on('connection', (socket) => {
  socket.on('message', (bytes) => {
    const { op, id, text } = decode(bytes);
    if (op === 'ping') socket.send(encode({ op: 'pong', id }));
    if (op === 'join') {
      members.add(socket);
      socket.send(encode({ op: 'joined' }));
    }
    if (op === 'say') for (const member of members) member.send(encode({ op: 'msg', text }));
  });
  socket.on('close', () => members.delete(socket));
});

server.on('listening', () => console.log(`listening on port ${server.address().port}`));
