/**
 * Names that similar interfaces used for the tenant, the caller or the member, and what replaces each. A
 * request with one of these names is rejected, unless the operation has a field of that name.
 */
export const legacyFields: Readonly<Record<string, string>> = {
  business_id: "the access token, which acts for one business",
  integration_id: "the access token, which acts for one integration",
  member_id: "contact_id",
  customer_id: "contact_id",
  api_key: "the Authorization header",
  api_token: "the Authorization header",
  access_token: "the Authorization header",
  token: "the Authorization header",
  client_id: "the Authorization header",
  client_secret: "the Authorization header",
};
