/** The part of Bun's API that servers here use (https://bun.com/docs/runtime/http/websockets). */
interface BunApi {
  serve<Data = undefined>(options: BunServeOptions<Data>): BunServer;
}

/** What `Bun.serve` takes. */
export interface BunServeOptions<Data = undefined> {
  hostname: string;
  port: number;
  fetch(request: Request, server: BunServer): Response | undefined | Promise<Response | undefined>;
  websocket: BunSocketHandler<Data>;
  idleTimeout?: number;
  maxRequestBodySize?: number;
}

export interface BunSocketHandler<Data = undefined> {
  open?(socket: BunSocket<Data>): void;
  message(socket: BunSocket<Data>, message: string | Buffer): void;
  close?(socket: BunSocket<Data>, code: number, reason: string): void;
  maxPayloadLength?: number;
}

export interface BunServer {
  readonly port: number;
  upgrade(request: Request): boolean;
  /** To every subscriber of a topic. */
  publish(topic: string, text: string): number;
  stop(isCutting: boolean): Promise<void>;
}

export interface BunSocket<Data = undefined> {
  readonly data: Data;
  send(text: string): number;
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  /** To every other subscriber of a topic. */
  publish(topic: string, text: string): number;
}

/** Bun's own global; this module runs only there. */
export const { serve } = (globalThis as unknown as { Bun: BunApi }).Bun;
