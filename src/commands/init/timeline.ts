import { z } from 'zod';
import { problemError } from '../../contract/problems.js';
import { jsonIn, objectIn, outsideText } from '../../units/text.js';

const header = z.object({ name: z.string(), value: z.string() });

/** A message of a WebSocket. `time` is in seconds since 1970. `data` of a binary message is in base64. */
const message = z.object({
  type: z.enum(['send', 'receive']),
  time: z.number(),
  opcode: z.number(),
  data: z.string(),
});

const entry = z.object({
  startedDateTime: z.iso.datetime({ offset: true }),
  /** Duration in milliseconds. */
  time: z.number(),
  _resourceType: z.string().optional(),
  request: z.object({
    method: z.string(),
    url: z.url(),
    headers: z.array(header),
    postData: z.object({ mimeType: z.string(), text: z.string().optional() }).optional(),
  }),
  response: z.object({ status: z.number() }),
  _webSocketMessages: z.array(message).optional(),
});

const archive = z.object({ log: z.object({ version: z.string(), entries: z.array(entry) }) });

/** A recording of a browser: HAR 1.2, with the fields that Chrome adds for WebSockets. */
type Recording = z.output<typeof archive>;
export type RecordedEntry = z.output<typeof entry>;
export type RecordedMessage = z.output<typeof message>;

const hint =
  'In Chrome: open the developer tools, then the page; in the tab Network, export HAR. Firefox keeps no messages.';

/** Returns true for the request that opens a WebSocket. */
function isSocket({ _resourceType: type, request }: RecordedEntry): boolean {
  return type === 'websocket' || /^wss?:/.test(request.url);
}

/** Reads a recording that has a WebSocket with messages. Throws `ProblemError`, which names the file. */
export function recordingIn(text: string, file: string): Recording {
  const refuse = (found: string): never => {
    throw problemError('badFile', `--har ${file}: ${found}`, hint);
  };
  const read = archive.safeParse(jsonIn(text));
  if (!read.success) {
    const { path, message: fault } = read.error.issues[0]!;
    const place = path.length > 0 ? ` at ${outsideText(path.join('.'))}` : '';
    return refuse(`expected a HAR file, as browsers export it${place}: ${outsideText(fault)}`);
  }
  const sockets = read.data.log.entries.filter(isSocket);
  if (sockets.length === 0) return refuse('expected a recording with a WebSocket, received one without');
  if (sockets.every(({ _webSocketMessages: messages = [] }) => messages.length === 0))
    return refuse('expected messages of a WebSocket (_webSocketMessages), received none');
  return read.data;
}

/** Most steps of one socket, and most requests. */
const mostSteps = 200;
/** Longest time in which a message counts as an answer. */
const answerWithinMs = 2000;
/** Fewest messages that count as periodic, and their shortest period. */
const fewestEqual = 3;
const shortestPeriodMs = 50;
/** Text that a declared send would fill. */
const slot = /\{[A-Za-z_][^{}]*\}/;
const answerFields = ['id', 'ref', 'seq'];

/** What one client of a recording does. `socket` is the number of its WebSocket, from 0. */
type Act =
  | { kind: 'request'; entry: RecordedEntry }
  | { kind: 'open'; socket: number; entry: RecordedEntry }
  | { kind: 'send'; socket: number; message: RecordedMessage }
  | { kind: 'ask'; socket: number; message: RecordedMessage; match: Readonly<Record<string, unknown>> }
  /** `count` is left out if it goes on until the end of the recording. */
  | { kind: 'every'; socket: number; message: RecordedMessage; periodMs: number; count?: number }
  | { kind: 'leftOut'; what: string; count: number }
  | { kind: 'end' };

/** An act, at a time in milliseconds since 1970. The client goes on at `doneMs`. */
export type RecordedStep = Act & { atMs: number; doneMs: number };

interface RecordedTimeline {
  /** Address of the WebSocket with the most messages. */
  site: URL;
  steps: RecordedStep[];
}

