import { defineFlow } from 'ringside-bench/flow';

// Rooms of five, full before the first key. Every client is there until all that the server holds back has come, and
// longer than any delivery takes.
export default defineFlow({
  async client(me) {
    const name = `room ${me.number % (me.clients / 5)}`;
    const conn = await me.open('/');
    const room = await me.join(name, () => conn.ask({ join: name, as: me.number }));
    await me.together('joined');
    const say = { say: name, mark: '{mark}' };
    const keys = conn.every('40ms', say, { name: 'key', owed: room.others, count: 31 });
    const pings = conn.every('90ms', { ping: '{mark}' }, { name: 'ping', answer: { mark: true }, count: 13 });
    await Promise.all([keys.done, pings.done]);
    await conn.ask({ flush: true });
    await me.together('sent');
    await conn.ask({ flush: true });
    await me.sleep('4s');
  },
});
