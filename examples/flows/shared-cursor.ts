import { defineFlow } from 'ringside-bench/flow';

// Four people on a board see where the others point: ten moves a second each.
//   node examples/servers/cursors.mjs
//   npx ringside run flow examples/flows/shared-cursor.ts --target-url ws://127.0.0.1:4008 --clients 40 --duration 30s
export default defineFlow({
  // A cursor that jumps is no cursor: nearly all moves have to come within 50 ms.
  thresholds: ['delivery.p95<50ms'],

  async client(me) {
    const board = `board${Math.floor(me.number / 4)}`;
    const socket = await me.open(`/${board}`);
    const people = await me.join(board, () => socket.next({ type: 'welcome' }));
    await me.together('all boards are full');

    // A declared send needs no code per message: the engine fills the slots and sends at the planned instants.
    // Numbers stand without quotes in the message that leaves: {"x":512,"y":77,"mark":"…"}.
    const move = { x: '{random:0-1919}', y: '{random:0-1079}', mark: '{mark}' };
    const moves = socket.every('100ms', move, { name: 'move', owed: people.others, count: 50 });
    await moves.done;

    // The server sends a move to everybody but its sender. So do `others`; `all` would count one as lost.
    await me.together('all have moved');
    await me.sleep('1s');
  },
});
