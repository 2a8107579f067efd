/** Where `webhook listen` reads events: as an operator, or with the credentials of an integration. */
import { ApiError, ConnectionError, type EventsListData, type EventType, LoyaltyClient } from "loyalty-sdk";
import type { EventsWanted } from "loyalty-sdk/development";
import { forOperators } from "../../operations/for-operators.ts";
import { listEventsOperation } from "../../operations/partner/events/list.ts";
import type { Context } from "../command.ts";
import { chooseIntegration, type IntegrationOptions, rejected } from "../integration.ts";
import { businessOption } from "../operations/field-options.ts";
import { chooseBusiness } from "../service/businesses.ts";
import { notReachable } from "../service/failure.ts";
import { CliError, exitCodes } from "../terminal/cli-error.ts";

export const listEventsForOperator = forOperators(listEventsOperation);

/** Lists events. @throws CliError */
type ListEvents = (wanted: EventsWanted, signal: AbortSignal) => Promise<EventsListData>;

export async function eventSource(context: Context, options: IntegrationOptions): Promise<ListEvents> {
  if (options.clientId === undefined && options.sandbox !== true) {
    const client = await context.client();
    const business_id = businessOption(options as never) ?? (await chooseBusiness(client));
    return async (wanted, signal) => {
      const body = { business_id, ...wanted };
      return (await client.call<EventsListData>(listEventsForOperator.path, body, signal)).data;
    };
  }
  const { client, explainFailure } = await partnerClient(options);
  return async ({ types, ...wanted }, signal) => {
    const body = { ...wanted, ...(types !== undefined && { types: types as EventType[] }) };
    return client.events.list(body, { signal, maxRetries: 1 }).catch(explainFailure);
  };
}

/** A client of the partner API with the credentials of the options. */
export async function partnerClient(options: IntegrationOptions) {
  const { place, client_id: clientId, client_secret: clientSecret } = await chooseIntegration(options);
  const explainFailure = (error: unknown): never => {
    if (error instanceof ConnectionError) throw notReachable(error, place);
    if (!(error instanceof ApiError)) throw error;
    if (error.status < 500 && error.status !== 429) throw rejected(error);
    throw new CliError(exitCodes.unreachable, error.message);
  };
  return { client: new LoyaltyClient({ baseUrl: place.baseUrl, clientId, clientSecret }), explainFailure };
}
