import { defineFlow } from 'ringside-bench/flow';

// Rooms of five, of whom three in ten leave and come back while the others type: two by a word, one by its socket.
// Asks have the time of a busy machine.
const within = '10m';

export default defineFlow({
  async client(me) {
    const name = `room ${me.number % (me.clients / 5)}`;
    let conn = await me.open('/');
    const enter = () => me.join(name, () => conn.ask({ join: name, as: me.number }, { within }));
    const type = (count: number): Promise<void> =>
      conn.every('40ms', { say: name, mark: '{mark}' }, { name: 'key', owed: room.others, count }).done;
    let room = await enter();
    await me.together('joined');
    const begunMs = Date.now();
    const way = me.number % 10;
    if (way > 2) await type(71);
    for (let round = 0; way <= 2 && round < 3; round++) {
      await type(11);
      if (way === 2) await conn.close();
      else {
        await conn.ask({ leave: name }, { within });
        room.leave();
      }
      await me.sleep(200 + me.random() * 200);
      if (way === 2) conn = await me.open('/');
      room = await enter();
    }
    await conn.ask({ flush: true }, { within });
    await me.together('sent');
    await conn.ask({ flush: true }, { within });
    await me.sleep(Math.max(1500, Date.now() - begunMs));
  },
});
