import { defineFlow } from 'ringside-bench/flow';

// Chat rooms of ten people, who read, think and write.
//   node examples/servers/chat.mjs
//   npx ringside run flow examples/flows/chat-room.ts --target-url ws://127.0.0.1:4001 --clients 50 --duration 60s
export default defineFlow({
  thresholds: ['delivery.p95<200ms', 'ask.p95<200ms'],

  async client(me) {
    const room = `room${Math.floor(me.number / 10)}`;
    const chat = await me.open('/');

    // Membership begins with the answer of the server: from then on, lines of the room are owed to this client.
    const members = await me.join(room, () => {
      chat.send({ op: 'join', room });
      return chat.next({ op: 'joined' });
    });

    // A gate for all clients of the run, so that every room is complete before the first line.
    await me.together('everybody is in');

    for (let n = 0; n < 5; n++) {
      // People differ: most think for about a second, a few for much longer. The draw depends on the seed of the run.
      await me.think('1s', { shape: 'lognormal' });
      // `{mark}` is replaced by a number that the ledger looks for at each member of the room.
      const line = { op: 'say', room, text: 'hello {mark}' };
      await chat.burst(1, line, { name: 'line', owed: members.all }).done;
      // An `ask` sends an id and waits for the answer with the same id. It is timed as `ask`.
      const { op } = await chat.ask({ op: 'ping' }, { within: '5s' });
      me.check('still here', op === 'pong');
    }

    // Nobody leaves before the last line arrived.
    await me.together('everybody is done');
    await me.sleep('1s');
  },
});
