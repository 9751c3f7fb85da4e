import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { valued } from '../../run/plan/run-options.js';
import { type CommandGroup, type CommandSession, plain } from '../command.js';
import { flowFile } from './flow-file.js';
import { recordingIn } from './har.js';
import { flowOfRecording } from './recording.js';

/**
 * Holds a target file to fill in. Its active lines work against a chat server. A comment without a blank behind its `#`
 * is an example. It replaces the line with the same key, together with the examples right before and behind it.
 */
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

/** Writes a new file, or prints it for `-`. Throws `ProblemError` if there is one of that name. */
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
    throw new ProblemError([problem('badFile', `--har ${file}: ${error.message}`, 'Give a file that is there.')]);
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
