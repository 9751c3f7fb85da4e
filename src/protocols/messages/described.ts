import { overWs } from '../library/over-ws.js';
import type { Protocol, PublishRequest, Verb } from '../protocol.js';
import type { Description } from './description.js';
import { rulesOf } from './rules.js';
import { DescribedSession } from './session.js';
import { Template, type Written } from './template.js';

/** What a protocol that is nothing but messages says beside them. */
interface Own extends Pick<Protocol, 'name' | 'summary' | 'subprotocols' | 'defaultPath' | 'replies'> {
  /** Whether broadcasts are posted all the same where a client can publish them. */
  isPostedTo?: true;
  /** Set where nothing but a client publishes, to all that are connected: no stream is to subscribe to. */
  hasNoStreams?: true;
}

/** The protocol of a checked description. */
export function describedProtocol({ isPostedTo, hasNoStreams, ...own }: Own, description: Description): Protocol {
  const rules = rulesOf(description);
  const { subscribe, echo, whisper, publish } = description;
  const isSent = publish !== undefined && 'send' in publish;
  const able: Partial<Record<Verb, boolean>> = {
    subscribe: subscribe !== undefined && !hasNoStreams,
    echo: echo !== undefined,
    whisper: whisper !== undefined,
    broadcast: isSent,
    acknowledge: rules.acked !== undefined,
  };
  const request = publish && 'post' in publish ? requestMaker(publish) : undefined;
  return overWs({
    ...own,
    verbs: (Object.keys(able) as Verb[]).filter((verb) => able[verb]),
    ...(isSent &&
      !isPostedTo && {
        publishesByClients: {
          joins: publish.joins ?? subscribe?.send !== undefined,
          isAnswered: publish.acked !== undefined,
        },
      }),
    ...(rules.acknowledgement !== undefined && { acknowledgement: rules.acknowledgement }),
    ...(rules.beat && { tickMs: rules.beat.everyMs }),
    replies: [...(own.replies ?? []), ...rules.replies],
    markers: rules.markers,
    ...(rules.answer && { isPairedInOrder: true as const }),
    awaited: {
      ...(description.ready !== undefined && { ready: inWords(description.ready) }),
      ...(subscribe && { subscribed: inWords(subscribe.confirmed) }),
      ...(publish && 'acked' in publish && publish.acked !== undefined && { acknowledged: inWords(publish.acked) }),
      ...(publish?.match !== undefined && { publish: inWords(publish.match) }),
      ...(echo?.match !== undefined && { echo: inWords(echo.match) }),
      ...(whisper?.match !== undefined && { whisper: inWords(whisper.match) }),
    },
    ...(request && { publishing: (_options, address) => (stream, data) => request(address, stream, data) }),
    session: (sink, _options, values) => new DescribedSession(sink, rules, values),
  });
}

function inWords(written: Written): string {
  return typeof written === 'string' ? written : JSON.stringify(written);
}

type Posted = Extract<NonNullable<Description['publish']>, { post: string }>;

/** Makes publishes of a description: the address keeps its path, the body is a template. */
function requestMaker({ json, body, headers = {} }: Posted) {
  const template = new Template(body ?? JSON.stringify(json));
  return ({ pathname, search }: URL, stream: string, data: string): PublishRequest => {
    const message = template.of((slot) => (slot === 'stream' ? stream : undefined));
    return { path: pathname + search, body: message.with(data) as string, headers };
  };
}
