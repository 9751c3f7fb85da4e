/** Passes a text that was published in this process on to the other processes of the target. */
export type Relay = (stream: string, text: string) => void;

/** A text for every subscriber of a stream. */
export interface Published {
  stream: string;
  data: string;
}

/** What a client's message can reach beyond its own connection. */
export interface Reach {
  relay: Relay;
  publish(published: Published): void;
}
