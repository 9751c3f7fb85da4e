import { defineFlow } from 'ringside-bench/flow';

const padding = 'x'.repeat(34);

// Declares its five sends a second, and to a room also who is owed each.
export default defineFlow({
  async client(me) {
    const isSink = me.target.pathname === '/sink';
    const name = isSink ? '/sink' : `/room/${Math.floor(me.number / 6)}`;
    const conn = await me.open(name);
    // The server is done with its part when the socket is open.
    const room = await me.join(name, async () => undefined);
    const owed = isSink ? {} : { owed: room.all };
    await conn.every('200ms', { type: 'key', seq: '{n}', mark: '{mark}', padding }, owed).done;
  },
});
