import { defineFlow } from 'ringside-bench/flow';

// Rooms of five, full before the first key, whose clients send until the run ends.
export default defineFlow({
  async client(me) {
    const name = `room ${me.number % (me.clients / 5)}`;
    const conn = await me.open('/');
    const room = await me.join(name, () => conn.ask({ join: name, as: me.number }, { within: '10m' }));
    await me.together('joined');
    await conn.every('100ms', { say: name, mark: '{mark}' }, { name: 'key', owed: room.others }).done;
  },
});
