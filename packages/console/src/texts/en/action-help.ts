/** What dialogs explain, by the path of the operation. */
import { wholeText } from "../decimals.ts";

type Named = Readonly<Record<"name" | "campaign_name" | "first_name" | "last_name", string>>;
/** `members`, `archived`: of a tier, and of a voucher. */
type About = Named & Readonly<{ members: number | null; archived: boolean }>;

const undone = "A new entry takes this one back. Both stay in the timeline.";

export const actionHelps = {
  "/op/members/settle":
    "Pending points that can be used by now become usable, and points past their last day expire. This happens by itself every day.",
  "/op/members/erase":
    "Name, phone number and other personal data are deleted for good. If the member still has money, points or vouchers, they are lost, and a reason is required.",
  "/op/members/merge": ({ first_name, last_name }: About) =>
    `Choose the other entry of the same person. Its balances and history move to ${first_name} ${last_name}, and it is closed.`,
  "/op/members/activate": "The member can collect and use points again.",
  "/op/promotions/resume": "From now on, sales that match get it.",
  "/op/occasions/resume": "From now on, members get it. Nothing comes for earlier days.",
  "/op/stamp-cards/resume": "From now on, sales give stamps for it.",
  "/op/bulk-grants/cancel": "Members that have not got it yet get nothing. The others keep it.",
  "/op/bulk-grants/resume": "It goes on with the members that have not got it yet.",
  "/op/imports/start":
    "The lines that can be imported are recorded. The others stay out: you can correct them and import the file again.",
  "/op/operators/enable": "The person can sign in again, with the same password.",
  "/op/webhook-deliveries/retry": "The event is sent to the endpoint once more, with the same content.",
  "/op/reward-points/reverse": undone,
  "/op/wallet/reverse": undone,
  "/op/promotions/pause": "It gives nothing until you start it again. Members keep what they got.",
  "/op/occasions/pause": "It gives nothing until you start it again. Members keep what they got.",
  "/op/stamp-cards/pause": "Sales give no stamps for it until you start it again. Members keep theirs.",
  "/op/sessions/revoke": "The person must sign in again there.",
  "/op/bulk-grants/start": "Members that are inactive get nothing.",
  "/op/tiers/delete": ({ name, members }: About) =>
    members === 0
      ? `No member has the tier ${name} now.`
      : `Members with the tier ${name} now: ${wholeText(members ?? 0)}. Without it, each has the highest other tier that its sales reach, or none.`,
  "/op/vouchers/archive": ({ campaign_name, archived }: About) =>
    archived
      ? `Members can get ${campaign_name} again.`
      : `Archive ${campaign_name}? It can't be issued any more. Members keep what they have.`,
  "/op/webhook-endpoints/enable":
    "Choose where to continue. Events from there on are sent, also those that were sent before. You can do this once in five minutes.",
  "/op/webhook-endpoints/rotate-secret":
    "Events are signed with both secrets for a while, so that the receiver can change without a gap.",
  "/op/webhook-endpoints/delete":
    "Events that were not delivered yet are lost for this endpoint. You can disable it instead.",
  "/op/webhook-deliveries/replay": "Sends the events of a period again, beside new ones.",
  "/op/integrations/enable": "It gets tokens again, with its existing secret. Earlier tokens stay rejected.",
  "/op/integrations/revoke-tokens":
    "Within five seconds, all tokens issued so far are rejected. The integration can get a new token with its secret. If the secret leaked too, make a new one first.",
  "/op/integrations/delete":
    "The integration and its secrets are deleted. Within five seconds, its tokens are rejected. Records that it wrote stay.",
} as const;
