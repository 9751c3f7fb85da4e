import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createHttps, type ServerOptions } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';

/** Whether the tool that makes certificates is there. */
export const canCertify = spawnSync('openssl', ['version']).status === 0;

const newKey = 'req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';

/** An authority, a server and a client of it, as PEM files in a folder; `old` is a server that is out of date. */
export class Certificates {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    this.#openssl(`${newKey} -x509 -keyout ca.key -out ca.pem -subj /CN=ca -days 2`);
    this.add('server');
    this.add('client');
    this.add('old', { days: 0 });
  }

  /** Adds a certificate that the authority signs, or another certificate of an authority. */
  add(name: string, { days = 2, by = 'ca', isAuthority = false } = {}): void {
    const more = isAuthority ? 'basicConstraints=critical,CA:TRUE' : 'subjectAltName=IP:127.0.0.1';
    this.#openssl(`${newKey} -keyout ${name}.key -out ${name}.csr -subj /CN=${name} -addext ${more}`);
    const signed = `x509 -req -CA ${by}.pem -CAkey ${by}.key -CAcreateserial -copy_extensions copy`;
    this.#openssl(`${signed} -in ${name}.csr -out ${name}.pem -days ${days}`);
  }

  /** The text of such files, one behind the other. */
  text(...names: string[]): string {
    return names.map((name) => readFileSync(this.path(name), 'utf8')).join('\n');
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** What a server needs that shows itself as `name`. */
  of(name: 'server' | 'old'): ServerOptions {
    const [key, cert, ca] = [`${name}.key`, `${name}.pem`, 'ca.pem'].map((file) => readFileSync(this.path(file)));
    return { key, cert, ca } as ServerOptions;
  }

  #openssl(args: string): void {
    const { status, stderr } = spawnSync('openssl', args.split(' '), { cwd: this.folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args}: ${stderr}`);
  }
}

/** A proxy before a bench-runner, which speaks HTTP or HTTPS and may spoil what it carries. */
export class Front {
  /** The methods and paths that came through. */
  readonly asked: string[] = [];
  #cuts = 0;
  #jobs = 0;
  readonly #server: Server;
  readonly #scheme: string;

  private constructor(server: Server, scheme: string) {
    this.#server = server;
    this.#scheme = scheme;
  }

  /**
   * `cutAfterMs`: how long each connection lives, at least until the job is answered. `infoWith`: what it adds to the
   * answer of `/info`.
   */
  static async open(
    port: number,
    { tls, cutAfterMs, infoWith }: { tls?: ServerOptions; cutAfterMs?: number; infoWith?: object } = {},
  ): Promise<Front> {
    const carry = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      const { method = '', url = '', headers } = incoming;
      front.asked.push(`${method} ${url}`);
      const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, async (answer) => {
        if (infoWith === undefined || url !== '/info') {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          if (url === '/jobs') outgoing.on('finish', () => front.#jobs++);
          answer.pipe(outgoing);
          return;
        }
        const parts: Buffer[] = [];
        for await (const part of answer) parts.push(part as Buffer);
        const info = JSON.parse(Buffer.concat(parts).toString()) as object;
        outgoing.writeHead(200, { 'ringside-boot-id': answer.headers['ringside-boot-id'] });
        outgoing.end(JSON.stringify({ ...info, ...infoWith }));
      });
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => onward.destroy());
      incoming.pipe(onward);
    };
    const server = tls ? createHttps(tls, carry) : createServer(carry);
    const front = new Front(server, tls ? 'https' : 'http');
    if (cutAfterMs !== undefined)
      server.on('connection', (socket: Socket) => {
        const cut = (): void => {
          // A driver asks again only during a run.
          if (front.#jobs === 0) {
            setTimeout(cut, cutAfterMs).unref();
            return;
          }
          if (!socket.destroyed) front.#cuts++;
          socket.destroy();
        };
        setTimeout(cut, cutAfterMs).unref();
      });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return front;
  }

  /** Open connections that it has cut. */
  get cuts(): number {
    return this.#cuts;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
  }
}
