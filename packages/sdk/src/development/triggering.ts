/** Makes something happen in a sandbox, so that there is an event of a type. */
import type { LoyaltyClient } from "../client.ts";
import { ApiError } from "../errors.ts";
import type { EventType, LoyaltyEvent } from "../generated/events.ts";

/** What is missing before an event can be made, and who can change it. */
export class NotPrepared extends Error {
  override readonly name: string = "NotPrepared";
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}

/**
 * Makes an event of a type happen in a sandbox.
 * @returns the events of this type that happened
 * @throws NotPrepared if no request can make it, or if the business is none for tests
 */
export async function triggerEvent(
  client: LoyaltyClient,
  type: EventType,
  place: Place = {},
): Promise<readonly LoyaltyEvent[]> {
  const cause = causes[type];
  if (typeof cause === "string") throw new NotPrepared(`${type} can't be made with one request.`, cause);
  await rejectRealBusiness(client);
  const { last, enabled } = await client.events.list({ limit: 1 });
  if (!enabled) {
    const advice = "The operator switches them on: loyalty business update --business ID --events-enabled";
    throw new NotPrepared("This business records no events.", advice);
  }
  await cause(new Scene(client, place));
  const { events } = await client.events.list({ after: last });
  return events.filter((one) => one.type === type);
}

/** Real customers are in other businesses. */
async function rejectRealBusiness(client: LoyaltyClient): Promise<void> {
  try {
    await client.sandbox.clock.get();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "sp_scope_not_granted") throw error;
    throw new NotPrepared(
      "The integration is not one of a sandbox with the scope wa.sandbox.write.",
      "The operator creates a sandbox: loyalty business create --sandbox --help",
    );
  }
}

const someNumber = (from: number, below: number) => from + Math.floor(Math.random() * (below - from));

const amount = 2500;
const points = 10;

export interface Place {
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
    const phone_number = `+34${someNumber(600_000_000, 700_000_000)}`;
    const made = await this.client.members.create({ first_name: "Trigger", last_name: "Test", phone_number });
    return made.contact_id;
  }

  async place(): Promise<{ contact_id: number; location_id: number }> {
    return { contact_id: await this.member(), location_id: this.#given.location ?? (await this.#location()) };
  }

  async #location(): Promise<number> {
    const [location] = (await this.client.locations.list()).data;
    if (location !== undefined) return location.location_id;
    throw new NotPrepared("The integration may use no location.", "The operator gives it one.");
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

  async card() {
    return this.client.cards.create({ contact_id: await this.member(), kind: "app" });
  }

  async anonymousCard() {
    const location_id = this.#given.location ?? (await this.#location());
    return this.client.cards.issue({ location_id, kind: "plastic", amount });
  }

  async issue() {
    const at = await this.place();
    for await (const { voucher_id, archived } of this.client.vouchers.definitions.list()) {
      if (archived) continue;
      const { held_voucher_id } = await this.client.vouchers.issue({ contact_id: at.contact_id, voucher_id });
      return { at, held_voucher_id };
    }
    throw new NotPrepared(
      "The sandbox has no voucher.",
      "The operator creates one: loyalty voucher create --help",
    );
  }
}

/** The types of events that there are. */
export const eventTypes = (): readonly EventType[] => Object.keys(causes) as EventType[];

type Cause = (scene: Scene) => Promise<unknown>;
const clock =
  'Advance the clock to that day: loyalty call /sp/sandbox/clock/advance \'{"to": "…"}\' --sandbox';

const byHand = "The operator can stamp a card by hand: loyalty stamp-card stamp --help";

const friends = "The operator says what both get: loyalty occasion create --help";

/** What causes each type: requests, or a text for people. */
const causes: Readonly<Record<EventType, Cause | string>> = {
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
  "stamp_card.stamped": `A sale adds stamps, if there is a stamp card. ${byHand}`,
  "stamp_card.completed": `The stamp that fills a card gives its voucher. ${byHand}`,
  "stamp_card.expiring": `The notice comes some days before stamps lapse. ${clock}`,
  "stamp_card.lapsed": `Stamps lapse on the day after their valid_through, if the card has a validity. ${clock}`,
  "occasion.granted": `A member gets something on its birthday, if there is such an occasion. ${clock}`,
  "referral.created": `A member names the code of the one who brought it (referrals.create). ${friends}`,
  "referral.qualified": `The first sale of a member who was brought reaches the minimum. ${friends}`,
  "referral.granted": `The first sale was kept for some days, and both get something. ${clock}`,
  "referral.lapsed": `The first sale of a member who was brought is too small, or is refunded. ${friends}`,
  "member.created": (scene) => new Scene(scene.client).member(),
  "member.updated": async (scene) =>
    scene.client.members.update({
      contact_id: await scene.member(),
      last_name: `Test ${someNumber(0, 1000)}`,
    }),
  "member.activated": "The operator activates a member: loyalty member activate --help",
  "member.deactivated": "The operator deactivates a member: loyalty member deactivate --help",
  "member.merged": async (scene) => {
    const from_contact_id = await new Scene(scene.client).member();
    return scene.client.members.merge({ from_contact_id, contact_id: await scene.member() });
  },
  "member.erased": "The operator erases a member: loyalty member erase --help",
  "card.created": (scene) => scene.card(),
  "card.replaced": async (scene) => scene.client.cards.replace({ card_code: (await scene.card()).card_code }),
  "wallet.lapsed": `The money of a gift card lapses on the day after its valid_through, if the rules have a gift_validity. ${clock}`,
  "card.issued": (scene) => scene.anonymousCard(),
  "card.claimed": async (scene) => {
    const { card_code } = await scene.anonymousCard();
    return scene.client.cards.claim({ card_code, contact_id: await scene.member() });
  },
  "card.blocked": async (scene) => scene.client.cards.block({ card_code: (await scene.card()).card_code }),
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
