import { createClient } from 'graphql-ws';
import { defineFlow } from 'ringside-bench/flow';

// The real client of GraphQL over WebSocket: npm install graphql-ws graphql
//   node examples/servers/graphql.mjs
//   npx ringside run flow examples/flows/graphql-subscription.ts --target-url ws://127.0.0.1:4006 --clients 50
export default defineFlow({
  // A figure of your own. `me.time` records it. `npx ringside show` prints it with its meaning.
  metrics: { query: { meaning: 'from a query to its answer', thresholds: ['p99<200ms'] } },

  async client(me) {
    // The library gets its sockets from `me.WebSocket`: they run on the engine and count as this client's.
    const url = new URL('/graphql', me.target).href;
    const gql = createClient({ url, webSocketImpl: me.WebSocket, retryAttempts: 0 });

    // The server numbers its ticks from 0. The stream sees each one; a gap in the numbers counts as lost.
    const ticks = me.stream('ticks', { seq: (result) => result.data.ticks.seq, from: 0 });
    const sink = {
      next: (result: unknown) => ticks.saw(result),
      error: (cause: unknown) => me.log('subscription:', cause),
      complete: () => undefined,
    };
    gql.subscribe({ query: 'subscription { ticks { seq } }' }, sink);

    // Meanwhile the client asks a query every half second.
    for (let n = 0; n < 10; n++) {
      const variables = { mark: `${me.number}:${n}` };
      const query = gql.iterate({ query: 'query ($mark: String!) { echo(mark: $mark) }', variables });
      const answer = await me.time('query', () => query.next());
      me.check('the answer is mine', answer.value?.data?.echo === variables.mark);
      await me.sleep('500ms');
    }
    await gql.dispose();
  },
});
