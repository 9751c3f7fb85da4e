import { createRequire } from 'node:module';
import type { Dispatcher } from 'undici';

type Library = typeof import('undici');

// Only the parts in use: the whole library costs every process and worker 60 ms of CPU more at its start.
const load = createRequire(import.meta.url);
export const Agent: Library['Agent'] = load('undici/lib/dispatcher/agent.js');
export const Client: Library['Client'] = load('undici/lib/dispatcher/client.js');
export const Pool: Library['Pool'] = load('undici/lib/dispatcher/pool.js');
const send: (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData> = load(
  'undici/lib/api/api-request.js',
);

/** Sends a request over `dispatcher`. Resolves with the head of its answer, whose body is still to be read. */
export function request(dispatcher: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
  return send.call(dispatcher, options);
}
