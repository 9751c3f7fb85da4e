/** An event of a `WebSocket`. A plain object costs a tenth of a real `Event`. */
export interface SocketEvent {
  readonly type: string;
  readonly target: unknown;
  readonly currentTarget: unknown;
  /** In milliseconds since the time origin. That of a message is the engine's stamp. */
  readonly timeStamp: number;
}

export type SocketListener = ((event: never) => unknown) | { handleEvent(event: never): unknown };

interface Registered {
  readonly listener: SocketListener;
  readonly isOnce: boolean;
}

/** The listeners of one socket, by the type of their event. */
export class EventListeners {
  /** Lists are replaced, never changed, so that a dispatch goes on through the one it began with. Most have none. */
  #byType: Map<string, readonly Registered[]> | undefined;

  has(type: string): boolean {
    return this.#byType?.has(type) === true;
  }

  add(type: string, listener: SocketListener | null, options: unknown): void {
    const list = this.#byType?.get(type) ?? [];
    if (listener === null || list.some((each) => each.listener === listener)) return;
    const { once, signal } = (typeof options === 'object' && options !== null ? options : {}) as {
      once?: boolean;
      signal?: AbortSignal;
    };
    if (signal?.aborted) return;
    this.#byType ??= new Map();
    this.#byType.set(type, [...list, { listener, isOnce: once === true }]);
    signal?.addEventListener('abort', () => this.remove(type, listener), { once: true });
  }

  remove(type: string, listener: SocketListener | null): void {
    const rest = (this.#byType?.get(type) ?? []).filter((each) => each.listener !== listener);
    if (rest.length > 0) this.#byType?.set(type, rest);
    else this.#byType?.delete(type);
  }

  /** Calls the listeners of the event's type, each through `means.entered`. */
  dispatch(target: object, event: SocketEvent, means: { entered(work: () => void): void }): void {
    const list = this.#byType?.get(event.type);
    if (list === undefined) return;
    for (const { listener, isOnce } of list) {
      if (isOnce) this.remove(event.type, listener);
      means.entered(() => callListener(target, listener, event));
    }
  }
}

export function callListener(target: object, listener: SocketListener, event: SocketEvent): void {
  if (typeof listener === 'function') listener.call(target, event as never);
  else listener.handleEvent(event as never);
}
