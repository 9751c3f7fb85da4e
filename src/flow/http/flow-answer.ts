import { outsideText } from '../../units/text.js';
import { type Answer, type Any, Left } from '../api.js';

/** The answer to a request as it came. */
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
