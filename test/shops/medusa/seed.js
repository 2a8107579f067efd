// A route that makes what a shop in euros needs: a region, shipping for 5.00, and products. It responds with their ids.
const { ContainerRegistrationKeys, Modules } = require("@medusajs/framework/utils");
const {
  createApiKeysWorkflow,
  createProductsWorkflow,
  createProductTypesWorkflow,
  createRegionsWorkflow,
  createSalesChannelsWorkflow,
  createShippingOptionsWorkflow,
  createShippingProfilesWorkflow,
  createStockLocationsWorkflow,
  createTaxRegionsWorkflow,
  createUserAccountWorkflow,
  linkSalesChannelsToApiKeyWorkflow,
  linkSalesChannelsToStockLocationWorkflow,
} = require("@medusajs/medusa/core-flows");

exports.POST = async ({ scope: container }, response) => {
  const run = async (workflow, input) => (await workflow(container).run({ input })).result;
  const [channel] = await run(createSalesChannelsWorkflow, { salesChannelsData: [{ name: "Web" }] });
  const payment_providers = ["pp_system_default"];
  const regions = [{ name: "Spain", currency_code: "eur", countries: ["es"], payment_providers }];
  const [region] = await run(createRegionsWorkflow, { regions });
  await run(createTaxRegionsWorkflow, [{ country_code: "es", provider_id: "tp_system" }]);
  const locations = [{ name: "Warehouse", address: { city: "Madrid", country_code: "ES", address_1: "" } }];
  const [stock] = await run(createStockLocationsWorkflow, { locations });
  const link = container.resolve(ContainerRegistrationKeys.LINK);
  const [STOCK_LOCATION, FULFILLMENT] = [{ stock_location_id: stock.id }, Modules.FULFILLMENT];
  await link.create({
    [Modules.STOCK_LOCATION]: STOCK_LOCATION,
    [FULFILLMENT]: { fulfillment_provider_id: "manual_manual" },
  });
  const [profile] = await run(createShippingProfilesWorkflow, {
    data: [{ name: "Parcels", type: "default" }],
  });
  const zone = { name: "Spain", geo_zones: [{ country_code: "es", type: "country" }] };
  const set = await container
    .resolve(Modules.FULFILLMENT)
    .createFulfillmentSets({ name: "Delivery", type: "shipping", service_zones: [zone] });
  await link.create({
    [Modules.STOCK_LOCATION]: STOCK_LOCATION,
    [FULFILLMENT]: { fulfillment_set_id: set.id },
  });
  const [shipping] = await run(createShippingOptionsWorkflow, [
    {
      ...{
        name: "Parcel",
        price_type: "flat",
        provider_id: "manual_manual",
        shipping_profile_id: profile.id,
      },
      service_zone_id: set.service_zones[0].id,
      type: { label: "Parcel", description: "In two days", code: "parcel" },
      prices: [{ currency_code: "eur", amount: 5 }],
      rules: [
        { attribute: "enabled_in_store", value: "true", operator: "eq" },
        { attribute: "is_return", value: "false", operator: "eq" },
      ],
    },
  ]);
  await run(linkSalesChannelsToStockLocationWorkflow, { id: stock.id, add: [channel.id] });
  const keys = [{ title: "Web", type: "publishable", created_by: "" }];
  const [key] = await run(createApiKeysWorkflow, { api_keys: keys });
  await run(linkSalesChannelsToApiKeyWorkflow, { id: key.id, add: [channel.id] });
  const types = await run(createProductTypesWorkflow, {
    product_types: [{ value: "clothes" }, { value: "gift cards" }],
  });
  const product = (title, sku, amount, type) => ({
    ...{ title, status: "published", shipping_profile_id: profile.id, sales_channels: [{ id: channel.id }] },
    type_id: types.find(({ value }) => value === type)?.id,
    options: [{ title: "Size", values: ["One"] }],
    variants: [
      {
        ...{ title: "One", sku, manage_inventory: false, options: { Size: "One" } },
        prices: [{ currency_code: "eur", amount }],
      },
    ],
  });
  const products = await run(createProductsWorkflow, {
    products: [
      product("Shirt", "SHIRT", 20, "clothes"),
      product("Coat", "COAT", 39.99, "clothes"),
      product("Gift card", "GIFT", 25, "gift cards"),
      product("Sticker", "STICKER", 3.332, "clothes"),
    ],
  });
  const auth = container.resolve(Modules.AUTH);
  const email = "admin@example.com";
  const { authIdentity } = await auth.register("emailpass", {
    body: { email, password: "a-password-for-tests" },
  });
  await run(createUserAccountWorkflow, { authIdentityId: authIdentity.id, userData: { email } });
  const variants = Object.fromEntries(
    products.flatMap((one) => one.variants).map(({ sku, id }) => [sku, id]),
  );
  response.json({ key: key.token, region: region.id, shipping: shipping.id, variants, email });
};
