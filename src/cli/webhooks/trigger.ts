/** `loyalty webhook trigger`: makes something happen in a sandbox, so that there is an event of a type. */
import { type Command, Option } from "commander";
import type { LoyaltyEvent } from "loyalty-sdk";
import { NotPrepared, type Place, triggerEvent } from "loyalty-sdk/development";
import { type EventName, eventNames } from "../../domain/events.ts";
import { type Context, type Options, ServiceCommand } from "../command.ts";
import type { IntegrationOptions } from "../integration.ts";
import { CliError, exitCodes, usageError } from "../terminal/cli-error.ts";
import { partnerClient } from "./source.ts";

export function triggerCommand(): Command {
  return new ServiceCommand("trigger")
    .summary("Make an event of a type in a sandbox")
    .description(
      "Calls the partner API of a sandbox so that an event of the wanted type happens, such as a sale. It is a real event, with a " +
        "real change, which webhooks and events/list have. It uses the demo's sandbox on this machine, or the integration that " +
        "--client-id names, with the secret in LOYALTY_CLIENT_SECRET, and requires no role. For a type that needs time or the " +
        "operator, it says what causes it.",
    )
    .argument("<type>", `The type of the event: ${eventNames.join(", ")}.`)
    .option("--contact <id>", "The member; by default, a new one.", givenId)
    .option("--location <id>", "The location; by default, the first one of the integration.", givenId)
    .option("--client-id <text>", "The client_id of an integration of a sandbox.")
    .addOption(
      new Option("--sandbox", "Use the demo's sandbox business, which is the default.").conflicts("clientId"),
    )
    .examples(
      "loyalty webhook trigger sale.recorded",
      "loyalty webhook trigger voucher.redeemed --client-id loy_1",
    )
    .act(trigger);
}

function givenId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw usageError(`--contact and --location must be ids, not "${text}".`);
}

async function trigger(context: Context, options: Options, [type = ""]: readonly string[]): Promise<void> {
  if (!eventNames.includes(type as EventName)) {
    throw usageError(`There is no type of event "${type}".`, `Types: ${eventNames.join(", ")}`);
  }
  const { clientId } = options as { readonly clientId?: string };
  const integration = { ...options, ...(clientId === undefined && { sandbox: true }) } as IntegrationOptions;
  const { client, explainFailure } = await partnerClient(integration);
  try {
    const events = await triggerEvent(client, type as EventName, options as Place);
    for (const event of events) tellAbout(context, event);
  } catch (error) {
    if (error instanceof NotPrepared) throw new CliError(exitCodes.failed, error.message, [error.advice]);
    explainFailure(error);
  }
}

function tellAbout({ json, out }: Context, event: LoyaltyEvent): void {
  const { business_id, sequence, contact_id } = event.data;
  const member = contact_id === null ? "" : `, member ${contact_id}`;
  out.line(
    json ? JSON.stringify(event) : `${event.type}: event ${sequence} of business ${business_id}${member}`,
  );
}
