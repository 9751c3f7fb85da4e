import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { nowNs } from '../measure/rig/clock.js';
import { protocolWith } from '../protocols/list.js';
import type { Batching, PublishRequest } from '../protocols/protocol.js';
import type { Job } from '../scenarios/job.js';
import type { BatchAnswer, PublishEvents, PublisherContext } from '../scenarios/scenario.js';
import { dueAtNs, lastsMs } from '../scenarios/traffic/schedule.js';
import { Pool, reachOptions, request } from '../units/http.js';
import { jsonIn } from '../units/text.js';
import { requestCause, type SocketError } from '../wire/causes.js';
import { turns } from '../wire/turns.js';

interface PublishOutlet {
  pool: Outlet['pool'];
  requestOf(stream: string, data: string): PublishRequest;
  batching: Batching | undefined;
}

/** Publishes broadcasts by HTTP requests over kept-alive connections, to one address or several in turn. */
export class HttpPublish {
  readonly #outlets: readonly PublishOutlet[];
  readonly #headers: Record<string, string>;
  readonly #stream: string;
  #turn = 0;

  constructor(job: Pick<Job, 'target' | 'stream' | 'load' | 'protocol' | 'protocolOptions'>) {
    const { load, target, stream } = job;
    this.#stream = stream;
    const protocol = protocolWith(job.protocol, job.protocolOptions);
    this.#headers = { 'content-type': 'application/json', ...target.publishHeaders };
    this.#outlets = [target.publishUrl, ...target.furtherPublishUrls].map((text) => {
      const { pool, path } = openOutlet(text, load);
      const address = new URL(text);
      const own = protocol?.publishing?.(job.protocolOptions, address);
      const batching = protocol?.batching?.(job.protocolOptions, address);
      const requestOf = (stream: string, data: string) =>
        own?.(stream, data) ?? { path, body: JSON.stringify({ stream, data }) };
      return { pool, requestOf, batching };
    });
  }

  publish(data: string, events: PublishEvents = {}, stream = this.#stream): Promise<number | string> {
    return this.#inTurn(({ requestOf }) => requestOf(stream, data), events);
  }

  /** See `PublisherContext.together`: undefined unless every address takes batches. */
  get together(): PublisherContext<unknown>['together'] {
    const each = this.#outlets.flatMap(({ batching }) => batching ?? []);
    if (each.length < this.#outlets.length) return undefined;
    return {
      most: Math.min(...each.map(({ most }) => most)),
      publish: (data) => this.#inTurn(({ batching }) => batching!.requestOf(this.#stream, data), {}),
    };
  }

  /** Tries the next address if one refuses the connection, as a load balancer does. */
  async #inTurn(
    requestFor: (outlet: PublishOutlet) => PublishRequest,
    events: PublishEvents,
  ): Promise<number | string> {
    const first = this.#turn++;
    let answer: number | string = 'connect-refused';
    for (let n = 0; n < this.#outlets.length && answer === 'connect-refused'; n++) {
      const outlet = this.#outlets[(first + n) % this.#outlets.length]!;
      answer = await this.#post(outlet.pool, requestFor(outlet), events);
    }
    return answer;
  }

  #post(pool: Outlet['pool'], request: PublishRequest, events: PublishEvents): Promise<number | string> {
    const { path, body } = request;
    const headers = request.headers ? { ...this.#headers, ...request.headers } : this.#headers;
    return new Promise((resolve) => {
      let status = 0;
      const write = {
        sent: () => events.sent?.(),
        written: () => {
          // Ends the work of this turn before the wait for the answer.
          turns.begin();
          events.written?.();
        },
      };
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart: () => followRequest(write),
        onResponseStart(_controller, statusCode, headers) {
          status = statusCode;
          turns.begin();
          events.answered?.(turns.readableFromNs);
          const us = events.took && publishTimeUs(headers['server-timing']);
          if (us !== undefined) events.took?.(us);
          // Headers complete the acknowledgement. The time of the body is not counted.
          resolve(status);
        },
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(status),
        onResponseError: (_controller, error) => resolve(requestCause(error)),
      };
      pool.dispatch({ path, method: 'POST', headers, body }, handler);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#outlets.map(({ pool }) => pool.destroy()));
  }
}

