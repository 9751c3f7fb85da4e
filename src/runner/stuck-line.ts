import { Session } from 'node:inspector';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { basename } from 'node:path';
import { sourceScheme } from '../flow/user-code.js';
import { outsideText } from '../units/text.js';

const patienceMs = 5000;
/** Steps from where a thread is to the user's code, such as out of Node's own queue of callbacks. */
const mostSteps = 1000;
const ids = { 'Debugger.enable': 1, 'Debugger.pause': 2, 'Debugger.stepInto': 3, 'Debugger.disable': 4 } as const;

interface Frame {
  location: { scriptId: string; lineNumber: number; columnNumber: number };
}

type FromThread =
  | { id: number }
  | { id?: never; method: 'Debugger.scriptParsed'; params: { scriptId: string; url: string; sourceMapURL?: string } }
  | { id?: never; method: 'Debugger.paused'; params: { callFrames: Frame[] } };

/** Where a thread is. */
interface ThreadPlace {
  /** False if it runs no JavaScript that could be interrupted, as in a call of a program that it waits for. */
  isAnswering: boolean;
  /** Line of the user's code, such as `chat.ts:14`. Undefined if it runs none. */
  line: string | undefined;
}

/**
 * Interrupts a worker thread of this process, even in an endless loop, and finds the line of the user's code that it
 * runs. Then the thread goes on. `modules`: files of the user's bundles. Only the main thread can call it.
 */
export function placeOf(threadId: number, modules: readonly string[]): Promise<ThreadPlace> {
  const names = modules.map((path) => basename(path));
  const session = new Session();
  session.connect();
  const scripts = new Map<string, string>();
  let isAnswering = false;
  let steps = 0;
  let line: string | undefined;
  let sessionId: string | undefined;
  return new Promise((resolve) => {
    const ask = (method: keyof typeof ids): void => {
      if (sessionId === undefined) return;
      session.post('NodeWorker.sendMessageToWorker', {
        sessionId,
        message: JSON.stringify({ id: ids[method], method }),
      });
    };
    // A thread that stays interrupted can't be terminated. So the session ends only after it.
    const goOn = (): void => {
      clearTimeout(timer);
      ask('Debugger.disable');
    };
    const end = (): void => {
      clearTimeout(timer);
      resolve({ isAnswering, line });
      setImmediate(() => session.disconnect());
    };
    const timer = setTimeout(() => {
      goOn();
      resolve({ isAnswering, line });
    }, patienceMs);
    const received = (message: FromThread): void => {
      if (message.id !== undefined) {
        isAnswering = true;
        if (message.id === ids['Debugger.disable']) end();
      } else if (message.method === 'Debugger.scriptParsed') {
        const { scriptId, url, sourceMapURL = '' } = message.params;
        if (names.some((name) => url.endsWith(`/${name}`))) scripts.set(scriptId, sourceMapURL);
      } else if (message.method === 'Debugger.paused') {
        line = lineOfFrames(message.params.callFrames, scripts);
        if (line === undefined && ++steps < mostSteps) ask('Debugger.stepInto');
        else goOn();
      }
    };
    session.on('NodeWorker.attachedToWorker', ({ params }) => {
      if (Number(/\bworker (\d+)/i.exec(params.workerInfo.title)?.[1]) !== threadId) return;
      sessionId = params.sessionId;
      ask('Debugger.enable');
      ask('Debugger.pause');
    });
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      if (params.sessionId === sessionId) received(JSON.parse(params.message));
    });
    session.on('NodeWorker.detachedFromWorker', ({ params }) => {
      if (params.sessionId === sessionId) end();
    });
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  });
}

/** Returns the line of the innermost frame in the user's files, or else in a package of the bundle. */
function lineOfFrames(frames: readonly Frame[], scripts: ReadonlyMap<string, string>): string | undefined {
  const places = frames
    .filter(({ location }) => scripts.has(location.scriptId))
    .map(({ location }) => sourceLine(location, scripts.get(location.scriptId)!));
  const own = places.find((place) => place.startsWith(sourceScheme));
  const place = own?.slice(sourceScheme.length) ?? places[0];
  return place === undefined ? undefined : outsideText(place);
}

function sourceLine({ lineNumber, columnNumber }: Frame['location'], mapUrl: string): string {
  try {
    const encoded = mapUrl.slice(mapUrl.indexOf(',') + 1);
    const payload = JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMapPayload;
    const entry = new SourceMap(payload).findEntry(lineNumber, columnNumber);
    if ('originalSource' in entry) return `${entry.originalSource}:${entry.originalLine + 1}`;
  } catch {
    // The map came from a driver, and may be none. The line of the bundle is known without it.
  }
  return `line ${lineNumber + 1} of its bundle`;
}
