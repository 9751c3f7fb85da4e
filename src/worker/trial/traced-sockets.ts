import { lineOfError } from '../../flow/module/line.js';
import type { FlowSocket, SocketRequest, Sockets } from '../../flow/sockets/sockets.js';
import type { MessageMaker } from '../../flow/trace.js';
import { SequenceScan } from '../../wire/frames/sequence-scan.js';
import { type ScanRule, wholeMessage } from '../../wire/wire.js';

/** A message that the client of a flow sent or received, with the line of the user's file that sent it. */
export interface FlowFrame {
  atNs: number;
  isSent: boolean;
  message: string | Uint8Array;
  line?: string | undefined;
}

/** Sees the sockets of a client. */
export interface SocketWatch {
  frame(frame: FlowFrame): void;
  step(text: string, line?: string): void;
  nowNs(): number;
}

/** Sockets of the JavaScript engine, whose messages, opens and closes are seen. */
export class TracedSockets implements Pick<Sockets, 'open' | 'stats' | 'dispose'> {
  readonly #scan: SequenceScan;
  /** The last message of declared sends, and the line that declared them. It is sent right after it is made. */
  #made: { message: string | Uint8Array; line: string | undefined } | undefined;

  constructor(
    private readonly sockets: Sockets,
    rule: ScanRule,
    private readonly watch: SocketWatch,
  ) {
    this.#scan = new SequenceScan(rule);
  }

  /** Remembers the line that declares sends, as the engine's clock sends them. */
  declared(make: MessageMaker): MessageMaker {
    const line = lineHere();
    return (n, mark) => {
      const message = wholeMessage(make(n, mark));
      this.#made = { message, line };
      return message;
    };
  }

  open(request: SocketRequest): FlowSocket {
    const { events, seesMarked, url } = request;
    const { watch } = this;
    const place = `${url.host}${url.pathname}${url.search}`;
    watch.step(`connecting to ${place}`, lineHere());
    const socket = this.sockets.open({
      ...request,
      // The ledger takes marked messages, and the user wants to read them.
      seesMarked: true,
      events: {
        ...events,
        opened: (subprotocol, times) => {
          watch.step(`open${subprotocol === '' ? '' : ` with ${subprotocol}`}`);
          events.opened(subprotocol, times);
        },
        message: (bytes, isBinary, receivedAtNs, notBeforeNs) => {
          const message = isBinary ? bytes : Buffer.from(bytes).toString();
          watch.frame({ atNs: receivedAtNs, isSent: false, message });
          const isMarked = this.#scan.find(Buffer.from(bytes), 0, bytes.length) >= 0;
          if (seesMarked || !isMarked) events.message(bytes, isBinary, receivedAtNs, notBeforeNs);
        },
        closed: (cause, wasOpen, code, reason) => {
          const said = [cause, ...(cause.startsWith('close-code') ? [] : [`code ${code}`]), reason].filter(Boolean);
          watch.step(wasOpen ? `closed: ${said.join(', ')}` : `not open: ${cause}`);
          events.closed(cause, wasOpen, code, reason);
        },
      },
    });
    return this.#traced(socket);
  }

  #traced(socket: FlowSocket): FlowSocket {
    return {
      send: (given) => {
        const message = wholeMessage(given);
        const line = this.#lineOf(message);
        // Before the write, or an answer could come first.
        const atNs = this.watch.nowNs();
        const isTaken = socket.send(message);
        if (isTaken) this.watch.frame({ atNs, isSent: true, message, line });
        return isTaken;
      },
      sendsAhead: socket.sendsAhead,
      sendAt: (message, dueNs, token) => socket.sendAt(message, dueNs, token),
      ping: (payload) => socket.ping(payload),
      close: (code, reason) => socket.close(code, reason),
      drop: (mode, cause) => socket.drop(mode, cause),
      get buffered() {
        return socket.buffered;
      },
      leftAtNs: () => socket.leftAtNs(),
    };
  }

  #lineOf(message: string | Uint8Array): string | undefined {
    const made = this.#made;
    this.#made = undefined;
    return lineHere() ?? (made?.message === message ? made.line : undefined);
  }

  stats() {
    return this.sockets.stats();
  }

  dispose(): void {
    this.sockets.dispose();
  }
}

function lineHere(): string | undefined {
  return lineOfError(new Error());
}
