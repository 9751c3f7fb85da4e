import { randomBytes } from 'node:crypto';
import { isIP, type LookupFunction } from 'node:net';
import { hostname, userInfo } from 'node:os';
import { z } from 'zod';
import { contractVersion, driverHeader, type LeftBody, type RunState, runState } from '../../contract/job.js';
import {
  outside,
  type ProblemCode,
  ProblemError,
  problem,
  problemError,
  problemTable,
} from '../../contract/problems.js';
import {
  bootIdHeader,
  type JobStatus,
  jobStatus,
  type OwnMetronome,
  ownMetronome,
  refusal,
  type SendsQuery,
  type ShardInfo,
  type ShardNow,
  shardInfo,
  shardNow,
} from '../../contract/shard.js';
import { version } from '../../contract/version.js';
import { Agent, request } from '../../units/http.js';
import { jsonIn, outsideText } from '../../units/text.js';
import { NoAnswer, noAnswerInWords, PartialBody, tooLate } from './partial-body.js';

/** Containers of one host may share its name and use the same process ids. */
const mark = randomBytes(2).toString('hex');

/** Names this process to other drivers that find their shards held. Headers carry it, so it is ASCII without spaces. */
export const thisDriver = `${userName()}@${hostname()}/${process.pid}-${mark}`
  .replaceAll(/[^\x21-\x7e]/g, '?')
  .slice(-100);

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'someone');
  }
}

const beforeRunMs = 15_000;
/** Timeout during a run. A request that was cut off is sent again on another connection. */
const inRunMs = 3000;
/** Timeout for a module of 16 MiB. A bench-runner awaits a whole request no longer. */
const moduleWithinMs = 30_000;
/** Timeout for the declared sends of a shard, which may be many megabytes. */
const sendsWithinMs = 30_000;

/** Thrown when the process that took the job is gone. */
export class ShardGone extends Error {}

const accepted = z.object({ jobId: outside });
/** Matches the identity in every version, whatever other fields it has. */
const anyVersion = z.object({ contract: z.number(), version: outside });

/**
 * Early end of a load: `cancel` ends at once, `finish` once pending deliveries have arrived. `finishPart` does the same
 * for a run that ends without one of its shards.
 */
export type HowToEnd = 'finish' | 'finishPart' | 'cancel';

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';

interface Asked {
  /** Bytes are sent as they are, anything else as JSON. */
  body?: unknown;
  withinMs?: number;
  signal?: AbortSignal | undefined;
  into?: PartialBody;
}

export interface ShardOrigin {
  /** IP address to use if the name has several. */
  address?: string;
  /** PEM certificate for a bench-runner, or a proxy in front of it, that asks for one. */
  identity?: { cert: string; key: string } | undefined;
  /** Returns the reason of the end of a process that this driver started; undefined while it runs. */
  ended?(): string | undefined;
}

/** HTTP client of one bench-runner. Without an answer, calls throw `NoAnswer`. */
export class ShardClient {
  #url = 'a bench-runner of this machine';
  readonly #starting: Promise<string>;
  readonly #agent: InstanceType<typeof Agent>;
  #bootId: string | undefined;

