/** Makes the sender of webhooks from the configuration. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Config } from "./config.ts";
import { addressPolicy } from "./domain/webhooks/addresses.ts";
import { createAddressCheck } from "./events/addresses.ts";
import { createMessages, type MessageParts } from "./events/messages.ts";
import { createRequester, usualTimes } from "./events/request.ts";
import { Sender, type SenderParts } from "./events/sender.ts";
import { exampleEvent } from "./operations/events/event-data.ts";
import { version } from "./package.ts";

type Parts = Pick<SenderParts, "sql" | "log" | "metrics" | "isBusy"> & Pick<MessageParts, "keys">;

export function createSender({ webhookPorts, webhookNetworks, webhookProxy }: Config, parts: Parts): Sender {
  const messages = createMessages({ ...parts, version, exampleOf: exampleEvent, now: Date.now });
  const requester = createRequester({
    findAddresses: createAddressCheck(addressPolicy(webhookPorts, webhookNetworks)),
    proxy: webhookProxy === undefined ? undefined : new URL(webhookProxy),
    ...usualTimes,
  });
  const lessee = `${hostname()} ${process.pid} ${randomUUID()}`;
  return new Sender({ ...parts, messages, requester, lessee });
}
