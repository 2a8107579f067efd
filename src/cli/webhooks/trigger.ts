/** `loyalty webhook trigger`: makes something happen in a sandbox, so that there is an event of a type. */
import { randomInt } from "node:crypto";
import { type Command, Option } from "commander";
import type { LoyaltyClient, LoyaltyEvent } from "loyalty-sdk";
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
    .act(triggerEvent);
}

function givenId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw usageError(`--contact and --location must be ids, not "${text}".`);
}

async function triggerEvent(
  context: Context,
  options: Options,
  [type = ""]: readonly string[],
): Promise<void> {
  if (!eventNames.includes(type as EventName)) {
    throw usageError(`There is no type of event "${type}".`, `Types: ${eventNames.join(", ")}`);
  }
  const cause = causes[type as EventName];
  if (typeof cause === "string")
    throw new CliError(exitCodes.failed, `${type} can't be made with one request.`, [cause]);
  const { clientId } = options as { readonly clientId?: string };
  const integration = { ...options, ...(clientId === undefined && { sandbox: true }) } as IntegrationOptions;
  const { client, explainFailure } = await partnerClient(integration);
  try {
    await rejectRealBusiness(client);
    const { last, enabled } = await client.events.list({ limit: 1 });
    if (!enabled) {
      const advice = "The operator switches them on: loyalty business update --business ID --events-enabled";
      throw new CliError(exitCodes.failed, "This business records no events.", [advice]);
    }
    await cause(new Scene(client, options as Place));
    const { events } = await client.events.list({ after: last });
    for (const event of events.filter((one) => one.type === type)) tellAbout(context, event);
  } catch (error) {
    if (error instanceof CliError) throw error;
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

/** Real customers are in other businesses. */
async function rejectRealBusiness(client: LoyaltyClient): Promise<void> {
  try {
    await client.sandbox.clock.get();
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code !== "sp_scope_not_granted") throw error;
    throw new CliError(
      exitCodes.failed,
      "The integration is not one of a sandbox with the scope wa.sandbox.write.",
      ["Create a sandbox: loyalty business create --sandbox --help"],
    );
  }
}

const amount = 2500;
const points = 10;

interface Place {
  readonly contact?: number;
  readonly location?: number;
}

/** A member and a location, with which events are made. */
class Scene {
  readonly client: LoyaltyClient;
  readonly #given: Place;

  constructor(client: LoyaltyClient, given: Place = {}) {
    this.client = client;
    this.#given = given;
  }

  async member(): Promise<number> {
    if (this.#given.contact !== undefined) return this.#given.contact;
    const phone_number = `+34${randomInt(600_000_000, 700_000_000)}`;
    const made = await this.client.members.create({ first_name: "Trigger", last_name: "Test", phone_number });
    return made.contact_id;
  }

  async place(): Promise<{ contact_id: number; location_id: number }> {
    return { contact_id: await this.member(), location_id: this.#given.location ?? (await this.#location()) };
  }

  async #location(): Promise<number> {
    const [location] = (await this.client.locations.list()).data;
    if (location !== undefined) return location.location_id;
    throw new CliError(exitCodes.failed, "The integration may use no location.");
  }

  async sale(): Promise<{ sale_id: number; location_id: number }> {
    const at = await this.place();
    const { sale_id } = await this.client.sales.record({ ...at, amount });
    return { sale_id, location_id: at.location_id };
  }

  async topUp() {
    const at = await this.place();
    const { movement_id } = await this.client.wallet.topup({ ...at, amount });
    return { at, movement_id };
  }

  async redeem(): Promise<number> {
    const contact_id = await this.member();
    await this.client.rewardPoints.adjust({ contact_id, points, adjustment_type: "credit" });
    return (await this.client.rewardPoints.redeem({ contact_id, points })).redemption_id;
  }

  async issue() {
    const at = await this.place();
    for await (const { voucher_id, archived } of this.client.vouchers.definitions.list()) {
      if (archived) continue;
      const { held_voucher_id } = await this.client.vouchers.issue({ contact_id: at.contact_id, voucher_id });
      return { at, held_voucher_id };
    }
    throw new CliError(exitCodes.failed, "The sandbox has no voucher.", [
      "Create one: loyalty voucher create --help",
    ]);
  }
}

type Cause = (scene: Scene) => Promise<unknown>;
const clock =
  'Advance the clock to that day: loyalty call /sp/sandbox/clock/advance \'{"to": "…"}\' --sandbox';

/** What causes each type: requests, or a text for people. */
const causes: Readonly<Record<EventName, Cause | string>> = {
  "sale.recorded": (scene) => scene.sale(),
  "sale.refunded": async (scene) => scene.client.sales.refund(await scene.sale()),
  "sales.imported": "The operator imports sales: loyalty import sales --help",
  "wallet.topped_up": (scene) => scene.topUp(),
  "wallet.paid": async (scene) => scene.client.wallet.pay({ ...(await scene.topUp()).at, amount }),
  "wallet.reversed": async (scene) => {
    const { at, movement_id } = await scene.topUp();
    return scene.client.wallet.reverse({ movement_id, location_id: at.location_id });
  },
  "wallet.adjusted": async (scene) =>
    scene.client.wallet.adjust({ ...(await scene.place()), amount, adjustment_type: "credit" }),
  "reward_points.matured": `Points mature some days after a sale, if the rules have pending_days. ${clock}`,
  "reward_points.redeemed": (scene) => scene.redeem(),
  "reward_points.restored": async (scene) =>
    scene.client.rewardPoints.reverse({ redemption_id: await scene.redeem() }),
  "reward_points.adjusted": async (scene) =>
    scene.client.rewardPoints.adjust({ contact_id: await scene.member(), points, adjustment_type: "credit" }),
  "reward_points.expiring": `The notice comes some days before points of a sale expire. ${clock}`,
  "reward_points.expired": `Points of a sale expire on the day after their valid_through. ${clock}`,
  "voucher.issued": (scene) => scene.issue(),
  "voucher.redeemed": async (scene) => {
    const { at, held_voucher_id } = await scene.issue();
    return scene.client.vouchers.redeem({ ...at, held_voucher_id });
  },
  "voucher.reversed": async (scene) => {
    const { at, held_voucher_id } = await scene.issue();
    await scene.client.vouchers.redeem({ ...at, held_voucher_id });
    return scene.client.vouchers.reverse({ held_voucher_id });
  },
  "voucher.expiring": `The notice comes some days before a voucher lapses. ${clock}`,
  "voucher.lapsed": `A voucher lapses on the day after its valid_through. ${clock}`,
  "member.created": (scene) => new Scene(scene.client).member(),
  "member.updated": async (scene) =>
    scene.client.members.update({ contact_id: await scene.member(), last_name: `Test ${randomInt(1000)}` }),
  "member.activated": "The operator activates a member: loyalty member activate --help",
  "member.deactivated": "The operator deactivates a member: loyalty member deactivate --help",
  "member.merged": async (scene) => {
    const from_contact_id = await new Scene(scene.client).member();
    return scene.client.members.merge({ from_contact_id, contact_id: await scene.member() });
  },
  "member.erased": "The operator erases a member: loyalty member erase --help",
  "members.imported": "The operator imports members: loyalty import members --help",
  "vouchers.imported": "The operator imports vouchers: loyalty import vouchers --help",
  "tier.upgraded":
    "A member reaches a tier by its sales, or the operator assigns one: loyalty member assign-tier --help",
  "tier.renewed": `A tier is renewed on the day after its valid_through, if the member still qualifies. ${clock}`,
  "tier.downgraded": `A tier ends on the day after its valid_through, if the member no longer qualifies. ${clock}`,
  "tier.expiring": `The notice comes some days before a tier ends. ${clock}`,
  "sandbox.clock_advanced": async ({ client }) => {
    const { clock_at } = await client.sandbox.clock.get();
    const tomorrow = new Date(Date.parse(`${clock_at.slice(0, 10)}T00:00:00Z`) + 86_400_000);
    return client.sandbox.clock.advance({ to: tomorrow.toISOString().slice(0, 10) });
  },
  "webhook_endpoint.disabled":
    "The service disables an endpoint whose receiver responds 410: let yours respond 410 to the next event",
  "events.enabled": "The operator switches events on: loyalty business update --business ID --events-enabled",
};
