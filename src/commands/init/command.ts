import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { ProblemError, problem, problemError } from '../../contract/problems.js';
import { valued } from '../../run/plan/run-options.js';
import { type CommandGroup, type CommandSession, plain } from '../command.js';
import { flowOfRecording } from './recording.js';
import { recordingIn } from './timeline.js';

/** Holds a target file to fill in. A line behind `#` without a blank is an example, and replaces those with its key. */
export const targetFile = `# Your server, and the messages that it speaks.
#   ringside try target.yml                             shows what one client and the server say
#   ringside run latency --target-file target.yml       measures
# Lines that begin with a # and no blank are examples. Each replaces the line with the same key.

name: mine
targetUrl: ws://127.0.0.1:4001/

# An address of its own for each client: {client} is its number.
#targetUrl: ws://127.0.0.1:4001/?user={client}

# A token for each client, from a login before it connects.
#targetUrl: ws://127.0.0.1:4001/?token={token}
#clients: { login: { post: 'http://127.0.0.1:4001/login', json: { user: 'u{client}' }, take: token } }

# A line of a CSV file for each client. The names of its columns are slots.
#clients: { file: users.csv }

# Headers. Secrets come from the environment.
#header: ['Authorization: Bearer \${TOKEN}']

# A server that Ringside starts and ends.
#targetUrl: ws://127.0.0.1:{port}/
#start: { command: 'node server.js --port {port}' }

# Slots in messages: {client}, {stream}, those of \`clients\`, and in what is sent and comes back:
# {data}, text by which it is found; {n}, a number for servers that keep nothing else.
messages:
  # \`confirmed\` is text in the message that confirms it.
  subscribe: { send: '{"op":"join","room":"{stream}"}', confirmed: '"op":"joined"' }

  # The server confirms by itself.
  #subscribe: { confirmed: '"op":"joined"' }

  # One client sends to all subscribers.
  publish: { send: '{"op":"say","room":"{stream}","text":"{data}"}' }

  # The server answers the sender.
  #publish: { send: '{"op":"say","id":{n},"text":"{data}"}', acked: '"ok":{n}' }

  # Your application posts.
  #publish: { post: 'http://127.0.0.1:4001/publish', json: { room: '{stream}', text: '{data}' } }

  # The server sends it back.
  echo: { send: '{"op":"ping","id":"{data}"}' }

  # The answer has nothing but a number.
  #echo: { send: '{"op":"ping","id":{n}}', match: '"pong":{n}' }

  # The answer has nothing of its own: answers come in the order of sends.
  #echo: { send: 'ping', match: 'pong' }

  # Binary messages, in hexadecimal or base64.
  #echo: { send: { hex: 'c0ffee {data}' } }

  #echo: { send: { base64: 'wP/u{data}' } }

  # One client sends to every other subscriber.
  #whisper: { send: '{"op":"whisper","room":"{stream}","text":"{data}"}' }

  # Sent first.
  #hello: '{"op":"hello","user":"u{client}"}'

  # Text in the message that a client awaits before it subscribes.
  #ready: '"op":"welcome"'

  # Text in messages that refuse a client.
  #refused: ['"op":"error"', '"op":"denied"']

  # Heartbeats of the client, and answers to those of the server.
  #heartbeat: { every: 25s, send: '{"op":"alive"}' }

  #heartbeat: { received: '2', send: '3' }
`;

/** Holds a flow to change. It runs as it stands against `examples/servers/chat.mjs`. */
export const flowFile = `import { defineFlow } from 'ringside-bench/flow';

// Clients that talk in rooms of ten. This works with the chat server examples/servers/chat.mjs of Ringside:
//   PORT=4001 node chat.mjs
//   npx ringside run flow flow.ts --target-url ws://127.0.0.1:4001/
export default defineFlow({
  // The run ends with exit code 3 if this breaks.
  thresholds: ['delivery.p99<500ms'],

  // The life of one client. It runs once for each of --clients.
  async client(me) {
    // Opens a WebSocket at --target-url. Its connect is timed. If it fails, this client ends, and its cause is counted.
    const chat = await me.open();

    // Sends the message with an id of its own, and times the answer with the same id.
    const pong = await chat.ask({ op: 'ping' }, { name: 'ping', within: '2s' });
    me.check('a ping gets a pong', pong.op === 'pong');

    // Joins a room. Once the server confirms it, this client is owed each message to the room.
    const name = \`room-\${Math.floor(me.number / 10)}\`;
    const joined = { op: 'joined', room: name };
    const room = await me.join(name, () => chat.ask({ op: 'join', room: name }, { match: joined }));

    // Waits until all clients have joined.
    await me.together('joined', { within: '1m' });

    // Sends 50 messages, one every 200 ms, also while your code is busy. Each member of the room owes a delivery with
    // this {mark}: lost and duplicate ones are counted, the others are timed.
    const said = { op: 'say', room: name, text: 'hello {mark}' };
    await chat.every('200ms', said, { name: 'say', owed: room.all, count: 50 }).done;

    // Leaves time for the last deliveries. The socket closes at the end.
    await me.sleep('1s');
  },
});
`;

const fileOption = (usual: string) =>
  z
    .string()
    .default(usual)
    .meta(valued('file', 'file', 'file to write, which must not exist; - is stdout'));

const targetOptions = z.strictObject({ file: fileOption('target.yml') });

const flowOptions = z.strictObject({
  file: fileOption('flow.ts'),
  har: z
    .string()
    .optional()
    .meta(valued('har', 'file', 'recording of a browser to make the flow of')),
});

async function writeNew(session: CommandSession, file: string, text: string, next: string): Promise<void> {
  if (file === '-') return session.print(text);
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const hint = 'Give the name of a new file, or - for stdout.';
    throw new ProblemError([
      problem('badOption', `--file: expected a new file, received ${file} (${error.code})`, hint),
    ]);
  });
  session.note(`written to ${file}: ${next}`);
}

async function readRecording(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw problemError('badFile', `--har ${file}: ${error.message}`, 'Give a file that is there.');
  });
  return flowOfRecording(recordingIn(text, file));
}

const target = plain({
  summary: 'write a target file with an example of each possibility',
  flags: targetOptions,
  examples: ['init target', 'init target --file -'],
  run: (session, { own: { file } }) =>
    writeNew(session, file, targetFile, `ringside try ${file} shows what one client and your server say`),
});

const flow = plain({
  summary: 'write a flow: what each client does, in TypeScript',
  flags: flowOptions,
  examples: ['init flow', 'init flow --har recording.har --file chat.ts'],
  async run(session, { own: { file, har } }) {
    const text = har === undefined ? flowFile : await readRecording(har);
    await writeNew(session, file, text, `ringside run flow ${file} --target-url ws://127.0.0.1:4001/ runs it`);
  },
});

/** `ringside init`: writes a file to fill in, of a target or a flow. */
export const command: CommandGroup = { commands: { target, flow } };
