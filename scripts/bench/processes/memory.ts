import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { sum } from 'simple-statistics';
import { WebSocket } from 'ws';
import { rssBytesOf } from './program.js';

const endsWithinMs = 180_000;

/** A message of an inspector: an answer, or an event. A worker's messages come in events of its session. */
interface Message {
  id?: number;
  result?: { usedSize?: number };
  error?: { message: string };
  params?: { message?: string; sessionId?: string };
  method?: string;
}

/** Controls all isolates of a Node process by its inspector: those of its main thread and its workers. */
class Inspector {
  readonly #asked = new Map<number, { resolve(message: Message): void; reject(error: Error): void }>();
  /** The sessions of the isolates. The main thread has none. */
  readonly #isolates: (string | undefined)[] = [undefined];

  constructor(private readonly socket: WebSocket) {
    socket.on('message', (text) => this.#receive(String(text)));
    socket.on('close', () => {
      for (const { reject } of this.#asked.values()) reject(new Error('the inspected process did not answer'));
    });
  }

  /** Finds the workers. The inspector names all of them before it answers. */
  async attach(): Promise<void> {
    await this.#ask(undefined, 'NodeWorker.enable', { waitForDebuggerOnStart: false });
  }

  /** Makes every isolate collect its garbage. Returns the bytes that each heap then uses, the main thread's first. */
  collect(): Promise<number[]> {
    return Promise.all(
      this.#isolates.map(async (isolate) => {
        await this.#ask(isolate, 'HeapProfiler.collectGarbage');
        return (await this.#ask(isolate, 'Runtime.getHeapUsage')).result?.usedSize ?? Number.NaN;
      }),
    );
  }

  async #ask(sessionId: string | undefined, method: string, params = {}): Promise<Message> {
    const id = this.#asked.size + 1;
    const message = JSON.stringify({ id, method, params });
    const answered = new Promise<Message>((resolve, reject) => this.#asked.set(id, { resolve, reject }));
    if (sessionId === undefined) {
      this.socket.send(message, (error) => error && this.#asked.get(id)?.reject(error));
      return answered;
    }
    const sent = this.#ask(undefined, 'NodeWorker.sendMessageToWorker', { sessionId, message });
    const [answer] = await Promise.all([answered, sent]);
    return answer;
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as Message;
    const { id = 0, error, params = {}, method } = message;
    const asked = this.#asked.get(id);
    if (error) asked?.reject(new Error(error.message));
    else asked?.resolve(message);
    if (params.message !== undefined) this.#receive(params.message);
    if (method === 'NodeWorker.attachedToWorker') this.#isolates.push(params.sessionId);
  }
}

/** Runs `work` with the inspector of a Node process. Throws if that process ends, or after three minutes. */
export async function withInspector<T>(address: string, work: (inspector: Inspector) => Promise<T>): Promise<T> {
  const socket = new WebSocket(address);
  const timer = setTimeout(() => socket.terminate(), endsWithinMs);
  try {
    await once(socket, 'open');
    const inspector = new Inspector(socket);
    await inspector.attach();
    return await work(inspector);
  } finally {
    clearTimeout(timer);
    // A process that ends waits for this.
    socket.terminate();
  }
}

/** Freed pages return to the kernel a little after a collection. */
const afterCollectionMs = 500;
const settledShare = 0.005;

/** Describes the memory of a process after garbage collection, in bytes. */
interface CollectedMemory {
  rssBytes: number;
  /** Heap use of all its isolates. */
  heapBytes: number;
}

/** Describes a process. Without an inspector, its memory has no heap figure and no collection. */
export interface Inspected {
  pid: number;
  inspector?: string | undefined;
}

/** Reads the memory of a process. Collects its garbage until the resident memory stops falling. */
export async function collectedMemory({ pid, inspector: address }: Inspected): Promise<CollectedMemory> {
  if (address === undefined) return { rssBytes: rssBytesOf(pid), heapBytes: 0 };
  return withInspector(address, async (inspector) => {
    for (let leastBytes = Number.POSITIVE_INFINITY; ; ) {
      const heapBytes = sum(await inspector.collect());
      await delay(afterCollectionMs);
      const rssBytes = rssBytesOf(pid);
      if (rssBytes > leastBytes * (1 - settledShare)) return { rssBytes: Math.min(rssBytes, leastBytes), heapBytes };
      leastBytes = rssBytes;
    }
  });
}
