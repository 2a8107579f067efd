/** The texts about webhooks. */
import { countedText } from "../decimals.ts";

export const webhookTexts = {
  webhooks: {
    title: "Webhooks",
    explanation: "Where the service sends events to, such as a shop or a data warehouse.",
    empty: "No events are sent. Add an endpoint for each program that should know what happens.",
    noSuccess: "No success yet.",
    lastFailed: "The last attempt failed:",
    failing: (since: string) => `Since ${since}.`,
    /** Why there was no response, by the code. */
    noResponse: {
      ECONNREFUSED: "The connection was refused",
      ECONNRESET: "The connection was closed before the response",
      EHOSTUNREACH: "The host can't be reached",
      ENETUNREACH: "The host can't be reached",
      ETIMEDOUT: "There was no connection in time",
      ENOTFOUND: "The name of the host has no address",
      ENODATA: "The name of the host has no address",
    },
    disabled: {
      requested: "Disabled by hand.",
      no_success: "Disabled: it had failed for five days.",
      gone: "Disabled: it responded that it is gone for good (410).",
      secret_unreadable:
        "Disabled: the secret of the service has changed. Rotate its secret, and set its headers again.",
      integration_disabled: "Disabled with its integration.",
      copied: "Disabled, because the business was copied.",
    },
    stopped: (endpoints: number) =>
      `${countedText(endpoints, "webhook endpoint gets", "webhook endpoints get")} no events.`,
    failures: (failures: number, attempts: number) =>
      attempts === 0
        ? "No attempts"
        : `${Math.ceil((100 * failures) / attempts)} %: ${failures} of ${countedText(attempts, "attempt", "attempts")}`,
    secrets: "Valid secrets",
    deliveries: "Deliveries",
    noDeliveries: "Nothing was sent yet.",
    sendAgain: "Send again from …",
    replayed: (events: number, first: number | null, last: number | null) =>
      events === 0 ? "No events." : `${countedText(events, "event", "events")}, number ${first} to ${last}.`,
  },
} as const;
