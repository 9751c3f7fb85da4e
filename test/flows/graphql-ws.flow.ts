import { createClient } from 'graphql-ws';
import { defineFlow } from 'ringside-bench/flow';

export default defineFlow({
  metrics: { query: { meaning: 'from the query to its answer' } },
  async client(me) {
    const gql = createClient({
      url: new URL('/graphql', me.target).href,
      webSocketImpl: me.WebSocket,
      retryAttempts: 0,
    });
    const ticks = me.stream('ticks', { seq: ({ data }) => data.ticks.seq, from: 0 });
    const sink = {
      next: (tick: unknown) => ticks.saw(tick),
      error: (cause: unknown) => me.log(cause),
      complete: () => undefined,
    };
    gql.subscribe({ query: 'subscription { ticks { seq } }' }, sink);
    for (let n = 0; n < 20; n++) {
      const mark = `${me.number}:${n}`;
      const query = gql.iterate({ query: 'query ($mark: String!) { echo(mark: $mark) }', variables: { mark } });
      const { value } = await me.time('query', () => query.next());
      me.check('answered with its mark', value?.data?.echo === mark);
    }
    await gql.dispose();
  },
});
