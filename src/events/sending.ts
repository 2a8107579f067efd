/** Sends deliveries with a limited number of requests at once, divided among businesses. */
import type { LeasedEndpoint } from "../database/webhooks/leases.ts";
import { FairQueue } from "../domain/fair-queue.ts";
import { type Outcome, outcomeOf } from "../domain/webhooks/message.ts";
import type { EventDelivery, Messages } from "./messages.ts";
import { createPace } from "./pace.ts";
import type { Requester, Response } from "./request.ts";

export interface SendingParts {
  readonly messages: Pick<Messages, "messageOf">;
  readonly requester: Pick<Requester, "send">;
  readonly metrics: {
    /** @param seconds from the recording of the event to its first attempt; undefined for further attempts */
    webhookSent(outcome: Outcome, seconds: number | undefined): void;
  };
  /** Whether many postings wait in this process. */
  readonly isBusy: () => boolean;
}

interface SendOptions {
  /** Whether the receiver is slow or failing. */
  readonly isSlow: boolean;
  /** Whether the delivery may still be sent when it has a place. */
  mayStart(): boolean;
}

export interface Sent {
  readonly response: Response;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  readonly milliseconds: number;
}

/** Sends a delivery as soon as it has a place. @returns undefined when it was not sent, or was interrupted by a stop */
export type Send = (
  endpoint: LeasedEndpoint,
  delivery: EventDelivery,
  options: SendOptions,
) => Promise<Sent | undefined>;

/** How many requests are in flight at once. Receivers that are slow or failing don't take the places of the others. */
const placesFor = { quick: 1000, slow: 500 };
/** A business gets at most a ninth of the places, and less while others use many. */
const keepsPlacesFree = 8;

export function createSend({ messages, requester, metrics, isBusy }: SendingParts): Send {
  const quick = new FairQueue({ atOnce: placesFor.quick, keepsPlacesFree });
  const slow = new FairQueue({ atOnce: placesFor.slow, keepsPlacesFree });
  const pace = createPace({ isBusy, clock: () => performance.now() });
  return async (endpoint, delivery, { isSlow, mayStart }) => {
    await pace.turn(delivery.recordedAt);
    return (isSlow ? slow : quick).run(endpoint.business_id, async () => {
      if (!mayStart()) return undefined;
      const startedAt = performance.now();
      const response = await requester.send(messages.messageOf(endpoint, delivery));
      if (response === undefined) return undefined;
      const lag = delivery.kind === "delivery" ? (startedAt - delivery.recordedAt) / 1000 : undefined;
      metrics.webhookSent(outcomeOf(response), lag);
      return { response, startedAt, milliseconds: Math.round(performance.now() - startedAt) };
    });
  };
}
