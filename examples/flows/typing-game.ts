import { defineFlow, takeTurns } from 'ringside-bench/flow';

// Rooms of six type a text, five keys a second. The server checks each key and passes it to everybody in the room.
//   npx ringside target socketio --port 3000
//   npx ringside run flow examples/flows/typing-game.ts --target-url ws://127.0.0.1:3000 --clients 60 --duration 30s
export default defineFlow({
  // Checked after the run, like thresholds of k6. `delivery` is the time of a key from one player to another.
  thresholds: ['delivery.p99<500ms'],

  // The life of one client. It leaves when this function ends.
  async client(me) {
    // Matchmaking over HTTP assigns a room and a seat.
    const { room, seat } = await me.http.post('/api/pvp/matchmake').json();

    // The server speaks Socket.IO, whose packets are text. It sends `2` as a ping and expects `3`.
    const game = await me.open('/socket.io/?EIO=4&transport=websocket', { parse: 'text' });
    game.on(/^2$/, () => game.send('3'));
    game.send('40');
    await game.next(/^40/);

    // Takes the seat. The answer brings the text to type.
    game.send(`421["join","${room}/${seat}"]`);
    const [{ passage }] = JSON.parse((await game.next<string>(/^431/)).json.slice(3));

    // The answer to this one is the start of the game. Who gets it is in the group, to which keys are owed.
    const players = await me.join(room, () => {
      game.send(`422["join","${room}/${seat}/start"]`);
      return game.next(/^432/, { within: '30s' });
    });

    // Declared sends: each key leaves at its instant, and the ledger finds its mark at each player.
    const keys = [...passage].map((letter) => `42["keystroke","${room}/${seat}","${letter}","{mark}"]`);
    await game.every('200ms', takeTurns(keys), { name: 'key', owed: players.all, count: 50 }).done;
    await me.sleep('1s'); // The last keys of the others are under way.
  },
});
