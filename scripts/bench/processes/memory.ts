import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { sum } from 'simple-statistics';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { rssBytesOf } from './program.js';

/** Holds the flags of Node for a process that other processes on this machine can inspect. */
export const inspectorFlags = ['--inspect=127.0.0.1:0'] as const;
/** Matches the line on stderr with which such a process names its inspector. */
export const inspectorLine = /^Debugger listening on (ws:\S+)$/m;

const endsWithinMs = 180_000;

/** Describes a message of an inspector: an answer, a worker's message, an attached worker, or another event. */
const written = z.union([
  z.object({ id: z.number(), result: z.unknown(), error: z.object({ message: z.string() }).optional() }),
  z.object({
    method: z.literal('NodeWorker.receivedMessageFromWorker'),
    params: z.object({ message: z.string() }),
  }),
  z.object({ method: z.literal('NodeWorker.attachedToWorker'), params: z.object({ sessionId: z.string() }) }),
  z.object({ method: z.string(), params: z.undefined().catch(undefined) }),
]);

const heapUsage = z.object({ usedSize: z.number() });

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

/** Controls all isolates of a process: those of its main thread and its workers. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #asked = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  /** Holds the sessions of workers, and undefined for the main thread. */
  readonly #isolates: (string | undefined)[] = [undefined];
  #lastId = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
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
        return heapUsage.parse(await this.#ask(isolate, 'Runtime.getHeapUsage')).usedSize;
      }),
    );
  }

  async #ask(isolate: string | undefined, method: string, params = {}): Promise<unknown> {
    const id = ++this.#lastId;
    const message = JSON.stringify({ id, method, params });
    const answered = new Promise<unknown>((resolve, reject) => this.#asked.set(id, { resolve, reject }));
    if (isolate === undefined) {
      this.#socket.send(message, (error) => error && this.#asked.get(id)?.reject(error));
      return answered;
    }
    const sent = this.#ask(undefined, 'NodeWorker.sendMessageToWorker', { sessionId: isolate, message });
    const [answer] = await Promise.all([answered, sent]);
    return answer;
  }

  #receive(text: string): void {
    const message = written.parse(JSON.parse(text));
    if ('id' in message) {
      const asked = this.#asked.get(message.id);
      this.#asked.delete(message.id);
      if (message.error === undefined) asked?.resolve(message.result);
      else asked?.reject(new Error(message.error.message));
    } else if (message.params === undefined) return;
    else if ('message' in message.params) this.#receive(message.params.message);
    else this.#isolates.push(message.params.sessionId);
  }
}

/** Freed pages return to the kernel a little after a collection. */
const afterCollectionMs = 500;
const settledShare = 0.005;

/** Describes the memory of a process after garbage collection, in bytes. */
export interface CollectedMemory {
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
