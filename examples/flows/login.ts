import { csv, defineFlow } from 'ringside-bench/flow';

// People log in with a row of a file, and take their token to the feed.
//   node examples/servers/login-chat.mjs
//   npx ringside run flow examples/flows/login.ts --target-url ws://127.0.0.1:4005 --clients 7 --duration 20s
export default defineFlow({
  // Client 0 gets row 0. More clients than rows are refused before the run, unless `deal` is `loop` or `random`.
  data: csv('users.csv', { deal: 'each' }),

  async client(me) {
    // Requests keep the cookies of this client. A status of 400 or more ends the client, unless `expect` says which.
    const { token } = await me.http.post('/login', { user: me.row.user }, { expect: 200 }).json();

    // The server takes each token once and greets the user.
    const feed = await me.open(`/ws?token=${token}`);
    const everybody = await me.join('feed', () => feed.next({ welcome: me.row.user }));
    await me.together('logged in', { within: '10s' });

    // Ten lines at random instants, two a second on average. Each is owed to everybody. Slots take columns of the row.
    const lines = { name: 'line', owed: everybody.all, count: 10 };
    const said = feed.every({ perSecond: 2, poisson: true }, '{row.color} {mark}', lines);
    await said.done;

    await me.together('done');
    await me.sleep('1s');
  },
});
