import type { Dispatcher } from 'undici';
import { nowNs } from '../../measure/rig/clock.js';
import { Agent, type HttpReach, headerFault, Pool, reachOptions } from '../../units/http.js';
import { outsideText } from '../../units/text.js';
import { requestCause, type SocketError } from '../../wire/causes.js';
import { type Answer, type Any, type Http, type HttpOptions, Left } from '../api.js';
import { msOf, type Waits } from '../client/waits.js';
import { CookieJar } from './cookies.js';

const mostBodyBytes = 64 * 1024 * 1024;

/** An HTTP request of a client that has ended. It has a `cause` if it failed, and a `status` if an answer came. */
export interface SeenRequest {
  method: string;
  url: URL;
  us: number;
  status: number | undefined;
  cause: string | undefined;
}

export interface OutletMeans {
  /** A WebSocket or HTTP address. Paths of requests are resolved against its HTTP form. */
  target: URL;
  reach: HttpReach;
  /** Most connections to one origin. Further requests wait, and their time runs. */
  connections: number;
  connectTimeoutMs: number;
  /** Longest time of a request that gives none. */
  withinMs: number;
  /** Called once for each request with its time from the call to the last byte, and its cause if it failed. */
  timed(name: string, us: number, cause?: string): void;
  /** Called after `timed`. Left out if nobody looks at single requests. */
  seen?: ((request: SeenRequest) => void) | undefined;
}

/** Connections that all clients of a worker share. */
export class HttpOutlet {
  readonly base: URL;
  readonly dispatcher: Dispatcher;

  constructor(readonly means: OutletMeans) {
    const { target, reach, connections, connectTimeoutMs } = means;
    this.base = new URL(target);
    this.base.protocol = target.protocol.replace(/^ws/, 'http');
    this.dispatcher = new Agent({
      factory: (origin) =>
        new Pool(new URL(origin).origin, {
          connections,
          pipelining: 1,
          maxResponseSize: mostBodyBytes,
          // Each request has a time of its own.
          headersTimeout: 0,
          bodyTimeout: 0,
          ...reachOptions(new URL(origin).hostname, reach, connectTimeoutMs),
        }),
    });
  }

  close(): Promise<void> {
    return this.dispatcher.destroy();
  }
}

type Method = 'GET' | 'POST';

/** HTTP requests of one client, with its cookies. Redirects are answers, and are not followed. */
export class FlowHttp implements Http {
  readonly #jar = new CookieJar();

  constructor(
    private readonly outlet: HttpOutlet,
    private readonly waits: Waits,
  ) {}

  get(path: string, options: HttpOptions = {}): FlowAnswer {
    return new FlowAnswer(this.#ask('GET', path, undefined, options));
  }

  post(path: string, body?: unknown, options: HttpOptions = {}): FlowAnswer {
    return new FlowAnswer(this.#ask('POST', path, body, options));
  }

  /** Returns the header `Cookie` for a request or a WebSocket to that URL. Undefined without one. */
  cookiesFor(url: URL): string | undefined {
    return this.#jar.for(url);
  }

  async #ask(method: Method, path: string, body: unknown, options: HttpOptions): Promise<Came> {
    const { base, dispatcher, means } = this.outlet;
    const what = `me.http.${method.toLowerCase()}`;
    const url = URL.canParse(path, base.href) ? new URL(path, base) : undefined;
    if (!url || !/^https?:$/.test(url.protocol))
      throw new RangeError(`${what}: expected a path or an http:// address, received ${outsideText(String(path), 60)}`);
    const content = contentOf(body, what);
    const request: Dispatcher.DispatchOptions = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: this.#headers(url, options.headers, content?.type, what),
      body: content?.body ?? null,
    };
    const within = options.within === undefined ? means.withinMs : msOf(options.within, `${what}: within`);
    const name = options.name ?? `${method} ${url.pathname.split('/').filter(Boolean).join('.')}`.trim();
    const startNs = nowNs();
    let [endNs, status]: (number | undefined)[] = [];
    const timed = (cause?: string): void => {
      const us = ((endNs ?? nowNs()) - startNs) / 1000;
      means.timed(name, us, cause);
      means.seen?.({ method, url, us, status, cause });
    };
    try {
      const came = await this.waits.wait<Came>(
        (wait) =>
          dispatched(dispatcher, request, {
            done(answer) {
              // The code of other clients may run before the next line.
              endNs = nowNs();
              status = answer.status;
              wait.done(answer);
            },
            failed: (error) => wait.fail(new Left(requestCause(error, url.protocol === 'https:'), error.message)),
          }),
        { withinMs: within, cause: 'answer-timeout' },
      );
      this.#jar.keep(url, listOf(came.headers['set-cookie']));
      if (!isExpected(came.status, options.expect)) throw new Left(`http-status:${came.status}`);
      timed();
      return came;
    } catch (error) {
      if (error instanceof Left) timed(error.cause);
      throw error;
    }
  }

