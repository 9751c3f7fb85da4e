import { defineFlow } from 'ringside-bench/flow';

// Rooms of five, full before the first key. Every client is there until all that the server holds back has come, and
// then for as long as that took: longer than any delivery. Asks have the time of a busy machine.
const within = '10m';

export default defineFlow({
  async client(me) {
    const name = `room ${me.number % (me.clients / 5)}`;
    const conn = await me.open('/');
    const room = await me.join(name, () => conn.ask({ join: name, as: me.number }, { within }));
    await me.together('joined');
    const begunMs = Date.now();
    const say = { say: name, mark: '{mark}' };
    const keys = conn.every('40ms', say, { name: 'key', owed: room.others, count: 31 });
    const pings = conn.every('90ms', { ping: '{mark}' }, { name: 'ping', answer: { mark: true }, count: 13 });
    await Promise.all([keys.done, pings.done]);
    await conn.ask({ flush: true }, { within });
    await me.together('sent');
    await conn.ask({ flush: true }, { within });
    await me.sleep(Math.max(1500, Date.now() - begunMs));
  },
});
