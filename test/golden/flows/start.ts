import { defineFlow } from 'ringside-bench/flow';

// Clients that talk in rooms of ten. This works with the chat server examples/servers/chat.mjs of Ringside:
//   PORT=4001 node chat.mjs
//   npx ringside run flow flow.ts --target-url ws://127.0.0.1:4001/
export default defineFlow({
  // The run ends with exit code 3 if this breaks.
  thresholds: ['delivery.p99<500ms'],

  // The life of one client. It runs once for each of --clients.
  async client(me) {
    // Opens a WebSocket at --target-url. Its connect is timed. If it fails, this client ends, and its cause is counted.
    const chat = await me.open();

    // Sends the message with an id of its own, and times the answer with the same id.
    const pong = await chat.ask({ op: 'ping' }, { name: 'ping', within: '2s' });
    me.check('a ping gets a pong', pong.op === 'pong');

    // Joins a room. Once the server confirms it, this client is owed each message to the room.
    const name = `room-${Math.floor(me.number / 10)}`;
    const joined = { op: 'joined', room: name };
    const room = await me.join(name, () => chat.ask({ op: 'join', room: name }, { match: joined }));

    // Waits until all clients have joined.
    await me.together('joined', { within: '1m' });

    // Sends 50 messages, one every 200 ms, also while your code is busy. Each member of the room owes a delivery with
    // this {mark}: lost and duplicate ones are counted, the others are timed.
    const said = { op: 'say', room: name, text: 'hello {mark}' };
    await chat.every('200ms', said, { name: 'say', owed: room.all, count: 50 }).done;

    // Leaves time for the last deliveries. The socket closes at the end.
    await me.sleep('1s');
  },
});
