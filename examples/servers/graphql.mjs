import { setTimeout as sleep } from 'node:timers/promises';
import { buildSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

// GraphQL over WebSocket: a query that answers with its argument, and a subscription that counts 50 ticks a second.
const schema = buildSchema(`
  type Tick { seq: Int! }
  type Query { echo(mark: String!): String! }
  type Subscription { ticks: Tick! }
`);

const roots = {
  query: { echo: ({ mark }) => mark },
  subscription: {
    async *ticks() {
      for (let seq = 0; ; seq++) {
        yield { ticks: { seq } };
        await sleep(20);
      }
    },
  },
};

const server = new WebSocketServer({ port: Number(process.env.PORT ?? 4006), path: '/graphql' });
useServer({ schema, roots }, server);

server.on('listening', () => console.log(`listening on port ${server.address().port}`));