export type Outlet = ReturnType<typeof openOutlet>;

/** Opens up to `maxInFlight` kept-alive connections to an address. */
export function openOutlet(address: string, load: Job['load']) {
  const url = new URL(address);
  const pool = new Pool(url.origin, {
    connections: load.maxInFlight,
    pipelining: 1,
    headersTimeout: load.publishTimeoutMs,
    bodyTimeout: load.publishTimeoutMs,
    ...reachOptions(url.hostname, load, load.publishTimeoutMs),
  });
  return { pool, path: url.pathname + url.search };
}

function publishTimeUs(header: string | string[] | undefined): number | undefined {
  const text = Array.isArray(header) ? header.join(',') : header;
  const ms = /(?:^|,)\s*publish\s*;(?:[^,]*;)?\s*dur=(\d+(?:\.\d+)?)/.exec(text ?? '')?.[1];
  return ms === undefined ? undefined : Number(ms) * 1000;
}

/** Events of a request on its way to the kernel. */
export interface RequestWrite {
  sent(): void;
  /** Called right after the kernel took its last byte. Never called if the kernel did not take all of it at once. */
  written(): void;
}

let current: RequestWrite | undefined;
let socket: Socket | undefined;

/** Follows the request that undici begins. Call it in `onRequestStart`. Text bodies are written in the same call. */
export function followRequest(write: RequestWrite): void {
  current = write;
}

subscribe('undici:client:sendHeaders', (message) => {
  socket = (message as { socket: Socket }).socket;
  current?.sent();
});

subscribe('undici:request:bodySent', () => {
  const [write, to] = [current, socket];
  current = undefined;
  socket = undefined;
  if (write === undefined || to === undefined) return;
  if (to.writableLength === 0) write.written();
  // TLS reports its writes after the poll phase.
  else setImmediate(() => to.writableLength === 0 && write.written());
});

/** The clock of a target may have a resolution of one millisecond. */
const roundingMs = 1;

const published = z.object({ published: z.number().int(), tookMs: z.number().nonnegative() });

/** Returns what sends batches of broadcasts to the target, which publishes them by itself (servers/README.md). */
export function publishInProcess({ target, stream, load }: Pick<Job, 'target' | 'stream' | 'load'>, url: string) {
  const { pool, path } = openOutlet(url, load);
  return {
    /** See `PublisherContext.publishBatch`. Extends the timeout by the time of the batch's schedule. */
    async publish(data: readonly string[], ratePerSecond: number): Promise<BatchAnswer> {
      const startNs = nowNs();
      try {
        const { statusCode, body } = await request(pool, {
          path,
          method: 'POST',
          headers: { 'content-type': 'application/json', ...target.publishHeaders },
          body: JSON.stringify({ stream, ratePerSecond, data }),
          headersTimeout: load.publishTimeoutMs + lastsMs(data.length, ratePerSecond),
        });
        const text = await body.text();
        if (statusCode < 200 || statusCode >= 300) return statusCode;
        return batchAnswer(text, { length: data.length, ratePerSecond, answeredInMs: (nowNs() - startNs) / 1e6 });
      } catch (error) {
        return requestCause(error as SocketError);
      }
    },
    close: () => pool.destroy(),
  };
}

/** Reads the target's answer. Returns an error if it contradicts the batch or its schedule. */
export function batchAnswer(
  text: string,
  { length, ratePerSecond, answeredInMs }: { length: number; ratePerSecond: number; answeredInMs: number },
): BatchAnswer {
  const answer = published.safeParse(jsonIn(text));
  if (!answer.success) return 'protocol-error:batch-answer';
  const { published: done, tookMs } = answer.data;
  if (done !== length) return 'protocol-error:batch-in-part';
  if (tookMs > answeredInMs + roundingMs) return 'protocol-error:batch-time';
  if (tookMs + roundingMs < dueAtNs(length - 1, ratePerSecond) / 1e6 / 2) return 'protocol-error:batch-burst';
  return { tookMs };
}
