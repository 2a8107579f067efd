/** Fields and functions that operations on passes for Google Wallet share. */
import { fields, Type } from "../../contract/declare.ts";
import type { Services } from "../../contract/services.ts";
import { placeOfWallet } from "../../credentials/keys.ts";
import type { Connection } from "../../database/connection.ts";
import { findWallet } from "../../database/wallets/issuers.ts";

const issuerId = Type.String({
  minLength: 5,
  maxLength: 25,
  pattern: "^[0-9]+$",
  description: "The number of the issuer, from the Google Pay & Wallet Console.",
  examples: ["3388000000022112345"],
});
const passLogoUrl = Type.String({
  minLength: 10,
  maxLength: 500,
  pattern: "^https://[^\\s/?#@]+/[^\\s]*$",
  description:
    "The public https address of a square logo for passes: PNG, at least 660 pixels. Google downloads it.",
  examples: ["https://www.example.com/logo.png"],
});

export const googleWalletInput = {
  service_account_key: fields.fromFile(
    Type.String({
      minLength: 1,
      maxLength: 10_000,
      pattern: "^[\\s\\S]*$",
      description: "The file of the service account's key, in JSON, as Google made it.",
      examples: ['{"type": "service_account", "client_email": "passes@example.iam.gserviceaccount.com", …}'],
    }),
    ".json",
  ),
  issuer_id: issuerId,
  pass_logo_url: passLogoUrl,
};

export const googleWallet = Type.Object({
  google_status: fields.choice(
    ["ready", "checking", "failing", "secret_unreadable", "none"],
    "Pages offer passes once Google has accepted the set-up. checking: Google has not answered yet, so ask again in a few seconds. failing: " +
      "google_problem says why. secret_unreadable: the service has another secret than before, so set it up again.",
  ),
  google_problem: fields.nullable(
    fields.returnedText(
      1000,
      "The problem.",
      "Google did not respond. Check that the service may connect to googleapis.com, port 443.",
    ),
    "Why Google did not accept the last requests, or null if it did. The service tries again by itself.",
  ),
  issuer_id: fields.nullable(issuerId, "The number of the issuer, or null without one."),
  service_account: fields.nullable(
    fields.returnedText(255, "The address of the service account.", "passes@example.iam.gserviceaccount.com"),
    "The service account that sends passes, or null without one.",
  ),
  pass_logo_url: fields.nullable(passLogoUrl, "The address of the logo, or null without one."),
  passes: fields.count("How many passes members have downloaded.", 0),
});

const unset = {
  google_problem: null,
  issuer_id: null,
  service_account: null,
  pass_logo_url: null,
  passes: 0,
};

export async function readGoogleWallet(
  sql: Connection,
  businessId: number,
  { canUnseal }: Pick<Services, "canUnseal">,
) {
  const found = await findWallet(sql, businessId, "google");
  if (found === undefined) return { google_status: "none" as const, ...unset };
  const { issuer, account, logo_url, sealed, problem, is_accepted, passes } = found;
  const answered = is_accepted ? ("ready" as const) : ("checking" as const);
  const status = problem === null ? answered : ("failing" as const);
  const isReadable = canUnseal(sealed, placeOfWallet(businessId, "google"));
  return {
    google_status: isReadable ? status : ("secret_unreadable" as const),
    ...{
      google_problem: problem,
      issuer_id: issuer,
      service_account: account,
      pass_logo_url: logo_url,
      passes,
    },
  };
}

export const googleWalletKind = {
  kind: "google",
  read: readGoogleWallet,
  audited: ["issuer_id", "service_account", "pass_logo_url"],
} as const;
