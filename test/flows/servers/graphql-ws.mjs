import { setTimeout as sleep } from 'node:timers/promises';
import { buildSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { announce } from './announce.mjs';

// GraphQL over WebSocket: a query that answers with its argument, and a subscription that counts.
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

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/graphql' });
useServer({ schema, roots }, server);
announce(server);
