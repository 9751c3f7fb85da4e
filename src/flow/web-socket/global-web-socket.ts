import { AsyncLocalStorage } from 'node:async_hooks';

const ownClass = new AsyncLocalStorage<() => typeof globalThis.WebSocket>();

/** Returns true if a bundle may use the global `WebSocket`: if it names more of that name than `me.WebSocket`. */
export function namesWebSocket(bundle: string): boolean {
  return /(?<!\bme\.)\bWebSocket\b/.test(bundle);
}

/** Runs a client's code, so that `WebSocket` is its own class there and in all that it calls or awaits. */
export function withWebSocket<T>(own: () => typeof globalThis.WebSocket, work: () => T): T {
  return ownClass.run(own, work);
}

class Nobody {}

function ofClient(): typeof globalThis.WebSocket {
  const own = ownClass.getStore();
  if (own !== undefined) return own();
  throw new Error(
    'WebSocket: expected to be called by the client of a flow; take `me.WebSocket` in a timer or listener',
  );
}

/** The `WebSocket` of the client whose code calls, for libraries without an option for the class. */
export const WebSocket = new Proxy(Nobody, {
  construct: (_target, [url, ...more]: ConstructorParameters<typeof globalThis.WebSocket>) =>
    new (ofClient())(url, ...more),
  get: (target, name) =>
    Reflect.get({ CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 }, name) ?? Reflect.get(target, name),
}) as unknown as typeof globalThis.WebSocket;
