/** Fields and functions that operations on passes for Apple Wallet share. */
import { fields, Type } from "../../contract/declare.ts";
import type { Services } from "../../contract/services.ts";
import { placeOfWallet } from "../../credentials/keys.ts";
import type { Connection } from "../../database/connection.ts";
import { findWallet } from "../../database/wallets/issuers.ts";

/** PEM or Base64, with the line ends of any system. */
const lines = (maxLength: number, description: string, example: string) =>
  fields.fromFile(
    Type.String({ minLength: 1, maxLength, pattern: "^[\\s\\S]*$", description, examples: [example] }),
    ".p12,.pfx,.pem,.cer,.crt,.txt",
  );

const passType = fields.text(
  255,
  "The pass type identifier of the Apple account. It begins with pass.",
  "pass.com.example.card",
);
const team = Type.String({
  minLength: 10,
  maxLength: 10,
  pattern: "^[A-Z0-9]{10}$",
  description: "The team identifier of the Apple account: 10 capital letters and digits.",
  examples: ["A1B2C3D4E5"],
});

export const appleWalletInput = {
  certificate: lines(
    20_000,
    "The pass type certificate with its private key: both in PEM, or an exported .p12 file in Base64.",
    "MIIKXgIBAzCCCiQGCSqGSIb3DQEHAaCCChUEggoRMIIKDTCC",
  ),
  certificate_password: Type.Optional(
    fields.text(
      255,
      "The password of the .p12 file or of the private key, if it has one.",
      "export password",
    ),
  ),
  intermediate_certificate: lines(
    10_000,
    "Apple's intermediate certificate that issued it (Worldwide Developer Relations): in PEM, or the .cer file in Base64.",
    "MIIEVTCCAz2gAwIBAgIUE9x3lVJx5T3GMujM3zUy6D4Gqak",
  ),
  pass_type: passType,
  team,
};

export const appleWallet = Type.Object({
  certificate_status: fields.choice(
    ["valid", "expired", "secret_unreadable", "none"],
    "Only with a valid certificate, pages offer passes. secret_unreadable: the service has another secret than before, so set it up again.",
  ),
  apple_problem: fields.nullable(
    fields.returnedText(
      1000,
      "The problem.",
      "Apple did not respond. Check that the service may connect to api.push.apple.com, port 443.",
    ),
    "Why Apple did not accept the last pushes, or null if it did. The service tries again by itself.",
  ),
  pass_type: fields.nullable(passType, "The pass type of the certificate, or null without one."),
  team: fields.nullable(team, "The team of the certificate, or null without one."),
  certificate_subject: fields.nullable(
    fields.returnedText(1000, "The subject.", "UID=pass.com.example.card, OU=A1B2C3D4E5, O=Example GmbH"),
    "Whose certificate it is, or null without one.",
  ),
  certificate_ends_on: fields.nullable(
    Type.String({ format: "date", description: "The day.", examples: ["2027-04-16"] }),
    "The last day of the certificate, in UTC, or null without one. Set up a new one before.",
  ),
  passes: fields.count("How many passes members have downloaded.", 0),
  phones: fields.count("How many phones are told when a pass changes.", 0),
});

const unset = {
  apple_problem: null,
  pass_type: null,
  team: null,
  certificate_subject: null,
  certificate_ends_on: null,
};

export async function readAppleWallet(
  sql: Connection,
  businessId: number,
  { canUnseal, clock }: Pick<Services, "canUnseal" | "clock">,
) {
  const found = await findWallet(sql, businessId, "apple");
  if (found === undefined) return { certificate_status: "none" as const, ...unset, passes: 0, phones: 0 };
  const { issuer: pass_type, account: team, subject, ends_at, sealed, problem, passes, phones } = found;
  const valid = Date.parse(ends_at ?? "") > clock() ? ("valid" as const) : ("expired" as const);
  const isReadable = canUnseal(sealed, placeOfWallet(businessId, "apple"));
  return {
    certificate_status: isReadable ? valid : ("secret_unreadable" as const),
    ...{
      apple_problem: problem,
      pass_type,
      team,
      certificate_subject: subject,
      certificate_ends_on: ends_at?.slice(0, 10) ?? null,
    },
    ...{ passes, phones },
  };
}

export const appleWalletKind = {
  kind: "apple",
  read: readAppleWallet,
  audited: ["pass_type", "team", "certificate_subject", "certificate_ends_on"],
} as const;