/** Returns what the client of a recording does on one host: that of the WebSocket with the most messages. */
export function timelineOf({ log: { entries } }: Recording): RecordedTimeline {
  const messagesOf = (entry: RecordedEntry): RecordedMessage[] => entry._webSocketMessages ?? [];
  const [busiest] = entries.filter(isSocket).sort((a, b) => messagesOf(b).length - messagesOf(a).length);
  const site = new URL(busiest!.request.url);
  const isOfSite = ({ request }: RecordedEntry): boolean => new URL(request.url).hostname === site.hostname;
  const own = entries.filter(isOfSite);
  const sockets = own.filter(isSocket);
  const endMs = Math.max(...sockets.flatMap((entry) => [beginMs(entry), ...messagesOf(entry).map(timeMs)]));
  const requests = own.filter(isRequest).map((entry): RecordedStep => {
    const atMs = beginMs(entry);
    return { kind: 'request', entry, atMs, doneMs: atMs + entry.time };
  });
  const elsewhere = entries.filter((entry) => !isOfSite(entry) && (isSocket(entry) || isRequest(entry))).length;
  const steps = [
    ...atMost(requests, 'requests'),
    ...sockets.flatMap((entry, socket) => {
      const messages = messagesOf(entry)
        .filter(({ opcode }) => opcode === 1 || opcode === 2)
        .sort((a, b) => a.time - b.time);
      const received = messages.filter(({ type }) => type === 'receive');
      const sends = atMost(sendsOf(messages, socket, endMs), `messages of ${nameOf(socket, sockets.length)}`);
      return [
        { kind: 'open', socket, entry, ...at(beginMs(entry)) } as const,
        ...sends.map((step) => (step.kind === 'send' ? withAnswer(step, received) : step)),
      ];
    }),
  ].sort((a, b) => a.atMs - b.atMs);
  const isCut = steps.some(({ kind }) => kind === 'leftOut');
  const overMs = isCut ? Math.max(...steps.map(({ doneMs }) => doneMs)) : endMs;
  if (elsewhere > 0) steps.unshift({ kind: 'leftOut', what: 'requests to other hosts', count: elsewhere, ...at(0) });
  return { site, steps: [...steps, { kind: 'end', ...at(overMs) }] };
}

/** Returns the name of a socket in the flow. */
export function nameOf(socket: number, of: number): string {
  return of === 1 ? 'socket' : `socket${socket + 1}`;
}

function at(ms: number): { atMs: number; doneMs: number } {
  return { atMs: ms, doneMs: ms };
}

function beginMs({ startedDateTime }: RecordedEntry): number {
  return Date.parse(startedDateTime);
}

function timeMs({ time }: RecordedMessage): number {
  return time * 1000;
}

function isRequest({ _resourceType: type, response }: RecordedEntry): boolean {
  // Status 0 is a request that never left.
  return (type === 'xhr' || type === 'fetch') && response.status > 0;
}

function atMost(steps: readonly RecordedStep[], what: string): RecordedStep[] {
  const count = steps.length - mostSteps;
  const kept = steps.slice(0, mostSteps);
  return count > 0 ? [...kept, { kind: 'leftOut', what, count, ...at(kept.at(-1)!.doneMs) }] : kept;
}

function sendsOf(messages: readonly RecordedMessage[], socket: number, endMs: number): RecordedStep[] {
  return equalOnes(messages.filter(({ type }) => type === 'send'))
    .flatMap((equal): RecordedStep[] => {
      const periodMs = periodOf(equal);
      if (periodMs === undefined)
        return equal.map((message) => ({ kind: 'send', socket, message, ...at(timeMs(message)) }));
      const goesOn = timeMs(equal.at(-1)!) + 1.5 * periodMs >= endMs;
      const count = goesOn ? {} : { count: equal.length };
      return [{ kind: 'every', socket, message: equal[0]!, periodMs, ...count, ...at(timeMs(equal[0]!)) }];
    })
    .sort((a, b) => a.atMs - b.atMs);
}

function equalOnes(messages: readonly RecordedMessage[]): RecordedMessage[][] {
  const lists = new Map<string, RecordedMessage[]>();
  for (const message of messages) {
    const key = `${message.opcode}${message.data}`;
    lists.set(key, [...(lists.get(key) ?? []), message]);
  }
  return [...lists.values()];
}

function periodOf(equal: readonly RecordedMessage[]): number | undefined {
  if (equal.length < fewestEqual || slot.test(equal[0]!.data)) return undefined;
  const gaps = equal.slice(1).map((each, index) => timeMs(each) - timeMs(equal[index]!));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const isEven = gaps.every((gap) => Math.abs(gap - mean) <= Math.max(20, mean / 10));
  return isEven && mean >= shortestPeriodMs ? Math.round(mean) : undefined;
}

function withAnswer(step: RecordedStep & { kind: 'send' }, received: readonly RecordedMessage[]): RecordedStep {
  const { message, socket, atMs } = step;
  const sent = message.opcode === 1 ? objectIn(message.data) : undefined;
  const field = answerFields.find((name) => isId(sent?.[name]));
  if (!sent || field === undefined) return step;
  const value = sent[field];
  const answers = received
    .filter((each) => timeMs(each) >= atMs && timeMs(each) <= atMs + answerWithinMs)
    .flatMap((each) =>
      Object.entries(objectIn(each.data) ?? {})
        .filter(([, found]) => found === value)
        .map(([name]) => ({ name, doneMs: timeMs(each) })),
    );
  const answer = answers.find(({ name }) => name === field) ?? answers[0];
  if (!answer) return step;
  return { kind: 'ask', socket, message, match: { [answer.name]: value }, atMs, doneMs: answer.doneMs };
}

function isId(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}
