// A step of the shop itself that fails after the payment, for carts that ask for it: then the whole checkout is undone.
const { ContainerRegistrationKeys } = require("@medusajs/framework/utils");
const { completeCartWorkflow } = require("@medusajs/medusa/core-flows");

completeCartWorkflow.hooks.orderCreated(async ({ cart_id }, { container }) => {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data } = await query.graph({ entity: "cart", fields: ["metadata"], filters: { id: cart_id } });
  if (data[0]?.metadata?.fails) throw new Error("This checkout fails.");
});
