import { fields, Type, writeOperation, wrongValue } from "../../../contract/declare.ts";
import { putLogo } from "../../../database/access/businesses.ts";
import { mostLogoBase64, mostLogoBytes, problemOfLogo } from "../../../domain/logos.ts";
import { business } from "../../access/businesses.ts";

const logoFile = Type.String({
  minLength: 1,
  maxLength: mostLogoBase64,
  pattern: "^[A-Za-z0-9+/]+=*$",
  description: `A square PNG of at most ${mostLogoBytes} bytes, in Base64.`,
  examples: ["iVBORw0KGgoAAAANSUhEUgAAAEAAAABA"],
});

export const setLogo = writeOperation({
  path: "/op/businesses/logo",
  role: "owner",
  event: "business.logo_set",
  summary: "Set the logo of a business",
  message: "Logo set.",
  description:
    "Replaces the logo, or removes it. The pages of members, their passes for Apple Wallet and the console show it. `logo_path` of the " +
    "response is its address, which everybody can read. Another logo has another address.",
  input: {
    business_id: fields.businessId,
    logo: fields.nullable(
      fields.fromFile(logoFile, "image/*"),
      `The logo: a square PNG of at most ${mostLogoBytes} bytes, in Base64, or null for none.`,
    ),
  },
  output: business,
  errors: ["business_not_found"],
  check({ logo }) {
    const problem = logo ? problemOfLogo(logo) : undefined;
    return problem === undefined ? [] : [wrongValue("logo", problem)];
  },
  async write({ input: { business_id, logo }, tx, audit, reject }) {
    const put = await putLogo(tx, business_id, logo === null ? null : Buffer.from(logo, "base64"));
    if (put === undefined) return reject("business_not_found");
    audit(put);
    return put.after;
  },
});
