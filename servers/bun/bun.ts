import { answerTo, maxBodyBytes, type Service, serverTiming } from '../routes.js';

/** Describes the part of Bun's API that these servers use (https://bun.com/docs/runtime/http/websockets). */
interface BunApi {
  serve<Data = undefined>(options: BunServeOptions<Data>): BunServer;
}

export interface BunServeOptions<Data = undefined> {
  hostname: string;
  port: number;
  fetch(request: Request, server: BunServer): Response | undefined | Promise<Response | undefined>;
  websocket: BunSocketHandler<Data>;
  idleTimeout?: number;
  maxRequestBodySize?: number;
}

interface BunSocketHandler<Data = undefined> {
  open?(socket: BunSocket<Data>): void;
  message(socket: BunSocket<Data>, message: string | Buffer): void;
  close?(socket: BunSocket<Data>, code: number, reason: string): void;
  maxPayloadLength?: number;
}

export interface BunServer {
  readonly port: number;
  upgrade(request: Request): boolean;
  /** Sends to every subscriber of a topic. */
  publish(topic: string, text: string): number;
  stop(isCutting: boolean): Promise<void>;
}

export interface BunSocket<Data = undefined> {
  readonly data: Data;
  send(text: string): number;
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  /** Sends to every other subscriber of a topic. */
  publish(topic: string, text: string): number;
}

/** Bun's own global. This module runs only in Bun. */
export const { serve } = (globalThis as unknown as { Bun: BunApi }).Bun;

/** Answers the HTTP endpoints of a target with a `fetch` handler. */
export async function answerFetch(service: Service, request: Request): Promise<Response> {
  const { method, signal } = request;
  const bytes = Buffer.from(await request.arrayBuffer());
  const body = bytes.byteLength > maxBodyBytes ? undefined : bytes.toString();
  const answer = await answerTo(service, { method, path: new URL(request.url).pathname, body }, signal);
  const { status, body: text, publishMs } = answer;
  const headers = {
    'content-type': 'application/json',
    ...(publishMs !== undefined && { 'server-timing': serverTiming(publishMs) }),
  };
  return new Response(text, { status, headers });
}