  /** A promised URL is for a bench-runner that is about to start. Requests wait for it. */
  constructor(
    url: string | Promise<string>,
    private readonly token: string | undefined,
    private readonly origin: ShardOrigin = {},
  ) {
    if (typeof url === 'string') this.#url = url.replace(/\/+$/, '');
    this.#starting = Promise.resolve(url);
    const { address, identity } = origin;
    this.#agent = new Agent({
      connect: { timeout: inRunMs, ...identity, ...(address !== undefined && { lookup: lookupOf(address) }) },
    });
  }

  /** URL with the selected address. Unknown until the first answer of a bench-runner that is about to start. */
  get url(): string {
    const { address } = this.origin;
    return address === undefined ? this.#url : atAddress(this.#url, address);
  }

  /** Returns true if the bench-runner can outlive this driver, which did not start it. */
  get isApart(): boolean {
    return this.origin.ended === undefined;
  }

  /** Returns identity and limits. From now on another process at this address is a restarted shard. */
  async info(withinMs: number = beforeRunMs): Promise<ShardInfo> {
    const info = await this.#read(shardInfo.or(anyVersion), 'GET', '/info', { withinMs });
    if (info.contract !== contractVersion) {
      const [ours, theirs] = [`${contractVersion} (${version})`, `${info.contract} (${info.version})`];
      throw problemError('shardForeign', `${this.url}: expected contract ${ours}, received ${theirs}`);
    }
    if (!('bootId' in info)) throw new Error(`${this.url}/info answered something else than a bench-runner does`);
    this.#bootId = info.bootId;
    return info;
  }

  /** Returns the shard's clocks and its holder. Waits until no run holds it, at most `waitMs`. */
  async now(waitMs = 0, signal?: AbortSignal): Promise<ShardNow> {
    return this.#read(shardNow, 'GET', `/now?waitMs=${waitMs}`, { withinMs: waitMs + inRunMs, signal });
  }

  async post(job: unknown): Promise<string> {
    return (await this.#read(accepted, 'POST', '/jobs', { body: job, withinMs: beforeRunMs })).jobId;
  }

  async hasModule(digest: string): Promise<boolean> {
    const { status } = await this.#answered('HEAD', `/modules/${digest}`, { withinMs: beforeRunMs });
    return status < 400;
  }

  async putModule(digest: string, body: Uint8Array): Promise<void> {
    await this.#send('PUT', `/modules/${digest}`, { body, withinMs: moduleWithinMs });
  }

  /** Returns the status of a job. Waits until the job is done or stops at a gate, at most `waitMs`. */
  async status(jobId: string, waitMs = 0): Promise<JobStatus> {
    return this.#read(jobStatus, 'GET', `/jobs/${jobId}?waitMs=${waitMs}`);
  }

  async openGate(jobId: string, name: string, opening: { delayMs: number; isLast: boolean }): Promise<void> {
    await this.#send('POST', `/jobs/${jobId}/gates/${encodeURIComponent(name)}`, { body: opening });
  }

  /** Ends the load of a job. */
  async end(jobId: string, how: HowToEnd): Promise<void> {
    if (how === 'cancel') await this.#send('DELETE', `/jobs/${jobId}`);
    else await this.#send('POST', `/jobs/${jobId}/finish${how === 'finishPart' ? '/part' : ''}`);
  }

  /** Fetches a body. Bytes that arrive before a cut stay in `into`, and the next call asks for the rest. */
  async samples(jobId: string, name: string, into = new PartialBody()): Promise<Uint8Array> {
    return this.#send('GET', `/jobs/${jobId}/samples/${encodeURIComponent(name)}`, { into });
  }

  async sends(jobId: string): Promise<Uint8Array> {
    return this.#send('GET', `/jobs/${jobId}/sends`, { withinMs: sendsWithinMs });
  }

  async learn(jobId: string, sends: Uint8Array, clock: SendsQuery): Promise<void> {
    const query = new URLSearchParams(
      Object.fromEntries(Object.entries(clock).map(([name, value]) => [name, String(value)])),
    );
    await this.#send('PUT', `/jobs/${jobId}/sends?${query}`, { body: sends, withinMs: sendsWithinMs });
  }

  async collected(jobId: string): Promise<void> {
    await this.#send('POST', `/jobs/${jobId}/collected`);
  }

  /** Leaves a job whose results another driver will fetch. Stores the records of this driver with it. */
  async leave(jobId: string, left: LeftBody): Promise<void> {
    await this.#send('POST', `/jobs/${jobId}/left`, { body: left, withinMs: beforeRunMs });
  }

  /** Returns the run's part on this shard. Does not renew the lease. */
  async run(runId: string): Promise<RunState> {
    return this.#read(runState, 'GET', `/runs/${runId}`);
  }

  /** Makes this driver the one that the run's part obeys. Throws `ProblemError` while another driver is there. */
  async takeOver(runId: string): Promise<RunState> {
    return this.#read(runState, 'POST', `/runs/${runId}/driver`);
  }

  /** Starts a metronome on the bench-runner's own loopback, for a minute at most. */
  async startMetronome(): Promise<OwnMetronome> {
    return this.#read(ownMetronome, 'POST', '/metronome', { withinMs: beforeRunMs });
  }

  async endMetronome(): Promise<void> {
    await this.#send('DELETE', '/metronome', { withinMs: beforeRunMs });
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  /** Parsers quote the text that they could not read, so control characters are removed from their messages. */
  async #read<S extends z.ZodType>(schema: S, method: Method, path: string, more?: Asked): Promise<z.output<S>> {
    const json = jsonIn(Buffer.from(await this.#send(method, path, more)).toString());
    if (json === undefined) throw new NoAnswer('an answer that is no JSON');
    const read = schema.safeParse(json);
    if (read.success) return read.data;
    const found = read.error.issues.map(({ path: at, message }) => [...at, message].join(': ')).join('; ');
    throw new Error(`${this.url}${path} answered something else than a bench-runner does: ${outsideText(found)}`);
  }

  /** Returns the body of an answer. `withinMs` limits the time until it begins and between two parts of it. */
  async #send(method: Method, path: string, asked: Asked = {}): Promise<Uint8Array> {
    const answer = await this.#answered(method, path, asked);
    if (answer.status >= 400) throw this.#refused(answer.status, Buffer.from(answer.body).toString());
    return answer.body;
  }

  async #answered(
    method: Method,
    path: string,
    { body = method === 'POST' ? {} : undefined, withinMs = inRunMs, signal, into }: Asked,
  ): Promise<{ status: number; body: Uint8Array }> {
    this.#url = (await this.#starting).replace(/\/+$/, '');
    const gone = this.origin.ended?.();
    if (gone !== undefined) throw new ShardGone(gone);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(tooLate)), withinMs);
    const isRaw = body instanceof Uint8Array;
    let answer: { status: number; body: Uint8Array };
    let bootId: unknown;
    try {
      const { origin, pathname, search } = new URL(this.#url + path);
      const head = await request(this.#agent, {
        origin,
        path: pathname + search,
        method,
        headersTimeout: withinMs,
        bodyTimeout: withinMs,
        signal: signal ? AbortSignal.any([late.signal, signal]) : late.signal,
        headers: {
          [driverHeader]: thisDriver,
          ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
          ...(body !== undefined && { 'content-type': isRaw ? 'application/octet-stream' : 'application/json' }),
          ...into?.headers,
        },
        ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
      });
      clearTimeout(timer);
      bootId = head.headers[bootIdHeader];
      const whole = async () => ({ status: head.statusCode, body: new Uint8Array(await head.body.arrayBuffer()) });
      answer = into ? await into.take(head) : await whole();
    } catch (error) {
      throw new NoAnswer(noAnswerInWords(error), { cause: error });
    } finally {
      clearTimeout(timer);
    }
    // An answer without the header comes from a proxy, not from a bench-runner.
    if (typeof bootId === 'string' && this.#bootId !== undefined && bootId !== this.#bootId)
      throw new ShardGone(
        `another process answers at ${this.url}: the bench-runner restarted, or its name leads to several`,
      );
    return answer;
  }

  #refused(status: number, text: string): Error {
    const parsed = refusal.safeParse(jsonIn(text));
    if (!parsed.success) return new NoAnswer(`HTTP ${status}: ${outsideText(text)}`);
    return new ProblemError(
      parsed.data.problems.map(({ code, message, hint }) => {
        const known: ProblemCode = code in problemTable ? (code as ProblemCode) : 'badBody';
        return problem(known, `${this.url}: ${message}`, hint);
      }),
    );
  }
}

function atAddress(url: string, address: string): string {
  const to = new URL(url);
  to.hostname = address.includes(':') ? `[${address}]` : address;
  return to.href.replace(/\/+$/, '');
}

function lookupOf(address: string): LookupFunction {
  const family = isIP(address);
  return (_hostname, { all }, done) => (all ? done(null, [{ address, family }]) : done(null, address, family));
}
