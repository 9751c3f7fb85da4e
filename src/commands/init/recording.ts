import { jsonIn, objectIn, outsideText } from '../../units/text.js';
import type { RecordedEntry, RecordedMessage, Recording } from './har.js';
import { isSecretName, quoted, SecretColumns, textLiteral, valueLiteral } from './source-text.js';
import { nameOf, type RecordedStep, timelineOf } from './timeline.js';

const shortestGapMs = 50;
/** Length from which a value with letters and digits looks drawn. */
const longValue = 16;
/** Headers that browsers add by themselves, or that belong to one session. */
const usualHeader = /^(?!authorization$|x-)|^x-(?:client-data|requested-with)$/i;

/** Returns the text of a flow whose clients do what the browser did: requests, WebSockets and messages, at its pace. */
export function flowOfRecording(recording: Recording): string {
  const { site, steps } = timelineOf(recording);
  const secrets = new SecretColumns();
  const writer = new FlowWriter(site, steps.filter(({ kind }) => kind === 'open').length, secrets);
  const lines = steps.flatMap((step) => writer.linesOf(step));
  const columns = secrets.names;
  const names = columns.length > 0 ? 'csv, defineFlow' : 'defineFlow';
  const wanted =
    columns.length > 0
      ? [
          '// Its passwords and tokens are not kept. Give values for your clients in users.csv, with these columns:',
          `//   ${columns.join(',')}`,
        ]
      : [];
  return [
    `import { ${names} } from 'ringside-bench/flow';`,
    '',
    `// Each client does what a browser did with ${outsideText(site.host)}, at the same pace.`,
    '// Messages are as recorded: read them before you share this file.',
    '//   npx ringside run flow flow.ts --target-url ws://127.0.0.1:4001/',
    ...wanted,
    'export default defineFlow({',
    ...(columns.length > 0 ? ["  data: csv('users.csv'),"] : []),
    '  async client(me) {',
    ...lines.map((line) => `    ${line}`),
    '  },',
    '});',
    '',
  ].join('\n');
}

class FlowWriter {
  #doneMs: number | undefined;

  constructor(
    private readonly site: URL,
    private readonly sockets: number,
    private readonly secrets: SecretColumns,
  ) {}

  linesOf(step: RecordedStep): string[] {
    if (step.kind === 'leftOut') return [`// Left out: ${step.what} (${step.count} more).`];
    const gapMs = Math.round(step.atMs - (this.#doneMs ?? step.atMs));
    this.#doneMs = Math.max(this.#doneMs ?? 0, step.doneMs);
    const wait = gapMs < shortestGapMs ? [] : [`await me.sleep('${timeText(gapMs)}');`];
    return [...wait, ...this.#actOf(step)];
  }

  #actOf(step: Exclude<RecordedStep, { kind: 'leftOut' }>): string[] {
    if (step.kind === 'end') return [];
    if (step.kind === 'request') return this.#request(step.entry);
    const socket = nameOf(step.socket, this.sockets);
    if (step.kind === 'open') return this.#open(socket, step.entry);
    const message = this.#message(step.message);
    if (step.kind === 'send') return [`${socket}.send(${message});`];
    if (step.kind === 'ask')
      return [`await ${socket}.ask(${message}, { match: ${valueLiteral(step.match, this.secrets)} });`];
    const count = step.count === undefined ? '' : `, count: ${step.count}`;
    return [`${socket}.every('${timeText(step.periodMs)}', ${message}, { from: 'start'${count} });`];
  }

  #message({ opcode, data }: RecordedMessage): string {
    if (opcode === 2) return `Buffer.from(${quoted(data)}, 'base64')`;
    // An object would leave with other bytes than a text that is written in another way.
    const object = objectIn(data);
    return JSON.stringify(object) === data ? valueLiteral(object, this.secrets) : textLiteral(data, this.secrets);
  }

  #open(socket: string, { request }: RecordedEntry): string[] {
    const url = new URL(request.url);
    const offer = request.headers.find(({ name }) => name.toLowerCase() === 'sec-websocket-protocol')?.value;
    const protocols = offer?.split(',').map((each) => each.trim());
    const options = protocols ? `, { protocols: ${valueLiteral(protocols, this.secrets)} }` : '';
    return [...longValues(url), `const ${socket} = await me.open(${this.#address(url)}${options});`];
  }

  #request({ request, response }: RecordedEntry): string[] {
    const { method, postData } = request;
    const url = new URL(request.url);
    const address = this.#address(url);
    if (method !== 'GET' && method !== 'POST')
      return [`// Left out: ${outsideText(method)} ${outsideText(url.pathname)}, as flows send GET and POST.`];
    const mimeType = postData?.mimeType.split(';')[0] ?? '';
    const body = method === 'POST' ? this.#body(mimeType, postData?.text) : undefined;
    const isUnread = body === undefined && postData?.text !== undefined && postData.text !== '';
    const headers = request.headers.filter(({ name }) => !usualHeader.test(name));
    const fields = headers.map(({ name, value }) => [name.toLowerCase(), value] as const);
    const type = body !== undefined && !isJson(mimeType) ? [['content-type', mimeType] as const] : [];
    const all = Object.fromEntries([...type, ...fields]);
    const options = [
      ...(Object.keys(all).length > 0 ? [`headers: ${valueLiteral(all, this.secrets)}`] : []),
      ...(response.status >= 400 ? [`expect: ${Math.trunc(response.status)}`] : []),
    ];
    const given = [
      address,
      ...(method === 'POST' && (body !== undefined || options.length > 0) ? [body ?? 'undefined'] : []),
      ...(options.length > 0 ? [`{ ${options.join(', ')} }`] : []),
    ];
    return [
      ...(isUnread ? [`// Its body is left out: ${outsideText(mimeType)}.`] : []),
      ...longValues(url),
      `await me.http.${method.toLowerCase()}(${given.join(', ')});`,
    ];
  }

  #body(mimeType: string, text = ''): string | undefined {
    const value = isJson(mimeType) ? jsonIn(text) : undefined;
    if (value !== undefined) return valueLiteral(value, this.secrets);
    if (mimeType !== 'application/x-www-form-urlencoded') return undefined;
    const fields = Object.fromEntries(new URLSearchParams(text));
    return `new URLSearchParams(${valueLiteral(fields, this.secrets)}).toString()`;
  }

  #address(url: URL): string {
    const path = url.pathname + url.search;
    const isTarget = url.host === this.site.host;
    return textLiteral(isTarget ? path : `${url.protocol}//${url.host}${path}`, this.secrets, 'encodeURIComponent');
  }
}

function isJson(mimeType: string): boolean {
  return /^application\/(?:.*\+)?json$/.test(mimeType);
}

function longValues({ searchParams }: URL): string[] {
  return [...searchParams]
    .filter(
      ([name, value]) => value.length >= longValue && /\d/.test(value) && /[a-z]/i.test(value) && !isSecretName(name),
    )
    .map(([name]) => `// The value of ${outsideText(name)} looks drawn: does the server take it again?`);
}

function timeText(ms: number): string {
  return ms < 1000 ? `${ms}ms` : `${Math.round(ms / 10) / 100}s`;
}