  #headers(url: URL, own: HttpOptions['headers'] = {}, type: string | undefined, what: string): Record<string, string> {
    const headers: Record<string, string> = {};
    const cookie = this.cookiesFor(url);
    if (cookie !== undefined) headers.cookie = cookie;
    if (type !== undefined) headers['content-type'] = type;
    for (const [name, value] of Object.entries(own)) {
      const fault = headerFault(name, String(value));
      if (fault !== undefined) throw new RangeError(`${what}: ${fault}`);
      headers[name.toLowerCase()] = String(value);
    }
    return headers;
  }
}

function isExpected(status: number, expect: HttpOptions['expect']): boolean {
  if (expect === undefined) return status < 400;
  return typeof expect === 'number' ? status === expect : expect.includes(status);
}

function listOf(header: string | string[] | undefined): string[] {
  return header === undefined ? [] : [header].flat();
}

function dispatched(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { done, failed }: { done(came: Came): void; failed(error: SocketError): void },
): () => void {
  const chunks: Buffer[] = [];
  let [status, isOver] = [0, false];
  let headers: Came['headers'] = {};
  let controller: Dispatcher.DispatchController | undefined;
  dispatcher.dispatch(request, {
    onRequestStart(started) {
      controller = started;
      // It waited for a connection.
      if (isOver) started.abort(new Left('ours'));
    },
    onResponseStart(_controller, statusCode, received) {
      status = statusCode;
      headers = received;
    },
    onResponseData: (_controller, chunk) => void chunks.push(chunk),
    onResponseEnd() {
      isOver = true;
      done({ status, headers, body: Buffer.concat(chunks) });
    },
    onResponseError(_controller, error) {
      isOver = true;
      failed(error);
    },
  });
  return () => {
    if (isOver) return;
    isOver = true;
    controller?.abort(new Left('ours'));
  };
}

/** Returns the body of a request with its type, as `fetch` does. Other values become JSON. */
function contentOf(body: unknown, what: string): { type: string; body: string | Uint8Array } | undefined {
  if (body === undefined) return undefined;
  if (typeof body === 'string') return { type: 'text/plain;charset=UTF-8', body };
  if (body instanceof Uint8Array) return { type: 'application/octet-stream', body };
  if (body instanceof URLSearchParams)
    return { type: 'application/x-www-form-urlencoded;charset=UTF-8', body: body.toString() };
  const kind = Object.prototype.toString.call(body);
  const json: Any = /FormData|Blob|File|Stream/.test(kind) ? undefined : JSON.stringify(body);
  if (json !== undefined) return { type: 'application/json', body: json };
  throw new RangeError(`${what}: expected a body of text, bytes, URLSearchParams or JSON, received ${kind}`);
}

export interface Came {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

const withoutBody = [204, 205, 304];

/** A promise of a `Response`. It makes one only for those that ask, as the first costs a worker 100 ms. */
export class FlowAnswer implements Answer {
  readonly [Symbol.toStringTag] = 'FlowAnswer';
  /** Set when somebody waits for the whole response. */
  #response: Promise<Response> | undefined;

  constructor(private readonly came: Promise<Came>) {}

  async json<T = Any>(): Promise<T> {
    const { status, body } = await this.came;
    try {
      return JSON.parse(body.toString()) as T;
    } catch {
      const beginning = outsideText(body.toString('utf8', 0, 200), 60);
      throw new Left('not-json', `expected JSON, received status ${status} and ${beginning || 'nothing'}`);
    }
  }

  async text(): Promise<string> {
    return (await this.came).body.toString();
  }

  get #whole(): Promise<Response> {
    this.#response ??= this.came.then(responseOf);
    return this.#response;
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` shall make the response, and nothing else
  then<A = Response, B = never>(
    done?: ((value: Response) => A | PromiseLike<A>) | null,
    failed?: ((reason: Any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#whole.then(done, failed);
  }

  catch<B = never>(failed?: ((reason: Any) => B | PromiseLike<B>) | null): Promise<Response | B> {
    return this.#whole.catch(failed);
  }

  finally(last?: (() => void) | null): Promise<Response> {
    return this.#whole.finally(last);
  }
}

function responseOf({ status, headers, body }: Came): Response {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  return new Response(withoutBody.includes(status) ? null : new Uint8Array(body), { status, headers: pairs });
}
