import { jsonIn, objectIn, outsideText } from '../../units/text.js';
import { nameOf, type RecordedEntry, type RecordedMessage, type RecordedStep, timelineOf } from './timeline.js';

const shortestGapMs = 50;
/** Headers that browsers add by themselves, or that belong to one session. */
const usualHeader = /^(?!authorization$|x-)|^x-(?:client-data|requested-with)$/i;

/** Returns the text of a flow whose clients do what the browser did: requests, WebSockets and messages, at its pace. */
export function flowOfRecording(recording: Parameters<typeof timelineOf>[0]): string {
  const { site, steps } = timelineOf(recording);
  const secrets = new SecretColumns();
  const writer = new FlowWriter(site, steps.filter(({ kind }) => kind === 'open').length, secrets);
  const lines = steps.flatMap((step) => writer.linesOf(step));
  const columns = secrets.names;
  const hasRows = columns.length > 0;
  const wanted = [
    '// Its passwords and tokens are not kept. Give values for your clients in users.csv, with these columns:',
    `//   ${columns.join(',')}`,
  ];
  return [
    `import { ${hasRows ? 'csv, ' : ''}defineFlow } from 'ringside-bench/flow';`,
    '',
    `// Each client does what a browser did with ${outsideText(site.host)}, at the same pace.`,
    '// Messages are as recorded: read them before you share this file.',
    '//   npx ringside run flow flow.ts --target-url ws://127.0.0.1:4001/',
    ...(hasRows ? wanted : []),
    'export default defineFlow({',
    ...(hasRows ? ["  data: csv('users.csv'),"] : []),
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
    return [`const ${socket} = await me.open(${this.#address(url)}${options});`];
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

function timeText(ms: number): string {
  return ms < 1000 ? `${ms}ms` : `${Math.round(ms / 10) / 100}s`;
}

const secretWords = [
  ...['password', 'passwd', 'passcode', 'passphrase', 'secret', 'token', 'api[-_]?key', 'authorization', 'credential'],
  ...['session', 'jwt', 'otp', 'csrf', 'xsrf', 'signature', 'cookie'],
].join('|');

/** Names of fields, headers and parameters whose values are secrets. */
const secretName = `(?:[\\w-]*(?:${secretWords})[\\w-]*|pin|auth|sid)`;
const isSecret = new RegExp(`^${secretName}$`, 'i');

/** A secret within text: a name, what stands between, and its value. Or a token of its own. */
const secretPattern = new RegExp(
  [
    `(?<![\\w-])(?<name>${secretName})(?<between>["']?\\s*[:=]\\s*["']?)(?<value>(?:(?:bearer|basic) )?[^\\s"'&,;}]+)`,
    '(?<![\\w-])(?<token>eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]*)',
    '(?<=\\bbearer )(?<bearer>[\\w.~+/=-]+)',
  ].join('|'),
  'gi',
);

/** Characters that end a line, hide text, or change its direction. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Columns of rows that replace the secrets of a recording, by value. */
class SecretColumns {
  readonly #byValue = new Map<string, string>();

  get names(): string[] {
    return [...this.#byValue.values()];
  }

  /** Returns the column for a secret, such as `token`, and `token2` for the second one of that name. */
  columnFor(name: string, value: string): string {
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    const word = name.replaceAll(/\W+/g, '_').replace(/^(?=\d)|^$/, '_');
    const taken = this.names;
    let column = word;
    for (let n = 2; taken.includes(column); n++) column = `${word}${n}`;
    this.#byValue.set(value, column);
    return column;
  }
}

function isSecretName(name: string): boolean {
  return isSecret.test(name);
}

/** Returns text as a literal of JavaScript. Secrets in it become columns, on which `wrap` may call a function. */
function textLiteral(text: string, secrets: SecretColumns, wrap = ''): string {
  const found = [...text.matchAll(secretPattern)];
  if (found.length === 0) return quoted(text);
  let literal = '';
  let from = 0;
  for (const { index, 0: whole, groups } of found) {
    const { name = '', between = '', value, token, bearer } = groups!;
    const column = `me.row.${secrets.columnFor(name || 'token', token ?? bearer ?? value!)}`;
    const filled = wrap === '' ? column : `${wrap}(${column})`;
    if (whole === text && name === '') return filled;
    literal += `${inTemplate(text.slice(from, index) + name + between)}\${${filled}}`;
    from = index + whole.length;
  }
  return `\`${literal}${inTemplate(text.slice(from))}\``;
}

function inTemplate(text: string): string {
  return escaped(text, '`').replaceAll('$', '\\$');
}

function quoted(text: string): string {
  return `'${escaped(text, "'")}'`;
}

function escaped(text: string, quote: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll('\n', '\\n')
    .replaceAll(unprintable, (each) => `\\u{${each.codePointAt(0)!.toString(16)}}`);
}

/** Returns a value of JSON as JavaScript. Secrets in it become columns. */
function valueLiteral(value: unknown, secrets: SecretColumns, name = ''): string {
  const isHidden = isSecretName(name) && value !== '';
  if (typeof value === 'string')
    return isHidden ? `me.row.${secrets.columnFor(name, value)}` : textLiteral(value, secrets);
  if (typeof value === 'number' && isHidden) return `Number(me.row.${secrets.columnFor(name, String(value))})`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => valueLiteral(each, secrets, name)).join(', ')}]`;
  const fields = Object.entries(value).map(([key, each]) => `${keyLiteral(key)}: ${valueLiteral(each, secrets, key)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function keyLiteral(key: string): string {
  if (key === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key);
}
