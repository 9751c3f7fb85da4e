import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { jsonIn, outsideText } from '../../units/text.js';

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
export type Recording = z.output<typeof archive>;
export type RecordedEntry = z.output<typeof entry>;
export type RecordedMessage = z.output<typeof message>;

const hint =
  'In Chrome: open the developer tools, then the page; in the tab Network, export HAR. Firefox keeps no messages.';

/** Returns true for the request that opens a WebSocket. */
export function isSocket({ _resourceType: type, request }: RecordedEntry): boolean {
  return type === 'websocket' || /^wss?:/.test(request.url);
}

/** Reads a recording that has a WebSocket with messages. Throws `ProblemError`, which names the file. */
export function recordingIn(text: string, file: string): Recording {
  const refuse = (found: string): never => {
    throw new ProblemError([problem('badFile', `--har ${file}: ${found}`, hint)]);
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
